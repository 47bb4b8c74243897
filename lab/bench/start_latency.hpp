/// The time that an idle runtime takes to start one task that the program submits.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "lab/bench/parameters.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {

/// Returns the nanoseconds of the steady clock.
[[nodiscard]] std::int64_t now_ns();

/// The time of a start, in `now_ns()`. The task sets it first of all.
using StartTime = std::atomic<std::int64_t>;

struct StartOptions {
  /// The number of threads that run tasks: all cores but the one that submits, which must not be delayed and must not
  /// disturb the others.
  int workers = 1;
  int samples = 200;
  /// The time until the next task is submitted. False (`awake`) means 20 us after the previous one, when idle threads
  /// usually still look for work; true (`asleep`) means 10 ms after it.
  bool asleep = false;
};

/// Reads the parameters `cores samples state=awake|asleep`.
[[nodiscard]] StartOptions start_options(Parameters& parameters);

/// Submits single tasks and waits for each without helping. Figures: `latency_us`, `latency_p99_us` (median and 99th
/// percentile), `samples`.
[[nodiscard]] Json measure_start(const StartOptions& options, const std::function<void(StartTime&)>& submit);

/// Returns the figures of samples in nanoseconds.
[[nodiscard]] Json latency_figures(std::vector<double> samples_ns);

}  // namespace troupe::bench
