/// Reads Matrix Market files into sparse matrices.
#pragma once

#include <string>

#include "linalg/sparse/compressed_matrix.hpp"
#include "troupe/errors.hpp"

namespace troupe::linalg {

/// Reads a square `coordinate` file, real or integer; general, symmetric or skew-symmetric. Both triangles of the
/// latter are stored. Entries that name the same element are added up. Takes memory for the entries alone, twice while
/// it reads.
///
/// `ErrorCode::bad_input` names the file and the line, as with `read_dense`, and says what to do. It covers what
/// `read_dense` refuses, and: a matrix that is not square, an `array` file, fewer elements than rows, an order of more
/// than 31 bits. `ErrorCode::out_of_memory` and `ErrorCode::io` as their names say.
[[nodiscard]] Result<CompressedMatrix> read_sparse(const std::string& path);

}  // namespace troupe::linalg
