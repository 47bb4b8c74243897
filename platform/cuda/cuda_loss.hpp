/// Tracks whether a GPU still works.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "proto/mutex.hpp"
#include "troupe/errors.hpp"

namespace troupe::platform {

/// The state of one device, shared by several threads. Thread-safe.
class CudaLoss {
 public:
  [[nodiscard]] bool lost() const { return lost_.load(std::memory_order_acquire); }
  /// Returns the reason of the loss; may be called only if the device is lost.
  [[nodiscard]] const Failure& why() const { return why_; }

  /// Reports a loss; only the first report counts.
  void report(const Failure& why) {
    std::function<void(const Failure&)> callback;
    {
      const LockGuard lock(mutex_);
      if (lost()) return;
      why_ = why;
      // The release store publishes `why_`, which is never written again, to threads that load the flag with acquire.
      lost_.store(true, std::memory_order_release);
      callback = std::exchange(callback_, nullptr);
    }
    if (callback) callback(why_);
  }

  /// Registers the callback, see `CudaAccelerator::on_lost`.
  void on_lost(std::function<void(const Failure&)> callback) {
    {
      const LockGuard lock(mutex_);
      if (!lost()) {
        callback_ = std::move(callback);
        return;
      }
    }
    callback(why_);
  }

 private:
  Mutex mutex_;
  std::atomic<bool> lost_{false};
  Failure why_;  // Guarded by `mutex_` until `lost_` is true.
  std::function<void(const Failure&)> callback_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::platform
