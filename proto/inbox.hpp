/// An actor's inbox of events. The events are stored here, and a message to the actor only says that the inbox has
/// events.
#pragma once

#include <utility>
#include <vector>

#include "proto/mutex.hpp"

namespace troupe {

/// An inbox belongs to the runtime and outlives the actor that empties it, so that nothing is lost when that actor
/// dies. Thread-safe.
template <class Event>
class Inbox {
 public:
  /// Adds an event. Returns true if the caller must notify the reader, because nobody has done so since the last
  /// `take`.
  bool post(Event event) {
    const LockGuard lock(mutex_);
    events_.push_back(std::move(event));
    return !std::exchange(told_, true);
  }
  /// Adds an event that can wait until the inbox is emptied for another reason. Returns true if the caller must notify
  /// the reader, which happens only if the reader awaits such events.
  bool leave(Event event) {
    const LockGuard lock(mutex_);
    events_.push_back(std::move(event));
    return awaited_ && !std::exchange(told_, true);
  }
  /// Sets whether the reader awaits events that `leave` adds from now on. Called by the reader. After `true`, the
  /// reader has to empty the inbox once more, because nobody notified it of events that were added before.
  void set_awaited(bool awaited) {
    const LockGuard lock(mutex_);
    awaited_ = awaited;
  }
  /// Moves all events to `events`, oldest first, and drops the previous content of `events`.
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
