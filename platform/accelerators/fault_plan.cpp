#include "platform/accelerators/fault_plan.hpp"

#include <cstdio>
#include <string>
#include <utility>

namespace troupe::platform {

Result<void> check(const FaultOptions& faults) {
  const std::pair<const char*, double> all[] = {
      {"copies", faults.copy}, {"kernels", faults.kernel}, {"allocations", faults.allocation}};
  for (const auto& [what, probability] : all) {
    if (probability >= 0 && probability <= 1) continue;
    char number[32];
    std::snprintf(number, sizeof number, "%g", probability);
    return Failure{ErrorCode::invalid_argument,
                   "the probability that " + std::string(what) + " fail must be between 0 and 1, not " + number};
  }
  return {};
}

}  // namespace troupe::platform
