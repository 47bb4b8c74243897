/// The header of a Matrix Market file: the lines before the numbers.
///
/// The format is described in R. F. Boisvert, R. Pozo, K. A. Remington, "The Matrix Market Exchange Formats: Initial
/// Design", NISTIR 5935.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe::linalg {

class LineReader;

enum class MatrixFormat { coordinate, array };
enum class MatrixField { real, integer };
enum class MatrixSymmetry { general, symmetric, skew_symmetric };

struct MatrixMarketHeader {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  /// The number of entries that the file stores. If the matrix is symmetric, the file stores only the lower triangle.
  std::int64_t entries = 0;
  MatrixFormat format = MatrixFormat::coordinate;
  MatrixField field = MatrixField::real;
  MatrixSymmetry symmetry = MatrixSymmetry::general;
  /// The number of the line that declares the size, for messages.
  std::int64_t size_line = 0;

  [[nodiscard]] bool square() const { return rows == cols; }
  /// Returns the size of the whole matrix if it is stored densely. Never overflows for a header that was read.
  [[nodiscard]] Bytes dense_bytes(std::size_t element_bytes) const {
    return {static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(cols) * element_bytes};
  }

  friend bool operator==(const MatrixMarketHeader&, const MatrixMarketHeader&) = default;
};

/// Reads only the first line and the size, so that the caller can refuse a matrix that is too large before memory is
/// allocated. Fails with `ErrorCode::io` if the file cannot be read, with `ErrorCode::bad_input` if it is no Matrix
/// Market file, has a form that cannot be used here (`pattern`, `complex`, `hermitian`), has no row or no column, has
/// more than 2^59 elements, or contradicts itself; the message names the file and the line and says what to do.
Result<MatrixMarketHeader> read_header(const std::string& path);

/// Reads the header of a file that was just opened. Afterwards the next line of `lines` has the first entry.
Result<MatrixMarketHeader> read_header(LineReader& lines);

}  // namespace troupe::linalg
