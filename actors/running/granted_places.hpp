/// Granted places: the offsets of tasks' data in the memory of the worker's node.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "proto/memory.hpp"
#include "proto/spin_lock.hpp"
#include "troupe/errors.hpp"
#include "troupe/ids.hpp"

namespace troupe::actors {

/// The places (offsets) of one worker's data. Each entry exists from the time when a task gets its data until the task
/// ends. The worker's kernels look up places here and not in the memory manager, whose lock all workers share. A
/// replica that a request pins does not move, so the place that one task was granted is valid for all tasks that use
/// the data at that time. Thread-safe. In steady state, `grant` allocates no memory.
class alignas(64) GrantedPlaces {
 public:
  /// Adds the places of a task's data. `offset_of(handle)` returns the place that the memory manager has given the
  /// data.
  template <class OffsetOf>
  void grant(TaskId task, std::span<const memory::Use> uses, OffsetOf offset_of) {
    const LockGuard lock(lock_);
    for (const memory::Use& use : uses) {
      // The data that a halo part overlaps need not be on the node.
      if (!use.is_overlap()) places_.push_back({task, use.handle, offset_of(use.handle)});
    }
  }
  /// Removes the task's places. Does nothing if there are none.
  void end(TaskId task) {
    const LockGuard lock(lock_);
    std::erase_if(places_, [task](const Place& place) { return place.task == task; });
  }
  /// Returns the place of the data, which a task that has not ended uses; throws `Error` if no task was granted these
  /// data.
  [[nodiscard]] std::uint64_t offset(HandleId handle) const {
    const LockGuard lock(lock_);
    const auto found =
        std::find_if(places_.rbegin(), places_.rend(), [handle](const Place& place) { return place.handle == handle; });
    if (found == places_.rend())
      throw Error(ErrorCode::platform, "a kernel looks for data that its task was not granted");
    return found->offset;
  }

 private:
  struct Place {
    TaskId task;
    HandleId handle;
    std::uint64_t offset = 0;
  };

  mutable SpinLock lock_;
  /// The places of the data of the worker's present tasks, and of the few tasks whose data the worker has fetched
  /// ahead. So the list is short.
  std::vector<Place> places_ TROUPE_GUARDED_BY(lock_);
};

}  // namespace troupe::actors
