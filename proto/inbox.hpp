/// What an actor is told between its messages: messages say that something is there, it lies here.
#pragma once

#include <utility>
#include <vector>

#include "proto/mutex.hpp"

namespace troupe {

/// Belongs to the runtime and outlives the actor that empties it, so that nothing is lost when that dies. Thread-safe.
template <class Event>
class Inbox {
 public:
  /// True: it was empty, so whoever empties it has to be told.
  bool post(Event event) {
    const LockGuard lock(mutex_);
    events_.push_back(std::move(event));
    return events_.size() == 1;
  }
  /// All events, oldest first, in place of what `events` held.
  void take(std::vector<Event>& events) {
    events.clear();
    const LockGuard lock(mutex_);
    events.swap(events_);
  }

 private:
  Mutex mutex_;
  std::vector<Event> events_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe
