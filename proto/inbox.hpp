/// What an actor is told between its messages: messages say that something is there, it lies here.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

namespace troupe {

/// Belongs to the runtime and outlives the actor that empties it, so that nothing is lost when that dies. Thread-safe.
template <class Event>
class Inbox {
 public:
  /// True: it was empty, so whoever empties it has to be told.
  bool post(Event event) {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
    return events_.size() == 1;
  }
  /// All events, oldest first, in place of what `events` held.
  void take(std::vector<Event>& events) {
    events.clear();
    const std::lock_guard lock(mutex_);
    events.swap(events_);
  }

 private:
  std::mutex mutex_;
  std::vector<Event> events_;  // guarded by mutex_
};

}  // namespace troupe
