/// How long a runtime with nothing to do takes to start one task that the program submits.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

#include "bench/parameters.hpp"

namespace troupe::bench {

/// Nanoseconds of the steady clock.
[[nodiscard]] std::int64_t now_ns();

/// Set by the task to `now_ns()`, as the first thing that it does.
using StartTime = std::atomic<std::int64_t>;

struct StartOptions {
  /// Threads that run tasks: all cores but the one that submits, which must neither be kept waiting nor be in the way.
  int workers = 1;
  int samples = 200;
  /// When the next task is submitted. `awake`: 20 us after the one before, when idle threads usually still look for
  /// work; `asleep`: after 10 ms.
  bool asleep = false;
};

/// The parameters `cores samples state=awake|asleep`.
[[nodiscard]] StartOptions start_options(Parameters& parameters);

/// Submits single tasks and waits for each without helping. Figures: `latency_us`, `latency_p99_us` (median and 99th
/// percentile), `samples`.
[[nodiscard]] nlohmann::json measure_start(const StartOptions& options, const std::function<void(StartTime&)>& submit);

/// The figures of samples in nanoseconds.
[[nodiscard]] nlohmann::json latency_figures(std::vector<double> samples_ns);

}  // namespace troupe::bench
