/// Measures the time that an idle runtime takes to start one task that the program submits.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "lab/bench/parameters.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {

/// Returns the current time of the steady clock, in nanoseconds.
[[nodiscard]] std::int64_t now_ns();

/// The time at which a task started, in `now_ns()`. Storing it is the first thing that the task does.
using StartTime = std::atomic<std::int64_t>;

struct StartOptions {
  /// The number of threads that run tasks. One core is left for the submitting thread, so that it is not delayed and
  /// does not disturb the others.
  int workers = 1;
  int samples = 200;
  /// The time between two tasks. False (`awake`): the next task is submitted 20 us after the previous one, when idle
  /// threads usually still look for work. True (`asleep`): it is submitted 10 ms after the previous one.
  bool asleep = false;
};

/// Reads the parameters `cores samples state=awake|asleep`.
[[nodiscard]] StartOptions start_options(Parameters& parameters);

/// Submits single tasks, and waits for each without running tasks itself. Figures: `latency_us`, `latency_p99_us`
/// (median and 99th percentile), `samples`.
[[nodiscard]] Json measure_start(const StartOptions& options, const std::function<void(StartTime&)>& submit);

/// Computes the figures from samples in nanoseconds.
[[nodiscard]] Json latency_figures(std::vector<double> samples_ns);

}  // namespace troupe::bench
