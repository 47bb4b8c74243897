#include "kernels/loops/narrow_panel.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "kernels/loops/instruction_sets.hpp"

namespace troupe::kernels {

namespace {

/// The number of rows of a strip. The rows of a strip are processed together, and are neighbours in the copy of B.
constexpr std::int64_t kStripRows = 64;

/// The work of one pass over the rows. Column `done` is multiplied by `factor` and becomes a reflector. A multiple of
/// the reflector (`times`) is subtracted from each later column. Then the products of column `done` + 1 with all
/// columns are computed.
template <class T>
struct Pass {
  std::int64_t strips = 0;
  std::int64_t cols = 0;
  std::int64_t done = -1;  // -1 before the first column
  T factor = 1;
  T times[kNarrowPanel] = {};
  T products[kNarrowPanel] = {};
};

template <class T>
[[gnu::always_inline]] inline void run_pass(Pass<T>& pass, T* x) {
  typedef T Pack __attribute__((vector_size(32), may_alias));  // NOLINT(modernize-use-using): depends on T
  constexpr int kLanes = 32 / static_cast<int>(sizeof(T));
  constexpr int kPacks = static_cast<int>(kStripRows) / kLanes;
  const std::int64_t next = pass.done + 1;
  Pack sums[kNarrowPanel] = {};
  for (std::int64_t s = 0; s < pass.strips; ++s, x += kStripRows * pass.cols) {
    Pack* const reflector = reinterpret_cast<Pack*>(x + std::max<std::int64_t>(pass.done, 0) * kStripRows);
    Pack* const wanted = reinterpret_cast<Pack*>(x + next * kStripRows);
    if (pass.done >= 0) {
      for (int p = 0; p < kPacks; ++p) reflector[p] *= pass.factor;
    }
    for (std::int64_t j = next; j < pass.cols; ++j) {
      Pack* const column = reinterpret_cast<Pack*>(x + j * kStripRows);
      const T times = pass.times[j];
      Pack even = sums[j];
      Pack odd = {};
      for (int p = 0; p < kPacks; p += 2) {
        const Pack first = column[p] - reflector[p] * times;
        const Pack second = column[p + 1] - reflector[p + 1] * times;
        column[p] = first;
        column[p + 1] = second;
        even += first * wanted[p];
        odd += second * wanted[p + 1];
      }
      sums[j] = even + odd;
    }
    if (next == pass.cols) continue;
    for (std::int64_t j = 0; j < next; ++j) {
      const Pack* const column = reinterpret_cast<const Pack*>(x + j * kStripRows);
      Pack even = sums[j];
      Pack odd = {};
      for (int p = 0; p < kPacks; p += 2) {
        even += column[p] * wanted[p];
        odd += column[p + 1] * wanted[p + 1];
      }
      sums[j] = even + odd;
    }
  }
  for (std::int64_t j = 0; j < pass.cols; ++j) {
    T sum = 0;
    for (int lane = 0; lane < kLanes; ++lane) sum += sums[j][lane];
    pass.products[j] = sum;
  }
}

TROUPE_PER_INSTRUCTION_SET void pass_over(Pass<double>& pass, double* x) { run_pass(pass, x); }
TROUPE_PER_INSTRUCTION_SET void pass_over(Pass<float>& pass, float* x) { run_pass(pass, x); }

/// Copies B to `x`, in strips: all columns of the first rows, then all columns of the next rows.
template <class T>
void copy_in(MatrixView<T> b, T* x) {
  for (std::int64_t first = 0; first < b.rows; first += kStripRows, x += kStripRows * b.cols) {
    const std::int64_t count = std::min(kStripRows, b.rows - first);
    for (std::int64_t j = 0; j < b.cols; ++j) {
      std::copy_n(b.data + first + j * b.ld, count, x + j * kStripRows);
      std::fill_n(x + j * kStripRows + count, kStripRows - count, T{0});
    }
  }
}
template <class T>
void copy_out(const T* x, MatrixView<T> b) {
  for (std::int64_t first = 0; first < b.rows; first += kStripRows, x += kStripRows * b.cols) {
    const std::int64_t count = std::min(kStripRows, b.rows - first);
    for (std::int64_t j = 0; j < b.cols; ++j) std::copy_n(x + j * kStripRows, count, b.data + first + j * b.ld);
  }
}

/// A column of [H; B] below its diagonal element, H's part first.
template <class T>
class Column {
 public:
  Column(MatrixView<T> head, T* x, std::int64_t strips, std::int64_t col, std::int64_t from_row)
      : head_(head), x_(x), strips_(strips), col_(col), from_row_(from_row) {}

  template <class F>
  void for_each(F visit) const {
    for (std::int64_t i = from_row_; i < head_.rows; ++i) visit(head_(i, col_));
    for (std::int64_t s = 0; s < strips_; ++s) {
      T* const part = x_ + (s * head_.cols + col_) * kStripRows;
      for (std::int64_t i = 0; i < kStripRows; ++i) visit(part[i]);
    }
  }
  /// Returns the product of the parts of this column and of another column that are in B.
  [[nodiscard]] T product_of_tails(std::int64_t other) const {
    T sum = 0;
    for (std::int64_t s = 0; s < strips_; ++s) {
      const T* const strip = x_ + s * head_.cols * kStripRows;
      for (std::int64_t i = 0; i < kStripRows; ++i) sum += strip[col_ * kStripRows + i] * strip[other * kStripRows + i];
    }
    return sum;
  }

