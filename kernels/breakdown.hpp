/// The errors of factorizations that cannot continue, on cores and on GPUs.
#pragma once

#include <cstdint>

namespace troupe::kernels {

/// Throw `numerical`. `row` is counted from 1, in the whole matrix.
[[noreturn]] void not_positive_definite(std::int64_t row);
[[noreturn]] void singular(std::int64_t row);
/// Throws `numerical`. `column` is counted from 1, in the whole matrix. Use it for libraries whose result does not show
/// that the matrix had NaN.
[[noreturn]] void not_finite(std::int64_t column);
/// Throws `numerical`. Use it for libraries that report a NaN as a pivot of zero.
[[noreturn]] void singular_or_no_number(std::int64_t row);

}  // namespace troupe::kernels
