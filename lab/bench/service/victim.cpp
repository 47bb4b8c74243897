#include "lab/bench/service/victim.hpp"

#include <algorithm>
#include <future>
#include <thread>
#include <vector>

#include "kernels/element_codelets.hpp"
#include "lab/bench/service/products.hpp"

namespace troupe::bench {

namespace {

using Clock = std::chrono::steady_clock;

std::vector<double> times_of_small_tasks_ms(const std::string& folder, Clock::time_point until) {
  Runtime runtime = Runtime::connect({.folder = folder, .name = "small tasks"});
  std::vector<double> times_ms;
  do {
    const auto start = Clock::now();
    runtime.submit(kernels::trial_codelets().nothing, {}).wait();
    times_ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  } while (Clock::now() < until);
  std::ranges::sort(times_ms);
  return times_ms;
}

}  // namespace

VictimFigures be_victim(const std::string& folder, std::chrono::duration<double> time) {
  const auto begin = Clock::now();
  Runtime runtime = Runtime::connect({.folder = folder, .name = "products"});
  Products products(runtime, kSmallOrder, kSmallIndependent);
  VictimFigures figures;
  const auto start = Clock::now();
  figures.start_s = seconds(start - begin);
  const auto until = start + std::chrono::round<Clock::duration>(time);
  auto small = std::async(std::launch::async, [&] { return times_of_small_tasks_ms(folder, until); });
  const std::int64_t tasks = products.run_until(until);
  runtime.wait();
  figures.tasks_per_s = static_cast<double>(tasks) / seconds(Clock::now() - start);
  const std::vector<double> times_ms = small.get();
  figures.median_ms = times_ms[times_ms.size() / 2];
  figures.p99_ms = times_ms[times_ms.size() * 99 / 100];
  return figures;
}

}  // namespace troupe::bench
