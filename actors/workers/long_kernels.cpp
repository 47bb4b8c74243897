#include "actors/workers/long_kernels.hpp"

#include <algorithm>

namespace troupe::workers {

void LongKernels::note(const std::string& kernel, Duration took) {
  const auto found = times_.find(kernel);
  if (found == times_.end()) {
    if (took >= kLong) times_.emplace(kernel, took);
    return;
  }
  // One short run among long runs says little about the kernel, so the expected time falls by at most a quarter.
  found->second = std::max(took, found->second / 4 * 3);
  if (found->second < kLong) times_.erase(found);
}

Duration LongKernels::expected(const std::string& kernel) const {
  const auto found = times_.find(kernel);
  return found != times_.end() ? found->second : Duration{};
}

}  // namespace troupe::workers
