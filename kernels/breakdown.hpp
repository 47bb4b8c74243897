/// The errors of factorizations that cannot continue, on cores and on GPUs.
#pragma once

#include <cstdint>

namespace troupe::kernels {

/// Both functions throw `numerical`. `row` is counted from 1, in the whole matrix.
[[noreturn]] void not_positive_definite(std::int64_t row);
[[noreturn]] void singular(std::int64_t row);
/// Throws `numerical`. `column` is counted from 1, in the whole matrix. Reports a NaN or an infinity in the matrix,
/// which some libraries for GPUs do not show in their result.
[[noreturn]] void not_finite(std::int64_t column);
/// Throws `numerical`; the message says that the pivot in `row` is zero or NaN. Used with libraries that report a NaN
/// as a pivot of zero.
[[noreturn]] void singular_or_no_number(std::int64_t row);

}  // namespace troupe::kernels
