/// Small codelets on elements, for programs that compute with a service's own kernels.
#pragma once

#include "troupe/codelet.hpp"

namespace troupe::kernels {

/// Codelets for float or double, on cores. The comments list the handles in their order with their modes (r read, w
/// write, rw read and write), then the arguments by value. Data are matrices or vectors of equal shapes; the kernels
/// throw `invalid_argument` if shapes differ. A service knows the codelets as "copy/double" and so on.
template <class T>
struct ElementCodelets {
  Codelet copy;   ///< X r, Y w: Y <- X
  Codelet fill;   ///< X w; value (T): all elements <- value
  Codelet axpy;   ///< X r, Y rw; alpha (T): Y <- Y + alpha X
  Codelet scale;  ///< X rw; alpha (T): X <- alpha X
  Codelet dot;    ///< X r, Y r, S reduce, a scalar with the reduction "sum": S <- S + sum of X(i, j) Y(i, j)
};

/// Returns the codelets, built at first use.
template <class T>
const ElementCodelets<T>& element_codelets();

/// Codelets for trying a runtime or a service, on cores.
struct TrialCodelets {
  Codelet nothing;  ///< takes no data and does nothing: measures the cost of a task. A service knows it as "nothing"
  /// Argument ns (int64): sleeps for this many nanoseconds, at most `kLongestSleep_ns`, without using its core, so the
  /// length of a task can be chosen. Throws `invalid_argument` for other values. A service knows it as "sleep".
  Codelet sleep;
};
inline constexpr std::int64_t kLongestSleep_ns = 10'000'000'000;

const TrialCodelets& trial_codelets();

}  // namespace troupe::kernels
