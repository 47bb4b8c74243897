#include "linalg/sparse/compressed_matrix.hpp"

#include <algorithm>
#include <cmath>

namespace troupe::linalg {

CompressedMatrix compressed(std::int64_t order, std::vector<SparseEntry> entries) {
  // The sort must be stable, so that entries of the same element are added up in the order in which they were given.
  std::ranges::stable_sort(entries, [](const SparseEntry& a, const SparseEntry& b) {
    return a.row != b.row ? a.row < b.row : a.col < b.col;
  });
  CompressedMatrix a;
  a.order = order;
  a.begin.assign(static_cast<std::size_t>(order) + 1, 0);
  const SparseEntry* last = nullptr;
  for (const SparseEntry& entry : entries) {
    if (last != nullptr && last->row == entry.row && last->col == entry.col) {
      a.values.back() += entry.value;
    } else {
      a.cols.push_back(entry.col);
      a.values.push_back(entry.value);
      ++a.begin[static_cast<std::size_t>(entry.row) + 1];
    }
    last = &entry;
  }
  for (std::size_t row = 0; row < static_cast<std::size_t>(order); ++row) a.begin[row + 1] += a.begin[row];
  return a;
}

std::vector<double> product(const CompressedMatrix& a, std::span<const double> x) {
  std::vector<double> y(static_cast<std::size_t>(a.order));
  for (std::int64_t row = 0; row < a.order; ++row) {
    const auto cols = a.cols_of(row);
    const auto values = a.values_of(row);
    double sum = 0;
    for (std::size_t k = 0; k < cols.size(); ++k) sum += values[k] * x[static_cast<std::size_t>(cols[k])];
    y[static_cast<std::size_t>(row)] = sum;
  }
  return y;
}

double one_norm(const CompressedMatrix& a) {
  std::vector<double> sums(static_cast<std::size_t>(a.order));
  for (std::size_t k = 0; k < a.cols.size(); ++k) sums[static_cast<std::size_t>(a.cols[k])] += std::abs(a.values[k]);
  return sums.empty() ? 0 : *std::ranges::max_element(sums);
}

}  // namespace troupe::linalg
