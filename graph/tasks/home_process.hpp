/// The process that somebody's threads run in.
#pragma once

#include <atomic>
#include <cstdint>

#include "proto/errors.hpp"

namespace troupe::graph {

/// A member of what has threads: knows whether this process is still the one in which it was made. A child of `fork`
/// has a copy of the object, but none of its threads: whoever waited for them would wait for ever, and whoever took a
/// lock might find it taken by one of them. Thread-safe.
class HomeProcess {
 public:
  HomeProcess();

  [[nodiscard]] bool left() const;
  /// Fails with `stopped` where it has been left.
  [[nodiscard]] Result<void> check() const;
  /// True in every process in which an object of this class may have left its home: for whoever cannot afford more than
  /// this look.
  [[nodiscard]] static const std::atomic<bool>& any_left();

 private:
  std::uint64_t generation_;
};

}  // namespace troupe::graph
