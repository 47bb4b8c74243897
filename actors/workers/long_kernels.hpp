/// Which kernels of one user take long.
#pragma once

#include <map>
#include <string>

#include "proto/units.hpp"

namespace troupe::workers {

/// Learned from how long they took, by name, as sizes and arguments differ from task to task. Not thread-safe.
class LongKernels {
 public:
  /// Somebody else's small task may have to wait for so long at most.
  static constexpr Duration kLong = std::chrono::milliseconds(10);

  void note(const std::string& kernel, Duration took);
  [[nodiscard]] bool any() const { return !times_.empty(); }
  /// How long the kernel will probably take; zero: not long.
  [[nodiscard]] Duration expected(const std::string& kernel) const;

 private:
  std::map<std::string, Duration, std::less<>> times_;
};

}  // namespace troupe::workers
