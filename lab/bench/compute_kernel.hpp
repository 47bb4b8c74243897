/// The work inside a task: only arithmetic, so that the rate of all cores together is known.
#pragma once

#include <cstdint>

namespace troupe::bench {

/// Runs `iterations` times 16 multiply-adds on registers, some nanoseconds each. Returns their result, so that no
/// compiler can leave them out. All runners link the same object file, and none may inline it.
double compute(std::int64_t iterations) noexcept;

/// Does nothing: the work of an empty task. It is a call that no compiler can see through, so that the task is not
/// dropped with its body.
void compute_nothing() noexcept;

/// Returns the iterations per second of `cores` threads together, started at once and never waiting for one another:
/// the rate that an ideal runtime would reach. The threads are bound, one per core that this process may use. Throws
/// std::system_error if threads cannot be started.
[[nodiscard]] double peak_iterations_per_second(int cores, double seconds);

}  // namespace troupe::bench
