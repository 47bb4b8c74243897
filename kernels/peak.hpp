/// Measures how fast this machine's cores can compute, as a yardstick for dense factorizations.
#pragma once

#include <span>

namespace troupe::kernels {

/// Measures concurrent matrix products C = A B of order `n`, in one thread for each entry of `pus`: the processing unit
/// to which the thread is bound, or a negative number for a thread that is not bound. The threads start together; each
/// runs one product to warm up and then `repetitions` products. Returns the sum of the threads' rates in GFlop/s. `T`
/// is float or double. The BLAS library is single-threaded meanwhile. Throws std::bad_alloc, std::system_error.
template <class T>
double measure_peak(std::span<const int> pus, int n = 2048, int repetitions = 3);

/// Returns the approximate speed of matrix products of doubles in the calling thread, in operations per second. This is
/// the best of a few short products, measured with the thread's processor time, so that other work on the machine has
/// little effect. Takes about ten milliseconds.
[[nodiscard]] double core_speed();

}  // namespace troupe::kernels
