/// The errors for matrices that a factorization cannot go on with, on cores and on GPUs.
#pragma once

#include <cstdint>

namespace troupe::kernels {

/// Throw `numerical`. `row` is counted from 1, in the whole matrix.
[[noreturn]] void not_positive_definite(std::int64_t row);
[[noreturn]] void singular(std::int64_t row);
/// `column` is counted from 1, in the whole matrix. For libraries that lose NaN.
[[noreturn]] void not_finite(std::int64_t column);
/// For libraries that take a pivot that is not a number for zero.
[[noreturn]] void singular_or_no_number(std::int64_t row);

}  // namespace troupe::kernels
