/// Memory per task in flight, measured in the same way for all runtimes.
#pragma once

#include <cstdint>
#include <functional>

#include "lab/bench/parameters.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {

struct MemoryOptions {
  /// The number of tasks that wait behind the first one. Each has two accesses: it reads what the first one writes, and
  /// modifies one of 64 data.
  std::int64_t in_flight = 50'000;
  int cores = 1;
};
inline constexpr std::int64_t kMemorySlots = 64;

/// Reads the parameters `in_flight cores`.
[[nodiscard]] MemoryOptions memory_options(Parameters& parameters);

/// Return the resident memory of this process: the present amount, and the largest so far.
[[nodiscard]] std::int64_t resident_bytes();
[[nodiscard]] std::int64_t peak_resident_bytes();

/// Measures memory per task. `submit` puts `in_flight` tasks in flight, none of which can end. Figure:
/// `bytes_per_task`, the growth of resident memory.
[[nodiscard]] Json measure_in_flight(const MemoryOptions& options, const std::function<void()>& submit);

}  // namespace troupe::bench
