/// The data that a task needs on the device that runs it.
#pragma once

#include <vector>

#include "graph/data/data_record.hpp"
#include "graph/tasks/task.hpp"
#include "proto/memory.hpp"
#include "troupe/devices.hpp"

namespace troupe::graph {

/// Appends the uses of a halo part that a task reads: one for the halo part itself, and one for each piece of data that
/// it overlaps.
void append_halo(const DataRecord& halo, std::vector<memory::Use>& uses);

/// Appends one use for each piece of data that the task uses; each part of a whole gets a use of its own. A halo part
/// is followed by the data that it overlaps (`memory::Use::halo`). Data that the task reduces are left out, because the
/// task adds to a partial result of its worker. The task must not have ended.
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

/// Returns a piece of data that binds the task to host memory, or null. Three kinds of data do: a whole that has parts,
/// a halo part for which `lies_between_parts` is true, and a halo part that overlaps data which the task writes. If
/// several are found, a halo part is returned. In host memory, parts lie inside their whole, and overlapped data inside
/// the halo part; in a device's memory each has a place of its own, so no kernel could use them as one. The task must
/// not have ended.
[[nodiscard]] const DataRecord* find_bound_to_host(const Task& task);

/// Returns the kinds of device that could use the task's data, regardless of its codelet. If data bind the task to host
/// memory (`find_bound_to_host`), these are kinds that work in host memory. Kernels read halo parts on cores, or on
/// devices with memory of their own. The task must not have ended.
[[nodiscard]] KindSet kinds_for_data(const Task& task);

/// Returns the kinds of device on which a task could read the halo part `halo`; the task need not exist. `writes_in_it`
/// says whether the task writes data that the halo part overlaps.
[[nodiscard]] KindSet kinds_for_halo(const DataRecord& halo, bool writes_in_it);

/// Returns true if the task uses data in mode reduce. Partial results lie in host memory. The task must not have ended.
[[nodiscard]] inline bool reduces(const Task& task) {
  for (const TaskAccess& access : task.data()) {
    if (access.mode() == AccessMode::reduce) return true;
  }
  return false;
}

}  // namespace troupe::graph
