/// Watchdog: reports when no task starts or ends for a long time.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <thread>

#include "proto/mutex.hpp"
#include "troupe/units.hpp"

namespace troupe::observation {

/// The values that the watchdog compares: a number that changes whenever a task starts or ends, and the number of tasks
/// in flight.
struct Pulse {
  std::uint64_t activity = 0;
  std::uint64_t in_flight = 0;

  friend bool operator==(const Pulse&, const Pulse&) = default;
};

/// The watchdog sleeps in a thread of its own, because any other thread of the runtime may be stuck. It compares the
/// pulse four times in the time `after` (at least once per second, at most once per millisecond).
///
/// | pulse                                  | then                                                                |
/// |----------------------------------------|---------------------------------------------------------------------|
/// | changed, or nothing in flight          | a stall, if there was one, is over; `after` counts from now         |
/// | the same for `after`                   | `stalled(quiet_for)`, once                                          |
/// | the same for twice the last quiet_for  | `stalled` again, and so on with growing intervals                   |
class Watchdog {
 public:
  struct Options {
    Duration after{};
    std::function<Pulse()> pulse;
    /// Called in the watchdog's thread. Exceptions of this function are dropped, because a report must not end a
    /// program.
    std::function<void(Duration quiet_for)> stalled;
  };

  /// Starts the thread.
  explicit Watchdog(Options options);
  /// Waits until the thread, and a call of `stalled` in progress, have ended.
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

 private:
  void watch();

  const Options options_;
  Mutex mutex_;
  std::condition_variable condition_;
  bool stopping_ TROUPE_GUARDED_BY(mutex_) = false;
  std::thread thread_;
};

/// Decides when to report. This is the watchdog without its thread.
class StallDetector {
 public:
  explicit StallDetector(Duration after) : after_(after) {}

  /// Compares `pulse` with the last pulse. `now` never decreases. If a stall should be reported now, returns the time
  /// for which nothing has happened; otherwise returns zero.
  [[nodiscard]] Duration beat(const Pulse& pulse, TimeStamp now);

 private:
  const Duration after_;
  Pulse last_;
  TimeStamp changed_{};
  Duration next_{};
  bool begun_ = false;
};

}  // namespace troupe::observation
