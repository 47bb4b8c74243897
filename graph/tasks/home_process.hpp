/// Tells whether the calling process is the process in which an object and its threads were made.
#pragma once

#include <atomic>
#include <cstdint>

#include "troupe/errors.hpp"

namespace troupe::graph {

/// A member of objects that have threads: knows whether this process is still the process that made it. A child of
/// `fork` has a copy of the object, but none of its threads: a wait for them would never end, and a lock might be held
/// by one of them for ever. Thread-safe.
class HomeProcess {
 public:
  HomeProcess();

  [[nodiscard]] bool left() const;
  /// Fails with `stopped` if this process is not the process in which the object was made, but a child that was made by
  /// `fork` later.
  [[nodiscard]] Result<void> check() const;
  /// Returns a flag that is true in every process that may be a child of a process in which an object of this class was
  /// made. The flag serves callers for which a call of `left` would take too long.
  [[nodiscard]] static const std::atomic<bool>& any_left();

 private:
  std::uint64_t generation_;
};

}  // namespace troupe::graph
