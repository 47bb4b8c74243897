/// No runtime at all: what the cores can do, as the common reference of all runners.
#include <array>

#include "bench/compute_kernel.hpp"
#include "bench/runners/cases.hpp"

namespace troupe::bench {
namespace {

nlohmann::json kernel_rate(Parameters& parameters) {
  const int cores = cores_of(parameters);
  const double seconds = parameters.number("seconds", 0.2);
  parameters.require_all_used();
  return {{"iterations_per_second", peak_iterations_per_second(cores, seconds)}, {"cores", cores}};
}

}  // namespace
}  // namespace troupe::bench

int main(int argc, char** argv) {
  using namespace troupe::bench;
  constexpr std::array kCases{
      Case{"kernel", "cores= seconds=: iterations of the benchmark kernel per second", kernel_rate},
  };
  return run_cases(argc, argv, kCases);
}
