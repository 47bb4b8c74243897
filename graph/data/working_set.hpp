/// The data that a task needs on the device that runs it.
#pragma once

#include <vector>

#include "graph/data/data_record.hpp"
#include "graph/tasks/task.hpp"
#include "proto/memory.hpp"
#include "troupe/devices.hpp"

namespace troupe::graph {

/// Appends the uses of a halo part, which a task reads.
void append_halo(const DataRecord& halo, std::vector<memory::Use>& uses);

/// Appends one use for each piece of data, the parts of a whole one by one. A halo part is followed by the data that it
/// overlaps (`memory::Use::halo`). Data that the task reduces are left out, because the task adds to a partial result
/// of its worker. The task must not have ended.
inline void append_working_set(const Task& task, std::vector<memory::Use>& uses) {
  for (const TaskAccess& access : task.data()) {
    if (access.mode() == AccessMode::reduce) continue;
    if (access.data()->is_halo) [[unlikely]] {
      append_halo(*access.data(), uses);
      continue;
    }
    access.data()->visit_data([&](const DataRecord& part) {
      uses.push_back({part.handle_id(), access.mode(), part.view.layout.payload()});
    });
  }
}

/// Returns data that bind the task to host memory, or null; a halo part before others. They are a whole that has parts,
/// a halo part of data that have elements between their parts, or a halo part that overlaps what the task writes. In
/// host memory the parts lie inside the whole, and what the task writes lies inside the halo part. In a device's memory
/// each has a place of its own, so no kernel could use them as one. The task must not have ended.
[[nodiscard]] const DataRecord* find_bound_to_host(const Task& task);

/// Returns the kinds of device on which a task with these data could find them, whatever its codelet runs on: all, or
/// where data bind the task to host memory the kinds that work there. Kernels read halo parts on cores, or in a memory
/// of the device's own. The task must not have ended.
[[nodiscard]] KindSet kinds_for_data(const Task& task);

/// Does the same for data that are not yet those of a task: `halo` is a halo part that the task reads, and
/// `writes_in_it` says whether the task writes data that it overlaps.
[[nodiscard]] KindSet kinds_for_halo(const DataRecord& halo, bool writes_in_it);

/// Returns true if the task adds to partial results, which lie in host memory. The task must not have ended.
[[nodiscard]] inline bool reduces(const Task& task) {
  for (const TaskAccess& access : task.data()) {
    if (access.mode() == AccessMode::reduce) return true;
  }
  return false;
}

}  // namespace troupe::graph
