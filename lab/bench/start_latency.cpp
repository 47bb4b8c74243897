#include "lab/bench/start_latency.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include "lab/bench/runner.hpp"
#include "lab/bench/statistics.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

void spin_for(std::int64_t ns) {
  const std::int64_t until = now_ns() + ns;
  while (now_ns() < until) {
  }
}

double one_start(const std::function<void(StartTime&)>& submit, bool asleep) {
  StartTime started{0};
  const std::int64_t submitted = now_ns();
  submit(started);
  // The thread that the runtime wakes may have to run on this core, so this thread does not occupy the core.
  while (started.load() == 0) {
    if (asleep) {
      std::this_thread::sleep_for(microseconds(100));
    } else {
      std::this_thread::yield();
    }
  }
  return static_cast<double>(started.load() - submitted);
}

std::vector<double> starts(const std::function<void(StartTime&)>& submit, int samples, bool asleep) {
  std::vector<double> result;
  for (int i = 0; i < samples; ++i) {
    if (asleep) {
      std::this_thread::sleep_for(milliseconds(10));
    } else {
      spin_for(20'000);
    }
    result.push_back(one_start(submit, asleep));
  }
  return result;
}

}  // namespace

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

StartOptions start_options(Parameters& parameters) {
  StartOptions options;
  options.workers = std::max(1, cores_of(parameters) - 1);
  options.samples = static_cast<int>(parameters.integer("samples", options.samples, 1));
  const std::string state = parameters.text("state", "awake");
  options.asleep = state == "asleep";
  parameters.require_all_used();
  if (state != "awake" && state != "asleep") throw BadParameter("state=" + state + ": awake or asleep");
  return options;
}

Json latency_figures(std::vector<double> samples_ns) {
  std::sort(samples_ns.begin(), samples_ns.end());
  return {{"latency_us", 1e-3 * quantile(samples_ns, 0.5)},
          {"latency_p99_us", 1e-3 * quantile(samples_ns, 0.99)},
          {"samples", samples_ns.size()}};
}

Json measure_start(const StartOptions& options, const std::function<void(StartTime&)>& submit) {
  starts(submit, std::min(options.samples, 20), false);
  return latency_figures(starts(submit, options.samples, options.asleep));
}

}  // namespace troupe::bench
