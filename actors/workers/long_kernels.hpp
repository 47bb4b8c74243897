/// Long kernels: a record of the kernels of one user that take long.
#pragma once

#include <map>
#include <string>

#include "troupe/units.hpp"

namespace troupe::workers {

/// Learns the times of kernels by their names. The times are estimates, because sizes and arguments differ from task to
/// task. Not thread-safe.
class LongKernels {
 public:
  /// A kernel that takes at least this time is long. Another user's small task waits for at most this time behind
  /// kernels that are not long.
  static constexpr Duration kLong = std::chrono::milliseconds(10);

  void note(const std::string& kernel, Duration took);
  [[nodiscard]] bool any() const { return !times_.empty(); }
  /// Returns the time that the kernel will probably take; zero if the kernel is not known to be long.
  [[nodiscard]] Duration expected(const std::string& kernel) const;

 private:
  std::map<std::string, Duration, std::less<>> times_;
};

}  // namespace troupe::workers
