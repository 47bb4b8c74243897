/// Matrices with gaps for tests of tile codelets, and simple operations on them.
#pragma once

#include <algorithm>
#include <boost/mpl/list.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "proto/random.hpp"
#include "tests/kernels/around.hpp"
#include "troupe/arguments.hpp"
#include "troupe/codelet.hpp"

namespace troupe::tests::tiles {

using tests::Around;
using tests::kAround;

/// A column-major matrix with gaps between its columns. Kernels must not change the gaps.
template <class T>
class TileMatrix {
 public:
  static constexpr std::int64_t kGap = 5;

  TileMatrix(std::int64_t rows, std::int64_t cols)
      : rows_(rows),
        cols_(cols),
        values_(static_cast<std::size_t>(ld() * std::max<std::int64_t>(cols, 1)), untouched()) {
    for (std::int64_t j = 0; j < cols; ++j) std::fill_n(&(*this)(0, j), rows, T{0});
  }
  static TileMatrix random(std::int64_t rows, std::int64_t cols, std::uint64_t seed) {
    TileMatrix result(rows, cols);
    Random source(seed);
    for (std::int64_t j = 0; j < cols; ++j) {
      for (std::int64_t i = 0; i < rows; ++i) result(i, j) = static_cast<T>(source.next() >> 11U) * T(0x1p-53) - T(0.5);
    }
    return result;
  }
  static TileMatrix identity(std::int64_t order) {
    TileMatrix result(order, order);
    for (std::int64_t i = 0; i < order; ++i) result(i, i) = 1;
    return result;
  }

  [[nodiscard]] std::int64_t rows() const { return rows_; }
  [[nodiscard]] std::int64_t cols() const { return cols_; }
  [[nodiscard]] std::int64_t ld() const { return rows_ + kGap; }
  T& operator()(std::int64_t i, std::int64_t j) { return values_[static_cast<std::size_t>(i + j * ld())]; }
  const T& operator()(std::int64_t i, std::int64_t j) const { return values_[static_cast<std::size_t>(i + j * ld())]; }
  [[nodiscard]] DataView view() {
    return {reinterpret_cast<std::byte*>(values_.data()), layout_of<T>(rows_, cols_, ld())};
  }
  [[nodiscard]] bool gaps_are_untouched() const {
    for (std::int64_t j = 0; j < cols_; ++j) {
      for (std::int64_t i = rows_; i < ld(); ++i) {
        if ((*this)(i, j) != untouched()) return false;
      }
    }
    return true;
  }

 private:
  static T untouched() { return T{-4321}; }

