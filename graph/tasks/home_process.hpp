/// Tells whether the calling process is the process in which an object and its threads were made.
#pragma once

#include <atomic>
#include <cstdint>

#include "troupe/errors.hpp"

namespace troupe::graph {

/// A member of objects that have threads. It knows whether the calling process is the process that made the object. A
/// child of `fork` has a copy of the object, but none of its threads: a wait for these threads would never end, and one
/// of them might hold a lock for ever. Thread-safe.
class HomeProcess {
 public:
  HomeProcess();

  [[nodiscard]] bool left() const;
  /// Fails with `stopped` if this process is not the process in which the object was made, but a child that was made by
  /// `fork` later.
  [[nodiscard]] Result<void> check() const;
  /// Returns a flag that is true in every child of a process in which an object of this class was made. For callers to
  /// which a call of `left` would take too long: while the flag is false, `left` returns false.
  [[nodiscard]] static const std::atomic<bool>& any_left();

 private:
  std::uint64_t generation_;
};

}  // namespace troupe::graph
