/// Faults that a user wants to see emulated: which faults a device has, and when.
#pragma once

#include <cstdint>

#include "proto/mutex.hpp"
#include "proto/random.hpp"
#include "troupe/emulation_options.hpp"
#include "troupe/errors.hpp"

namespace troupe::platform {

/// Checks the probabilities. Fails with `invalid_argument` if a value is no probability; the message names the value.
[[nodiscard]] Result<void> check(const FaultOptions& faults);

/// The faults of one device. Each query draws the next random number; the sequence depends on the device's seed alone.
/// Thread-safe.
class FaultPlan {
 public:
  explicit FaultPlan(const FaultOptions& options) : options_(options), random_(options.seed) {}

  [[nodiscard]] bool copy_fails() { return happens(options_.copy); }
  [[nodiscard]] bool allocation_fails() { return happens(options_.allocation); }
  [[nodiscard]] bool kernel_fails() { return happens(options_.kernel); }
  /// Counts a kernel; called when the kernel begins. Returns true if the device is lost from now on.
  [[nodiscard]] bool lost() {
    if (options_.lost_after == 0) return false;
    const LockGuard lock(mutex_);
    return ++kernels_ > options_.lost_after;
  }

 private:
  bool happens(double probability) {
    if (probability <= 0) return false;
    const LockGuard lock(mutex_);
    return static_cast<double>(random_.next() >> 11U) * 0x1p-53 < probability;
  }

  const FaultOptions options_;
  Mutex mutex_;
  Random random_ TROUPE_GUARDED_BY(mutex_);
  std::uint64_t kernels_ TROUPE_GUARDED_BY(mutex_) = 0;
};

}  // namespace troupe::platform