 private:
  MatrixView<T> head_;
  T* x_;
  std::int64_t strips_;
  std::int64_t col_;
  std::int64_t from_row_;
};

template <class T>
struct Reflector {
  T beta = 0;
  T tau = 0;
  T factor = 1;  // the factor by which the column becomes the reflector
};

/// Returns the reflector for [alpha; x]. `squares`, the sum of the squares of x, must be between 1 / `kSafe` and
/// `kSafe`.
template <class T>
Reflector<T> reflector_of(T alpha, T squares) {
  const T beta = -std::copysign(std::hypot(alpha, std::sqrt(squares)), alpha);
  return {.beta = beta, .tau = (beta - alpha) / beta, .factor = T{1} / (alpha - beta)};
}

/// Returns the reflector for a column of any size, and overwrites the column with the reflector. Like LAPACK's larfg,
/// the function makes no reflector if x is zero.
template <class T>
Reflector<T> scaled_reflector_of(T alpha, const Column<T>& column) {
  T largest = 0;
  bool zero = true;
  column.for_each([&](T value) {
    largest = std::max(largest, std::abs(value));
    zero = zero && value == T{0};
  });
  if (zero) return {.beta = alpha};
  const T scale = std::max(largest, std::abs(alpha));
  T squares = 0;
  column.for_each([&](T& value) {
    value /= scale;
    squares += value * value;
  });
  Reflector<T> found = reflector_of(alpha / scale, squares);
  column.for_each([&](T& value) { value *= found.factor; });
  found.beta *= scale;
  found.factor = 1;
  return found;
}

/// Sums of squares from `1 / kSafe` to `kSafe` are safe: these sums, and products with other columns, do not lose
/// digits.
template <class T>
const T kSafe = std::ldexp(T{1}, std::numeric_limits<T>::max_exponent / 4);

}  // namespace

std::int64_t narrow_panel_work(std::int64_t rows_of_tail, std::int64_t cols) {
  return (rows_of_tail + kStripRows - 1) / kStripRows * kStripRows * cols;
}

template <class T>
void factor_narrow_panel(MatrixView<T> head, MatrixView<T> tail, bool stacked, MatrixView<T> t, T* work) {
  const std::int64_t n = head.cols;
  assert(head.rows == n && tail.cols == n && n <= kNarrowPanel && "shapes do not fit");
  Pass<T> pass;
  pass.strips = (tail.rows + kStripRows - 1) / kStripRows;
  pass.cols = n;
  copy_in(tail, work);
  for (std::int64_t j = 0; j < n; ++j) {
    pass_over(pass, work);
    T* const products = pass.products;
    const std::int64_t below = stacked ? n : j + 1;  // the rows of H that belong to the reflector
    const Column<T> column(head, work, pass.strips, j, below);
    T squares = products[j];
    for (std::int64_t i = below; i < n; ++i) squares += head(i, j) * head(i, j);
    const bool safe = squares >= 1 / kSafe<T> && squares <= kSafe<T> &&
                      std::all_of(products, products + n, [](T product) { return std::isfinite(product); });
    const Reflector<T> found = safe ? reflector_of(head(j, j), squares) : scaled_reflector_of(head(j, j), column);
    if (!safe) {
      for (std::int64_t k = 0; k < n; ++k) products[k] = column.product_of_tails(k);
    }
    for (std::int64_t i = below; i < n; ++i) head(i, j) *= found.factor;
    // Subtract multiples of the reflector from the later columns: in H here, in B in the next pass.
    for (std::int64_t k = j + 1; k < n; ++k) {
      T product = head(j, k) + found.factor * products[k];
      for (std::int64_t i = below; i < n; ++i) product += head(i, j) * head(i, k);
      const T times = found.tau * product;
      head(j, k) -= times;
      for (std::int64_t i = below; i < n; ++i) head(i, k) -= head(i, j) * times;
      pass.times[k] = times;
    }
    // Computes T's next column: -tau T V^T v.
    for (std::int64_t k = 0; k < j; ++k) {
      products[k] *= found.factor;
      if (!stacked) products[k] += head(j, k);
      for (std::int64_t i = below; i < n; ++i) products[k] += head(i, k) * head(i, j);
    }
    for (std::int64_t i = 0; i < j; ++i) {
      T sum = 0;
      for (std::int64_t k = i; k < j; ++k) sum += t(i, k) * products[k];
      t(i, j) = -found.tau * sum;
    }
    t(j, j) = found.tau;
    head(j, j) = found.beta;
    pass.done = j;
    pass.factor = found.factor;
  }
  pass_over(pass, work);
  copy_out<T>(work, tail);
}

template void factor_narrow_panel(MatrixView<float>, MatrixView<float>, bool, MatrixView<float>, float*);
template void factor_narrow_panel(MatrixView<double>, MatrixView<double>, bool, MatrixView<double>, double*);

}  // namespace troupe::kernels
