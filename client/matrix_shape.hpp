/// A check of matrix shapes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace troupe::client {

/// Throws `invalid_argument` for sizes that a column-major matrix in memory cannot have.
void check_matrix_shape(std::int64_t rows, std::int64_t cols, std::int64_t ld, std::size_t element_size);

}  // namespace troupe::client
