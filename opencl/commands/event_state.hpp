/// The state of a command, and the listeners for its changes.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "proto/mutex.hpp"

namespace troupe::opencl {

/// The state that an event object shows, by the standard's numbers: from CL_QUEUED down to CL_COMPLETE, or negative if
/// the command failed. The state never goes back. Thread-safe.
class EventState {
 public:
  using Listener = std::function<void(int status)>;

  /// The times at which a command reached its states, in nanoseconds of the host's steady clock; 0 for a state that it
  /// has not reached.
  struct Times {
    std::uint64_t queued = 0;
    std::uint64_t submitted = 0;
    std::uint64_t started = 0;
    std::uint64_t ended = 0;
  };

  /// Makes the state of a command that is queued now.
  EventState();
  /// `first` is the first status, which is CL_SUBMITTED for a user event.
  explicit EventState(int first);
  EventState(const EventState&) = delete;
  EventState& operator=(const EventState&) = delete;

  [[nodiscard]] int status() const { return status_.load(std::memory_order_acquire); }
  /// Returns true if the command is complete or has failed.
  [[nodiscard]] bool ended() const { return status() <= 0; }

  /// Moves to a later status and returns true; does nothing and returns false if that status or a later one was reached
  /// before. Calls the listeners that wait for the status, in the order of their registration. Listeners must be short
  /// and must not change this event.
  bool advance(int status);
  /// Ends the event as complete, or as failed with `status`. If `started` is not 0, it is the time at which the command
  /// began on its device.
  bool end(int status, std::uint64_t started = 0);

  /// Calls `listener` once when the status is `at` or later; inside this call if that is true now. The listener's
  /// argument is `at`, or the failure.
  void when(int at, Listener listener);
  /// Blocks until the command has ended, and returns the final status.
  int wait() const;

  [[nodiscard]] Times times() const;

  /// Returns the current time of the clock that `Times` uses.
  [[nodiscard]] static std::uint64_t now();

 private:
  struct Waiting {
    int at = 0;
    Listener listener;
  };

  bool advance(int status, std::uint64_t started);

  std::atomic<int> status_;
  /// The number of threads that wait for the end and may sleep.
  mutable std::atomic<int> sleepers_{0};
  mutable Mutex mutex_;
  Times times_ TROUPE_GUARDED_BY(mutex_);
  std::vector<Waiting> waiting_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::opencl
