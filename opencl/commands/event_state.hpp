/// How far a command has come, and who wants to hear of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "proto/mutex.hpp"

namespace troupe::opencl {

/// What an event object shows: the standard's numbers, from CL_QUEUED down to CL_COMPLETE, negative where the command
/// failed. It never goes back. Thread-safe.
class EventState {
 public:
  using Listener = std::function<void(int status)>;

  /// When a command reached a state, in nanoseconds of the host's steady clock; 0: not yet.
  struct Times {
    std::uint64_t queued = 0;
    std::uint64_t submitted = 0;
    std::uint64_t started = 0;
    std::uint64_t ended = 0;
  };

  /// A command's: queued now.
  EventState();
  /// `first`: CL_SUBMITTED for a user event.
  explicit EventState(int first);
  EventState(const EventState&) = delete;
  EventState& operator=(const EventState&) = delete;

  [[nodiscard]] int status() const { return status_.load(std::memory_order_acquire); }
  /// Complete or failed.
  [[nodiscard]] bool ended() const { return status() <= 0; }

  /// A later status; nothing where it has been reached already. False then. Listeners that wait for it are called, in
  /// the order in which they came; they must be short and not change this event.
  bool advance(int status);
  /// Complete, or failed with `status`; the command had its device from `started` on, where that is not 0.
  bool end(int status, std::uint64_t started = 0);

  /// `listener` is called once when the status is `at` or later, in this call where it is already: with `at`, or with
  /// the failure.
  void when(int at, Listener listener);
  /// Blocks until the end; what it was.
  int wait() const;

  [[nodiscard]] Times times() const;

  /// The clock of `Times`.
  [[nodiscard]] static std::uint64_t now();

 private:
  struct Waiting {
    int at = 0;
    Listener listener;
  };

  bool advance(int status, std::uint64_t started);

  std::atomic<int> status_;
  /// Threads that wait for the end and may sleep.
  mutable std::atomic<int> sleepers_{0};
  mutable Mutex mutex_;
  Times times_ TROUPE_GUARDED_BY(mutex_);
  std::vector<Waiting> waiting_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::opencl
