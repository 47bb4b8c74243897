#include "linalg/sparse/sparse_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <utility>
#include <vector>

#include "linalg/files/entry_reader.hpp"
#include "linalg/files/line_reader.hpp"

namespace troupe::linalg {
namespace {

class SparseElements {
 public:
  [[nodiscard]] bool add(std::int64_t row, std::int64_t col, double value) {
    entries_.push_back({static_cast<std::int32_t>(row), static_cast<std::int32_t>(col), value});
    return true;
  }
  [[nodiscard]] std::vector<SparseEntry> take() { return std::move(entries_); }

 private:
  std::vector<SparseEntry> entries_;
};

/// Fails if the file is a correct Matrix Market file, but not a sparse system of equations that can be solved.
Result<void> check_sparse(const LineReader& lines, const MatrixMarketHeader& header) {
  if (header.format != MatrixFormat::coordinate) {
    return Failure{ErrorCode::bad_input,
                   fmt::format("'{}' is an 'array' file, which stores every element: treat it as a dense matrix, or "
                               "write it as a 'coordinate' file",
                               lines.path())};
  }
  if (!header.square()) {
    return Failure{ErrorCode::bad_input,
                   fmt::format("'{}': the matrix is {} x {}, but a system of equations needs as many equations as "
                               "unknowns: give a square matrix",
                               lines.path(), header.rows, header.cols)};
  }
  if (header.rows > kLargestSparseOrder) {
    return Failure{ErrorCode::bad_input, fmt::format("'{}': a sparse matrix may have {} rows at most, this one has {}",
                                                     lines.path(), kLargestSparseOrder, header.rows)};
  }
  // Check this before memory for so many rows is allocated. In a symmetric file, an entry may represent two elements.
  const std::int64_t elements = header.entries * (header.symmetry == MatrixSymmetry::general ? 1 : 2);
  if (elements < header.rows) {
    return Failure{ErrorCode::bad_input,
                   fmt::format("'{}': the matrix is singular: {} entries are too few for {} rows, some of which are "
                               "zero: remove these equations",
                               lines.path(), header.entries, header.rows)};
  }
  return {};
}

Result<CompressedMatrix> read_entries(LineReader& lines) {
  const auto header = read_header(lines);
  if (!header) return header.failure();
  if (const auto checked = check_sparse(lines, header.value()); !checked) return checked.failure();
  SparseElements elements;
  if (auto failure = EntryReader<double, SparseElements>(lines, header.value(), elements).read()) return *failure;
  CompressedMatrix matrix = compressed(header.value().rows, elements.take());
  const auto overflow = std::ranges::find_if(matrix.values, [](double value) { return !std::isfinite(value); });
  if (overflow != matrix.values.end()) {
    const auto at = overflow - matrix.values.begin();
    const auto row = std::ranges::upper_bound(matrix.begin, at) - matrix.begin.begin();
    return Failure{ErrorCode::bad_input, fmt::format("'{}': the sum of all entries ({}, {}) is too large", lines.path(),
                                                     row, matrix.cols[static_cast<std::size_t>(at)] + 1)};
  }
  return matrix;
}

}  // namespace

Result<CompressedMatrix> read_sparse(const std::string& path) {
  auto lines = LineReader::open(path);
  if (!lines) return lines.failure();
  try {
    return read_entries(lines.value());
  } catch (const std::exception&) {  // std::bad_alloc, or std::length_error of a vector
    return Failure{ErrorCode::out_of_memory, fmt::format("'{}': no memory for its entries", path)};
  }
}

}  // namespace troupe::linalg
