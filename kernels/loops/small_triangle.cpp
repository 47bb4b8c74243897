#include "kernels/loops/small_triangle.hpp"

#include <algorithm>
#include <cassert>

#include "kernels/loops/instruction_sets.hpp"

namespace troupe::kernels {

namespace {

/// The number of right-hand sides that are copied together.
constexpr std::int64_t kStrip = 64;

/// The triangle of a system of equations, with the unknowns numbered in the order in which substitution computes them.
template <class T>
struct System {
  std::int64_t order = 0;
  bool forward = true;  // true: unknown j is the j-th row (column) of B; false: the j-th from the end
  T reciprocal[kSmallTriangle];
  T values[kSmallTriangle * kSmallTriangle];  // [i + j * kSmallTriangle], i < j: the factor of unknown i in equation j

  [[nodiscard]] std::int64_t index(std::int64_t unknown) const { return forward ? unknown : order - 1 - unknown; }
};

template <class T>
void read_system(bool left, bool lower, bool transposed, bool unit_diagonal, MatrixView<const T> a, System<T>& system) {
  system.order = a.cols;
  system.forward = (lower != transposed) == left;
  const bool by_rows = left != transposed;  // true: equation j is row j of A; false: column j
  for (std::int64_t j = 0; j < a.cols; ++j) {
    const std::int64_t equation = system.index(j);
    system.reciprocal[j] = unit_diagonal ? T{1} : T{1} / a(equation, equation);
    for (std::int64_t i = 0; i < j; ++i) {
      const std::int64_t unknown = system.index(i);
      system.values[i + j * kSmallTriangle] = by_rows ? a(equation, unknown) : a(unknown, equation);
    }
  }
}

/// Solves in place: `x[s + j * kStrip]` is right-hand side s of equation j, and becomes unknown j of solution s.
template <class T>
[[gnu::always_inline]] inline void substitute(const System<T>& system, T* x) {
  typedef T Pack __attribute__((vector_size(32), may_alias));  // NOLINT(modernize-use-using): depends on T
  constexpr int kLanes = 32 / static_cast<int>(sizeof(T));
  constexpr int kPacks = static_cast<int>(kStrip) / kLanes;
  // Eight sums hide the latency of the products, and fit into sixteen registers. Vectors of 64 bytes, which the
  // compiler must split for AVX2, were three times as slow on processors with AVX2.
  constexpr int kTogether = 8;
  for (int first = 0; first < kPacks; first += kTogether) {
    for (std::int64_t j = 0; j < system.order; ++j) {
      const T* const coefficients = system.values + j * kSmallTriangle;
      Pack* const own = reinterpret_cast<Pack*>(x + j * kStrip) + first;
      Pack sum[kTogether];
      for (int p = 0; p < kTogether; ++p) sum[p] = own[p];
      for (std::int64_t i = 0; i < j; ++i) {
        const Pack* const known = reinterpret_cast<const Pack*>(x + i * kStrip) + first;
        for (int p = 0; p < kTogether; ++p) sum[p] -= known[p] * coefficients[i];
      }
      for (int p = 0; p < kTogether; ++p) own[p] = sum[p] * system.reciprocal[j];
    }
  }
}

TROUPE_PER_INSTRUCTION_SET void substitute_strip(const System<double>& system, double* x) { substitute(system, x); }
TROUPE_PER_INSTRUCTION_SET void substitute_strip(const System<float>& system, float* x) { substitute(system, x); }

/// Copies `count` right-hand sides of B, from `first` on, to `x`, or from `x` to B if `to_b` is true.
template <class T>
void copy_strip(bool left, bool to_b, const System<T>& system, MatrixView<T> b, std::int64_t first, std::int64_t count,
                T* x) {
  const auto copy = [to_b](T& in_b, T& in_x) { to_b ? in_b = in_x : in_x = in_b; };
  if (left) {
    for (std::int64_t s = 0; s < count; ++s) {
      for (std::int64_t j = 0; j < system.order; ++j) copy(b(system.index(j), first + s), x[s + j * kStrip]);
    }
  } else {
    for (std::int64_t j = 0; j < system.order; ++j) {
      for (std::int64_t s = 0; s < count; ++s) copy(b(first + s, system.index(j)), x[s + j * kStrip]);
    }
  }
}

}  // namespace

template <class T>
void solve_small_triangle(char side, char uplo, char trans, char diag, MatrixView<const T> a, MatrixView<T> b) {
  const bool left = side == 'L';
  assert(a.rows == a.cols && a.cols == (left ? b.rows : b.cols) && a.cols <= kSmallTriangle && "shapes do not fit");
  System<T> system;
  read_system(left, uplo == 'L', trans != 'N', diag == 'U', a, system);
  // Work on copies of the right-hand sides, because columns of B at a distance of a multiple of 4096 bytes would evict
  // one another from the cache.
  alignas(64) T x[kSmallTriangle * kStrip] = {};
  const std::int64_t right_hand_sides = left ? b.cols : b.rows;
  for (std::int64_t first = 0; first < right_hand_sides; first += kStrip) {
    const std::int64_t count = std::min(kStrip, right_hand_sides - first);
    copy_strip(left, false, system, b, first, count, x);
    substitute_strip(system, x);
    copy_strip(left, true, system, b, first, count, x);
  }
}

template void solve_small_triangle(char, char, char, char, MatrixView<const float>, MatrixView<float>);
template void solve_small_triangle(char, char, char, char, MatrixView<const double>, MatrixView<double>);

}  // namespace troupe::kernels
