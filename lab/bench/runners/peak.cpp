/// A runner without a runtime. It measures the rates that the cores can reach, as a reference for all other runners.
#include <sched.h>

#include <array>
#include <vector>

#include "kernels/peak.hpp"
#include "lab/bench/compute_kernel.hpp"
#include "lab/bench/runners/cases.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {
namespace {

Json kernel_rate(Parameters& parameters) {
  const int cores = cores_of(parameters);
  const double seconds = parameters.number("seconds", 0.2);
  parameters.require_all_used();
  return {{"iterations_per_second", peak_iterations_per_second(cores, seconds)}, {"cores", cores}};
}

/// Returns the first `cores` processing units of those that this process may run on.
std::vector<int> processing_units(int cores) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  std::vector<int> units;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    for (int unit = 0; unit < CPU_SETSIZE && static_cast<int>(units.size()) < cores; ++unit) {
      if (CPU_ISSET(static_cast<unsigned>(unit), &allowed)) units.push_back(unit);
    }
  }
  constexpr int kUnbound = -1;
  units.resize(static_cast<std::size_t>(cores), kUnbound);
  return units;
}

/// Measures one single-threaded matrix product on each core, all at the same time, with `kernels::measure_peak`.
Json dgemm(Parameters& parameters) {
  constexpr int kLargest = 1 << 15;
  const int cores = cores_of(parameters);
  const std::int64_t n = parameters.integer("n", 2048, 1);
  parameters.require_all_used();
  if (n > kLargest) throw BadParameter("n: at most 32768");
  return {{"gflops", kernels::measure_peak<double>(processing_units(cores), static_cast<int>(n))}, {"cores", cores}};
}

}  // namespace
}  // namespace troupe::bench

int main(int argc, char** argv) {
  using namespace troupe::bench;
  constexpr std::array kCases{
      Case{"kernel", "cores= seconds=: iterations of the benchmark kernel per second", kernel_rate},
      Case{"dgemm", "n= cores=: GFlop/s of one matrix product per core", dgemm},
  };
  return run_cases(argc, argv, kCases);
}
