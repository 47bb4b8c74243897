#include "actors/observation/watchdog.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "platform/machine/clock.hpp"

namespace troupe::observation {

Duration StallDetector::beat(const Pulse& pulse, TimeStamp now) {
  if (!begun_ || pulse != last_ || pulse.in_flight == 0) {
    begun_ = true;
    last_ = pulse;
    changed_ = now;
    next_ = after_;
    return {};
  }
  const Duration quiet = now - changed_;
  if (quiet < next_) return {};
  next_ = 2 * quiet;
  return quiet;
}

Watchdog::Watchdog(Options options) : options_(std::move(options)), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    const LockGuard lock(mutex_);
    stopping_ = true;
  }
  condition_.notify_all();
  thread_.join();
}

void Watchdog::watch() {
  const platform::SteadyClock clock;
  const Duration interval =
      std::clamp<Duration>(options_.after / 4, std::chrono::milliseconds(1), std::chrono::seconds(1));
  StallDetector detector(options_.after);
  UniqueLock lock(mutex_);
  while (!condition_.wait_for(lock, interval, [this]() TROUPE_REQUIRES(mutex_) { return stopping_; })) {
    lock.unlock();
    try {
      const Duration quiet = detector.beat(options_.pulse(), clock.now());
      if (quiet > Duration{}) options_.stalled(quiet);
    } catch (...) {  // NOLINT: see `Options::stalled`
    }
    lock.lock();
  }
}

}  // namespace troupe::observation
