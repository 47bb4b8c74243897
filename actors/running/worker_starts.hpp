/// Worker starts: waits until the workers of a runtime have started.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <utility>
#include <vector>

#include "proto/mutex.hpp"
#include "troupe/ids.hpp"

namespace troupe::actors {

/// The functions of this class may be called from any thread.
class WorkerStarts {
 public:
  explicit WorkerStarts(std::size_t workers) : bound_(workers) {}

  /// Called when the worker has started. `bound` says whether the worker's thread is bound to its core.
  void started(WorkerId worker, bool bound) {
    const LockGuard lock(mutex_);
    bound_[worker.index()] = bound;
    ++started_;
    changed_.notify_all();
  }
  /// Called if there will be fewer workers than planned; `why` is the reason.
  void failed(std::exception_ptr why) {
    const LockGuard lock(mutex_);
    failure_ = std::move(why);
    changed_.notify_all();
  }
  /// Returns when all workers have started, or immediately if `has_threads` is false. Throws the reason given to
  /// `failed`.
  void wait(bool has_threads) {
    UniqueLock lock(mutex_);
    changed_.wait(lock, [&]() TROUPE_REQUIRES(mutex_) {
      return failure_ != nullptr || started_ >= bound_.size() || !has_threads;
    });
    if (failure_) std::rethrow_exception(failure_);
  }
  [[nodiscard]] bool is_bound(std::size_t worker) const {
    const LockGuard lock(mutex_);
    return bound_[worker];
  }

 private:
  mutable Mutex mutex_;
  std::condition_variable changed_;
  std::vector<bool> bound_ TROUPE_GUARDED_BY(mutex_);
  std::size_t started_ TROUPE_GUARDED_BY(mutex_) = 0;
  std::exception_ptr failure_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::actors
