#include "graph/holds/named_parts.hpp"

#include <algorithm>
#include <vector>

#include "graph/data/data_registry.hpp"
#include "graph/data/domain.hpp"

namespace troupe::graph {

void note_name(DataRecord& data, Task& task) {
  DataRecord& part = data.is_halo ? *data.parent : data;
  if (part.made.in.id == 0) return;
  // The children of the nested task that has made the part end before the parts may be replaced.
  const Domain* const outer = task.outer_domain();
  if (outer != nullptr && &outer->parent == part.made.in.task && outer->id == part.made.in.id) return;
  std::vector<TaskReference>& named_by = part.made.named_by;
  if (named_by.size() == named_by.capacity()) std::erase_if(named_by, &TaskReference::ended);
  named_by.push_back({&task, task.task_id().value()});
}

void note_names(Task& task) {
  for (const TaskAccess& access : task.data()) note_name(*access.data(), task);
  if (const Domain* const own = task.own_domain()) {
    for (const TaskAccess& access : own->weak) note_name(*access.data(), task);
  }
}

Result<void> check_names(const DataRecord& record) {
  Result<void> outcome;
  record.visit_tree([&](const DataRecord& part) {
    const auto named = std::ranges::find_if_not(part.made.named_by, &TaskReference::ended);
    if (&part == &record || named == part.made.named_by.end()) return;
    outcome = Failure{ErrorCode::overlapping_handles,
                      describe(record) + " cannot be divided anew, because " + describe(*named->task) + " uses " +
                          describe(part) +
                          ", which an earlier nested task has made: use such parts before the next "
                          "nested task that divides these data"};
  });
  return outcome;
}

}  // namespace troupe::graph
