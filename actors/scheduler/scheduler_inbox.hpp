/// What has happened since the scheduler looked.
#pragma once

#include <mutex>
#include <vector>

#include "actors/scheduler/scheduler_event.hpp"

namespace troupe::scheduler {

/// Where workers and the memory manager leave news for the scheduler. Thread-safe.
class SchedulerInbox {
 public:
  void post(const SchedulerEvent& event) {
    const std::lock_guard lock(mutex_);
    events_.push_back(event);
  }
  /// All events, oldest first, in place of what `events` held.
  void take(std::vector<SchedulerEvent>& events) {
    events.clear();
    const std::lock_guard lock(mutex_);
    events.swap(events_);
  }

 private:
  std::mutex mutex_;
  std::vector<SchedulerEvent> events_;  // guarded by mutex_
};

}  // namespace troupe::scheduler
