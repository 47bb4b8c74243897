/// Measures the time until cores work as one cluster, or as single cores again. The time begins at the end of the last
/// kernel in the old grouping.
#include <algorithm>
#include <atomic>
#include <vector>

#include "lab/bench/runners/cases.hpp"
#include "lab/bench/start_latency.hpp"
#include "lab/bench/statistics.hpp"
#include "proto/json/json.hpp"
#include "troupe/runtime.hpp"

namespace troupe::bench {
namespace {

/// Kernels that keep every worker busy for some time, and their measured times.
struct Round {
  std::atomic<int> running{0};
  std::atomic<std::int64_t> last_end{0};
  /// The time at which the first kernel with the wanted number of cores began.
  std::atomic<std::int64_t> first_begin{0};

  void ended(std::int64_t now) {
    std::int64_t seen = last_end;
    while (seen < now && !last_end.compare_exchange_weak(seen, now)) {
    }
  }
};

/// Returns the microseconds from the end of the last of `before` kernels to the beginning of the first kernel that runs
/// on `cores` cores. The new clusters are requested while the `before` kernels run.
double change(Runtime& runtime, const char* clusters, int before, int cores, std::int64_t kernel_ns) {
  Round round;
  const Codelet busy = Codelet("busy", {}).cpu_team([&](const KernelContext&) {
    ++round.running;
    const std::int64_t until = now_ns() + kernel_ns;
    while (now_ns() < until) {
    }
    round.ended(now_ns());
  });
  const Codelet look = Codelet("look", {}).cpu_team([&](const KernelContext& context) {
    std::int64_t none = 0;
    const std::int64_t now = now_ns();
    if (context.team().size() == cores) round.first_begin.compare_exchange_strong(none, now);
  });
  for (int i = 0; i < before; ++i) runtime.submit(busy, {});
  while (round.running < before) {
  }
  runtime.regroup(clusters);
  for (int i = 0; i < before; ++i) runtime.submit(look, {});
  runtime.wait();
  return round.first_begin == 0 ? -1 : static_cast<double>(round.first_begin - round.last_end) / 1e3;
}

}  // namespace

Json regroup(Parameters& parameters) {
  const int cores = cores_of(parameters);
  const std::int64_t rounds = parameters.integer("rounds", 200, 1);
  const std::int64_t kernel_us = parameters.integer("kernel_us", 1000, 1);
  RuntimeOptions options;
  options.policy = parameters.text("policy", "lws");
  parameters.require_all_used();
  if (cores < 2) throw BadParameter("cores: at least 2");
  options.cores = cores;
  options.threads.regroup = true;
  Runtime runtime(options);
  const std::string together = "1x" + std::to_string(cores);
  std::vector<double> joins;
  std::vector<double> parts;
  for (std::int64_t i = 0; i < rounds; ++i) {
    joins.push_back(change(runtime, together.c_str(), cores, cores, 1000 * kernel_us));
    parts.push_back(change(runtime, "single", 1, 1, 1000 * kernel_us));
  }
  const auto figures = [](std::vector<double> times) {
    const auto missed = static_cast<int>(std::erase(times, -1.0));
    if (times.empty()) return Json{{"missed", missed}};
    std::ranges::sort(times);
    return Json{{"median_us", median_of(times)}, {"p90_us", quantile(times, 0.9)}, {"missed", missed}};
  };
  return {{"together", figures(joins)}, {"apart", figures(parts)}, {"rounds", rounds}};
}

}  // namespace troupe::bench
