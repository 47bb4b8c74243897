/// Measures how fast this machine's cores can compute, as a measure for dense factorizations.
#pragma once

#include <span>

namespace troupe::kernels {

/// Returns the GFlop/s of concurrent single-threaded matrix products C = A B of order `n`, one per entry of `pus`:
/// threads bound to these processing units (a negative one: unbound) start together and each runs `repetitions`
/// products after one to warm up. The result is the sum of the threads' own rates. `T` is float or double. The BLAS
/// library is single-threaded meanwhile. Throws std::bad_alloc, std::system_error.
template <class T>
double measure_peak(std::span<const int> pus, int n = 2048, int repetitions = 3);

/// Returns about how many operations per second a matrix product of doubles does in the calling thread: the best of a
/// few short products, by the thread's processor time, so that other work on the machine matters little. Takes some ten
/// milliseconds.
[[nodiscard]] double core_speed();

}  // namespace troupe::kernels