  std::int64_t rows_;
  std::int64_t cols_;
  std::vector<T> values_;
};

/// Predicates for the parts of a matrix that a kernel reads or writes. Each returns true if element (i, j) is in the
/// part.
inline bool everywhere(std::int64_t, std::int64_t) { return true; }
inline bool on_and_below(std::int64_t i, std::int64_t j) { return i >= j; }
inline bool on_and_above(std::int64_t i, std::int64_t j) { return i <= j; }

/// Returns `a` with zeros outside of `part`, and with ones on the diagonal if `unit` is true.
template <class T, class Part>
TileMatrix<T> part_of(const TileMatrix<T>& a, Part part, bool unit = false) {
  TileMatrix<T> result(a.rows(), a.cols());
  for (std::int64_t j = 0; j < a.cols(); ++j) {
    for (std::int64_t i = 0; i < a.rows(); ++i) {
      if (part(i, j)) result(i, j) = unit && i == j ? T{1} : a(i, j);
    }
  }
  return result;
}

template <class T>
TileMatrix<T> transposed(const TileMatrix<T>& a) {
  TileMatrix<T> result(a.cols(), a.rows());
  for (std::int64_t j = 0; j < a.cols(); ++j) {
    for (std::int64_t i = 0; i < a.rows(); ++i) result(j, i) = a(i, j);
  }
  return result;
}

template <class T>
TileMatrix<T> product(const TileMatrix<T>& a, const TileMatrix<T>& b) {
  TileMatrix<T> result(a.rows(), b.cols());
  for (std::int64_t j = 0; j < b.cols(); ++j) {
    for (std::int64_t k = 0; k < a.cols(); ++k) {
      for (std::int64_t i = 0; i < a.rows(); ++i) result(i, j) += a(i, k) * b(k, j);
    }
  }
  return result;
}

/// Returns a copy of `count` rows, beginning with row `first`.
template <class T>
TileMatrix<T> rows_from(const TileMatrix<T>& a, std::int64_t first, std::int64_t count) {
  TileMatrix<T> result(count, a.cols());
  for (std::int64_t j = 0; j < a.cols(); ++j) {
    for (std::int64_t i = 0; i < count; ++i) result(i, j) = a(first + i, j);
  }
  return result;
}

/// Returns true if the matrices are equal within `part`, except for rounding errors. The elements are near 1 and are
/// sums of about a hundred terms.
template <class T, class Part = bool (*)(std::int64_t, std::int64_t)>
bool same(const TileMatrix<T>& a, const TileMatrix<T>& b, Part part = everywhere) {
  const T tolerance = 2000 * std::numeric_limits<T>::epsilon();
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (std::int64_t j = 0; j < a.cols(); ++j) {
    for (std::int64_t i = 0; i < a.rows(); ++i) {
      if (part(i, j) && !(std::abs(a(i, j) - b(i, j)) <= tolerance * (1 + std::abs(b(i, j))))) return false;
    }
  }
  return true;
}

/// Returns true if all elements outside of `part` are equal in both matrices.
template <class T, class Part>
bool untouched_outside(const TileMatrix<T>& now, const TileMatrix<T>& before, Part part) {
  for (std::int64_t j = 0; j < now.cols(); ++j) {
    for (std::int64_t i = 0; i < now.rows(); ++i) {
      if (!part(i, j) && now(i, j) != before(i, j)) return false;
    }
  }
  return now.gaps_are_untouched();
}

inline DataView view(std::vector<int>& pivots) {
  const auto count = static_cast<std::int64_t>(pivots.size());
  return {reinterpret_cast<std::byte*>(pivots.data()), layout_of<int>(count, 1, std::max<std::int64_t>(count, 1))};
}

/// Runs the codelet as a worker would.
inline void run(const Codelet& codelet, const std::vector<DataView>& views, const Arguments& arguments = {}) {
  std::vector<const DataView*> pointers;
  for (const DataView& view : views) pointers.push_back(&view);
  const KernelContext context(pointers, arguments.view());
  codelet.definition().kernels[static_cast<int>(DeviceKind::cpu_core)](context);
  BOOST_TEST(codelet.definition().flops(context) >= 0);
}

/// Returns a well-conditioned matrix, which is diagonally dominant.
template <class T>
TileMatrix<T> dominant(std::int64_t order, std::uint64_t seed) {
  TileMatrix<T> result = TileMatrix<T>::random(order, order, seed);
  for (std::int64_t i = 0; i < order; ++i) result(i, i) += static_cast<T>(order);
  return result;
}

/// Returns a tall tile with `block` as its diagonal block and random elements above and below.
template <class T>
TileMatrix<T> tall(const TileMatrix<T>& block, const Around& around) {
  TileMatrix<T> result = TileMatrix<T>::random(around.above + block.rows() + around.below, block.cols(), 99);
  for (std::int64_t j = 0; j < block.cols(); ++j) {
    for (std::int64_t i = 0; i < block.rows(); ++i) result(around.above + i, j) = block(i, j);
  }
  return result;
}

/// The three parts of a tall tile: the rows above, in and below the diagonal block.
template <class T>
struct Rows {
  Rows(const TileMatrix<T>& a, std::int64_t order, const Around& around)
      : above(rows_from(a, 0, around.above)),
        block(rows_from(a, around.above, order)),
        below(rows_from(a, around.above + order, around.below)) {}
  TileMatrix<T> above;
  TileMatrix<T> block;
  TileMatrix<T> below;
};

inline constexpr std::int64_t kOrders[] = {1, 2, 3, 7, 16, 17, 31, 64, 65};

using Precisions = boost::mpl::list<float, double>;

}  // namespace troupe::tests::tiles
