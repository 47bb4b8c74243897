#include "tests/support/random/random_faults.hpp"

#include <fmt/format.h>

#include <array>

#include "tests/support/drawing.hpp"

namespace troupe::tests {

platform::FaultOptions random_faults(Random& random, std::uint64_t seed) {
  constexpr std::array<double, 4> kOften{0.001, 0.005, 0.02, 0.2};
  platform::FaultOptions faults;
  faults.seed = seed * 1000;
  if (chance(random, 50)) faults.copy = pick(random, kOften);
  if (chance(random, 35)) faults.kernel = pick(random, kOften);
  if (chance(random, 35)) faults.allocation = pick(random, kOften);
  if (chance(random, 30)) faults.lost_after = 1 + random.below(chance(random, 50) ? 5 : 60);
  return faults;
}

std::string describe(const platform::FaultOptions& faults) {
  if (!faults.any()) return {};
  return fmt::format(", faults: copies {} kernels {} allocations {} lost after {}", faults.copy, faults.kernel,
                     faults.allocation, faults.lost_after);
}

}  // namespace troupe::tests
