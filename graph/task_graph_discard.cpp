/// The functions of the task graph that discard the content of data.
#include "graph/data/usable.hpp"
#include "graph/here.hpp"
#include "graph/task_graph.hpp"

namespace troupe::graph {

Result<void> TaskGraph::discard(const Handle& handle) {
  if (auto here = state_.threads.home.check(); !here) return here;
  const Recording* const recording = recording_here(state_);
  TaskList ready;
  Task* hold = nullptr;
  bool unused = false;
  {
    const LockGuard lock(state_.submission_mutex);
    const auto found = state_.data.registry.find(handle);
    if (!found) return found.failure();
    DataRecord& record = *found.value();
    if (recording != nullptr) return discards_in_recording(record);
    if (auto allowed = check_halo(record, AccessMode::write); !allowed) return allowed;
    if (record.content.read_only) return discards_const(record);
    if (record.home.id != home_here(state_).id) return discards_declared(record);
    // If the content is discarded already, nothing is left to do. Without this line, discards in a loop would wait for
    // one another in a chain, which `end_discard` would follow recursively.
    if (DataRegistry::is_discarded(record)) return {};
    hold = &allocate_hold(record, AccessMode::write);
    hold->extras->discards = true;
    hold->extras->name = "discard";
    unused = order_hold(*hold, ready);
    state_.data.registry.note_discarded(record);
  }
  if (!ready.empty()) state_.host.activate(ready, WorkerId{});
  if (unused) end_outside([&](std::size_t slot, TaskList& next) { end_discard(*hold, slot, next); });
  return {};
}

void TaskGraph::end_discard(Task& hold, std::size_t slot, TaskList& ready) {
  // The tree of parts does not change meanwhile, because the hold counts as a task that uses the tree. A hold whose
  // submission was given up has no data.
  for (const TaskAccess& access : hold.data()) {
    access.data()->visit_data([this](const DataRecord& part) { state_.host.discard(part); });
  }
  // The hold writes the data, so its success also ends the effect of failures of earlier tasks.
  finish(hold, {TaskStatus::succeeded, nullptr, nullptr, slot, WorkerId{}}, ready);
}

}  // namespace troupe::graph
