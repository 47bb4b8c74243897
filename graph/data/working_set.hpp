/// The data that a task needs on the device that runs it.
#pragma once

#include <vector>

#include "graph/data/data_record.hpp"
#include "graph/tasks/task.hpp"
#include "proto/memory.hpp"

namespace troupe::graph {

/// Appends one use for each piece of data, the parts of a whole one by one. Data that the task reduces are left out,
/// because the task adds to a partial result of its worker. The task must not have ended.
inline void append_working_set(const Task& task, std::vector<memory::Use>& uses) {
  for (const TaskAccess& access : task.data()) {
    if (access.mode() == AccessMode::reduce) continue;
    access.data()->visit_data([&](const DataRecord& part) {
      uses.push_back({part.handle_id(), access.mode(), part.view.layout.payload()});
    });
  }
}

/// Returns data that the task uses as a whole although they have parts, or null. Halo parts, which only cores use, come
/// first. In host memory the parts lie inside the whole. In a device's memory each part has a place of its own, so no
/// kernel could use them as one. The task must not have ended.
[[nodiscard]] inline const DataRecord* find_whole_of_parts(const Task& task) {
  const DataRecord* found = nullptr;
  for (const TaskAccess& access : task.data()) {
    if (access.data()->is_halo) return access.data();
    if (found == nullptr && !access.data()->children.empty()) found = access.data();
  }
  return found;
}

/// Returns true if the task adds to partial results, which lie in host memory. The task must not have ended.
[[nodiscard]] inline bool reduces(const Task& task) {
  for (const TaskAccess& access : task.data()) {
    if (access.mode() == AccessMode::reduce) return true;
  }
  return false;
}

}  // namespace troupe::graph
