/// Writes dense matrices as Matrix Market files.
#pragma once

#include <string>

#include "linalg/dense_matrix.hpp"
#include "troupe/errors.hpp"

namespace troupe::linalg {

/// Writes an `array real general` file, with enough digits to read back the same numbers. If writing fails, no file
/// appears. Fails with `ErrorCode::io`. `comment` may have several lines. `T` is float or double.
template <class T>
Result<void> write_array(const std::string& path, const DenseMatrix<T>& matrix, const std::string& comment = {});

extern template Result<void> write_array(const std::string&, const DenseMatrix<float>&, const std::string&);
extern template Result<void> write_array(const std::string&, const DenseMatrix<double>&, const std::string&);

}  // namespace troupe::linalg
