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
  /// True: nobody has been told since it was emptied, so whoever empties it has to be.
  bool post(Event event) {
    const LockGuard lock(mutex_);
    events_.push_back(std::move(event));
    return !std::exchange(told_, true);
  }
  /// The same for what can lie there until it is emptied for another reason; but while it is awaited, somebody is told.
  bool leave(Event event) {
    const LockGuard lock(mutex_);
    events_.push_back(std::move(event));
    return awaited_ && !std::exchange(told_, true);
  }
  /// From now on what is left is awaited, or not any more. Said by whoever empties it, who looks once more after
  /// `true`: what was left before lies there and nobody was told; of what is left later somebody is.
  void set_awaited(bool awaited) {
    const LockGuard lock(mutex_);
    awaited_ = awaited;
  }
  /// All events, oldest first, in place of what `events` held.
  void take(std::vector<Event>& events) {
    events.clear();
    const LockGuard lock(mutex_);
    events.swap(events_);
    told_ = false;
  }

 private:
  Mutex mutex_;
  std::vector<Event> events_ TROUPE_GUARDED_BY(mutex_);
  bool told_ TROUPE_GUARDED_BY(mutex_) = false;
  bool awaited_ TROUPE_GUARDED_BY(mutex_) = false;
};

}  // namespace troupe
