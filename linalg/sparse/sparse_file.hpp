/// Reads Matrix Market files into sparse matrices.
#pragma once

#include <string>

#include "linalg/sparse/compressed_matrix.hpp"
#include "troupe/errors.hpp"

namespace troupe::linalg {

/// Reads a square `coordinate` file, real or integer; general, symmetric or skew-symmetric. The result has both
/// triangles of symmetric and skew-symmetric matrices. Entries of the same element are added up. The result needs
/// memory only for the entries; the function needs twice as much while it reads.
///
/// Fails with `ErrorCode::bad_input`, which names the file and the line, like `read_dense`, and says what to do. The
/// reasons are those of `read_dense` and these: a matrix that is not square, an `array` file, fewer elements than rows,
/// an order of more than 31 bits. Also fails with `ErrorCode::out_of_memory` and `ErrorCode::io`.
[[nodiscard]] Result<CompressedMatrix> read_sparse(const std::string& path);

}  // namespace troupe::linalg
