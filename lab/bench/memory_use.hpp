/// Memory per task in flight, measured in the same way for all runtimes.
#pragma once

#include <cstdint>
#include <functional>

#include "lab/bench/parameters.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {

struct MemoryOptions {
  /// The number of tasks that wait for the first task. Each task has two accesses: it reads the data that the first
  /// task writes, and modifies one of 64 data.
  std::int64_t in_flight = 50'000;
  int cores = 1;
};
inline constexpr std::int64_t kMemorySlots = 64;

/// Reads the parameters `in_flight cores`.
[[nodiscard]] MemoryOptions memory_options(Parameters& parameters);

/// Return the resident memory of this process: the current amount, and the largest amount so far.
[[nodiscard]] std::int64_t resident_bytes();
[[nodiscard]] std::int64_t peak_resident_bytes();

/// Measures memory per task. `submit` must submit `in_flight` tasks that cannot end before it returns. The figure
/// `bytes_per_task` is the growth of resident memory per task.
[[nodiscard]] Json measure_in_flight(const MemoryOptions& options, const std::function<void()>& submit);

}  // namespace troupe::bench
