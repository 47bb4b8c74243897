/// The number of launches that could run at the same time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>

#include "proto/mutex.hpp"

namespace troupe::opencl {

/// Counts the launches that have not ended, by their depth. The depth of a launch is one more than the depth of the
/// deepest launch on which its data depend. Launches of equal depth could run at the same time. Thread-safe.
class ParallelWidth {
 public:
  struct Place {
    std::uint64_t depth = 0;
    /// The number of launches of the same depth that have not ended.
    std::size_t beside = 0;
  };

  /// Adds a launch. `follows` is the depth of the deepest launch, ended or not, on which this launch depends; 0 if
  /// there is none.
  [[nodiscard]] Place begin(std::uint64_t follows) {
    const LockGuard lock(mutex_);
    // A launch that depends on no running launch could run now, together with the running launches of the smallest
    // depth.
    const std::uint64_t depth = running_.empty() ? follows + 1 : std::max(follows + 1, running_.begin()->first);
    return {depth, running_[depth]++};
  }
  void end(std::uint64_t depth) {
    const LockGuard lock(mutex_);
    const auto found = running_.find(depth);
    if (--found->second == 0) running_.erase(found);
  }

 private:
  Mutex mutex_;
  std::map<std::uint64_t, std::size_t> running_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::opencl
