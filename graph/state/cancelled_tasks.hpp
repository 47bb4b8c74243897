/// The tasks that the program has cancelled together.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "proto/mutex.hpp"

namespace troupe::graph {

/// The program has cancelled all tasks that had ids lower than `below` and had not begun. Thread-safe.
class CancelledTasks {
 public:
  /// `why` is the text of the failures of these tasks; after several calls, the last text counts.
  void cancel_below(std::uint64_t id, std::string why) {
    {
      const LockGuard lock(mutex_);
      why_ = std::move(why);
    }
    // The release store pairs with the acquire load in `below`, although that load needs only the number itself.
    below_.store(id, std::memory_order_release);
  }
  [[nodiscard]] std::uint64_t below() const noexcept { return below_.load(std::memory_order_acquire); }
  [[nodiscard]] std::string why() const {
    const LockGuard lock(mutex_);
    return why_;
  }

 private:
  std::atomic<std::uint64_t> below_{0};
  mutable Mutex mutex_;
  std::string why_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::graph
