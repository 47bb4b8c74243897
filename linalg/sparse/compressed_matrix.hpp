/// A square sparse matrix, stored row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace troupe::linalg {

/// The largest order of a sparse matrix: its indices have 32 bits.
inline constexpr std::int64_t kLargestSparseOrder = 2147483647;

/// One element; row and column are counted from zero.
struct SparseEntry {
  std::int32_t row = 0;
  std::int32_t col = 0;
  double value = 0;
};

/// A sparse matrix. The stored elements are sorted by row, and in each row by column; each column occurs once. Elements
/// that are not stored are zero; a stored element may be zero, too.
struct CompressedMatrix {
  std::int64_t order = 0;
  /// `begin[i]` is the index in `cols` and `values` at which row i begins. The last entry is the index at which the
  /// last row ends.
  std::vector<std::int64_t> begin{0};
  std::vector<std::int32_t> cols;
  std::vector<double> values;

  [[nodiscard]] std::int64_t entries() const { return begin.back(); }
  [[nodiscard]] std::span<const std::int32_t> cols_of(std::int64_t row) const { return part(cols, row); }
  [[nodiscard]] std::span<const double> values_of(std::int64_t row) const { return part(values, row); }

 private:
  template <class U>
  [[nodiscard]] std::span<const U> part(const std::vector<U>& all, std::int64_t row) const {
    const auto at = static_cast<std::size_t>(row);
    return {all.data() + begin[at], static_cast<std::size_t>(begin[at + 1] - begin[at])};
  }
};

/// Returns the matrix with these elements; entries of the same element are added up. Every row and column must be below
/// `order`.
[[nodiscard]] CompressedMatrix compressed(std::int64_t order, std::vector<SparseEntry> entries);

/// Returns A x. `x` has as many numbers as the matrix has rows.
[[nodiscard]] std::vector<double> product(const CompressedMatrix& a, std::span<const double> x);

/// Returns the 1-norm: the largest sum of the absolute values in a column.
[[nodiscard]] double one_norm(const CompressedMatrix& a);

}  // namespace troupe::linalg
