#include "lab/bench/compute_kernel.hpp"

#include <pthread.h>
#include <sched.h>

#include <array>
#include <barrier>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

namespace troupe::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// Returns the processing unit number `index` of those that this process may use; -1 if there is none.
int allowed_unit(int index) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return -1;
  for (int unit = 0; unit < CPU_SETSIZE; ++unit) {
    if (CPU_ISSET(static_cast<unsigned>(unit), &allowed) && index-- == 0) return unit;
  }
  return -1;
}

void bind_to(int unit) {
  if (unit < 0) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<unsigned>(unit), &set);
  // If binding fails, the measurement is less precise, but not wrong.
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

/// Returns the iterations per second of one thread. Each call of `compute` is long, as in a task with a long kernel.
double rate_of_one(double seconds, std::barrier<>& together) {
  constexpr std::int64_t kLong = 100'000;
  volatile double sink = compute(kLong);
  together.arrive_and_wait();
  const auto begin = Clock::now();
  std::chrono::duration<double> elapsed{};
  std::int64_t iterations = 0;
  do {
    sink = sink + compute(kLong);
    iterations += kLong;
    elapsed = Clock::now() - begin;
  } while (elapsed.count() < seconds);
  // No thread stops before all have been measured: with free cores, the others could run faster.
  together.arrive_and_wait();
  return static_cast<double>(iterations) / elapsed.count();
}

}  // namespace

double compute(std::int64_t iterations) noexcept {
  // There are enough independent chains to hide the latency of an operation. The values approach 4/3, so slow denormal
  // numbers do not occur.
  alignas(64) std::array<double, 16> x{1.00, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06, 1.07,
                                       1.08, 1.09, 1.10, 1.11, 1.12, 1.13, 1.14, 1.15};
  for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
    for (double& value : x) value = value * 0.25 + 1.0;
  }
  // The sum is computed in halves instead of one by one, so that it takes no longer than a few iterations.
  for (std::size_t half = x.size() / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) x[i] += x[i + half];
  }
  return x[0];
}

void compute_nothing() noexcept {}

double peak_iterations_per_second(int cores, double seconds) {
  std::barrier<> together(cores);
  std::vector<double> rates(static_cast<std::size_t>(cores));
  std::vector<int> units;
  units.reserve(rates.size());
  for (int i = 0; i < cores; ++i) units.push_back(allowed_unit(i));
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < rates.size(); ++i) {
      threads.emplace_back([&, i] {
        bind_to(units[i]);
        rates[i] = rate_of_one(seconds, together);
      });
    }
  }
  return std::accumulate(rates.begin(), rates.end(), 0.0);
}

}  // namespace troupe::bench
