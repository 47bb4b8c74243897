/// An actor's inbox of events. The inbox stores the events; a message to the actor only says that there are some.
#pragma once

#include <utility>
#include <vector>

#include "proto/mutex.hpp"

namespace troupe {

/// An inbox belongs to the runtime and outlives the actor that empties it (its *reader*), so that no event is lost when
/// this actor dies. Thread-safe.
template <class Event>
class Inbox {
 public:
  /// Adds an event. Returns true if the caller must notify the reader, because nobody has been asked to do so since the
  /// last `take`.
  bool post(Event event) {
    const LockGuard lock(mutex_);
    events_.push_back(std::move(event));
    return !std::exchange(told_, true);
  }
  /// Adds an event that can wait until another event makes the reader empty the inbox. Returns true if the caller must
  /// notify the reader nevertheless, because the reader awaits such events (`set_awaited`).
  bool leave(Event event) {
    const LockGuard lock(mutex_);
    events_.push_back(std::move(event));
    return awaited_ && !std::exchange(told_, true);
  }
  /// Sets whether the reader is to be notified of events that `leave` adds from now on. Called by the reader. After a
  /// call with `true`, the reader has to empty the inbox once more, because `leave` may have added events before, of
  /// which nobody has notified the reader.
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
