#include "linalg/files/matrix_market.hpp"

#include <fmt/format.h>

#include <cmath>
#include <new>

#include "linalg/files/entry_reader.hpp"
#include "linalg/files/line_reader.hpp"

namespace troupe::linalg {
namespace {

template <class T>
class DenseElements {
 public:
  explicit DenseElements(DenseMatrix<T>& matrix) : matrix_(matrix) {}
  [[nodiscard]] bool add(std::int64_t row, std::int64_t col, T value) {
    T& element = matrix_(row, col);
    element += value;
    return std::isfinite(element);
  }

 private:
  DenseMatrix<T>& matrix_;
};

template <class T>
Result<DenseMatrix<T>> allocate(const std::string& path, const MatrixMarketHeader& header) {
  try {
    return DenseMatrix<T>(header.rows, header.cols);
  } catch (const std::exception&) {  // std::bad_alloc, or std::length_error of the vector
    return Failure{ErrorCode::out_of_memory,
                   fmt::format("'{}': no memory for a dense matrix of {} x {} ({} bytes)", path, header.rows,
                               header.cols, header.dense_bytes(sizeof(T)).count)};
  }
}

}  // namespace

template <class T>
Result<DenseMatrix<T>> read_dense(const std::string& path, const MatrixMarketHeader& header) {
  auto lines = LineReader::open(path);
  if (!lines) return lines.failure();
  const auto found = read_header(lines.value());
  if (!found) return found.failure();
  if (found.value() != header) {
    return Failure{ErrorCode::bad_input, fmt::format("'{}' was changed while it was being read; try again", path)};
  }
  auto matrix = allocate<T>(path, header);
  if (!matrix) return matrix;
  DenseElements<T> elements(matrix.value());
  if (auto failure = EntryReader<T, DenseElements<T>>(lines.value(), header, elements).read()) return *failure;
  return matrix;
}

template <class T>
Result<DenseMatrix<T>> read_dense(const std::string& path) {
  const auto header = read_header(path);
  if (!header) return header.failure();
  return read_dense<T>(path, header.value());
}

template Result<DenseMatrix<float>> read_dense(const std::string&);
template Result<DenseMatrix<double>> read_dense(const std::string&);
template Result<DenseMatrix<float>> read_dense(const std::string&, const MatrixMarketHeader&);
template Result<DenseMatrix<double>> read_dense(const std::string&, const MatrixMarketHeader&);

}  // namespace troupe::linalg
