/// Reads Matrix Market files into dense matrices.
#pragma once

#include <string>

#include "linalg/dense_matrix.hpp"
#include "linalg/files/matrix_market_header.hpp"
#include "troupe/errors.hpp"

namespace troupe::linalg {

/// Reads the matrix in `path`. `header` is the result of `read_header`; the caller has checked that the matrix fits in
/// memory. `T` is float or double. Both triangles of a symmetric or skew-symmetric matrix are filled. Entries of a
/// coordinate file that name the same element are added up, as is customary.
///
/// Fails with `ErrorCode::bad_input`, which names the file and the line, for: an index out of range; an entry above the
/// diagonal of a symmetric file; NaN, infinity, or a value that does not fit in `T` or is no number; fewer or more
/// entries than declared; a header that differs from `header`. Also fails with `ErrorCode::out_of_memory` and
/// `ErrorCode::io`.
template <class T>
Result<DenseMatrix<T>> read_dense(const std::string& path, const MatrixMarketHeader& header);

/// Reads the header and then the matrix, of any size.
template <class T>
Result<DenseMatrix<T>> read_dense(const std::string& path);

extern template Result<DenseMatrix<float>> read_dense(const std::string&);
extern template Result<DenseMatrix<double>> read_dense(const std::string&);
extern template Result<DenseMatrix<float>> read_dense(const std::string&, const MatrixMarketHeader&);
extern template Result<DenseMatrix<double>> read_dense(const std::string&, const MatrixMarketHeader&);

}  // namespace troupe::linalg
