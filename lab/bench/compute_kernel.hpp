/// The work inside a task. It is only arithmetic, so that the rate that all cores can reach together is known.
#pragma once

#include <cstdint>

namespace troupe::bench {

/// Runs `iterations` times 16 multiply-adds on registers; one iteration takes a few nanoseconds. Returns their result,
/// so that no compiler can remove them. All runners link the same object file, and no compiler may inline this
/// function.
double compute(std::int64_t iterations) noexcept;

/// Does nothing: the work of an empty task. No compiler can look into the function, so no runtime's template can remove
/// the task together with its empty body.
void compute_nothing() noexcept;

/// Returns the total iterations per second of `cores` threads that start together and never wait for one another: the
/// rate that an ideal runtime would reach. The threads are bound, one per core that this process may use. Throws
/// std::system_error if threads cannot be started.
[[nodiscard]] double peak_iterations_per_second(int cores, double seconds);

}  // namespace troupe::bench
