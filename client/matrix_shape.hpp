/// Checks of the shapes of matrices and volumes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "troupe/layout.hpp"

namespace troupe::client {

/// Throws `invalid_argument` for sizes that a column-major matrix in memory cannot have.
void check_matrix_shape(std::int64_t rows, std::int64_t cols, std::int64_t ld, std::size_t element_size);
/// Throws `invalid_argument` for a shape that a volume in memory cannot have.
void check_volume_shape(const VolumeShape& shape, std::size_t element_size);

}  // namespace troupe::client
