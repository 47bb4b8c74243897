/// Measures how fast this machine's cores can compute, to compare dense factorizations with.
#pragma once

#include <span>

namespace troupe::kernels {

/// Returns the GFlop/s of concurrent single-threaded matrix products C = A B of order `n`, one per entry of `pus`:
/// threads bound to these processing units (unbound for a negative number) start together, and each runs one product to
/// warm up and then `repetitions` products. The result is the sum of the rates of the threads. `T` is float or double.
/// The BLAS library is single-threaded meanwhile. Throws std::bad_alloc, std::system_error.
template <class T>
double measure_peak(std::span<const int> pus, int n = 2048, int repetitions = 3);

/// Returns the approximate speed of matrix products of doubles in the calling thread, in operations per second. This is
/// the best of a few short products, measured with the thread's processor time, so that other work on the machine has
/// little effect. Takes about ten milliseconds.
[[nodiscard]] double core_speed();

}  // namespace troupe::kernels
