/// Cholesky's factorization by recursive halves, with recursive solutions and products: long chains of short tasks.
#pragma once

#include <cstdint>
#include <vector>

#include "lab/bench/recursion/matrix_parts.hpp"
#include "lab/bench/recursion/recursion_case.hpp"

namespace troupe::bench {

/// Factorizes a matrix with `n` rows. Parts with at most `cutoff` rows and columns are computed by loops.
class RecursiveCholesky {
 public:
  explicit RecursiveCholesky(const RecursionCase& options);

  void prepare() { a_ = original_; }
  template <class Tasks>
  void run(Tasks& tasks) {
    factorize(tasks, n_, {a_.data(), n_});
  }
  void check() const;
  [[nodiscard]] std::uint64_t checksum() const { return checksum_of(lower()); }

 private:
  /// Returns the factor with zeros above the diagonal.
  [[nodiscard]] std::vector<double> lower() const;

  template <class Tasks>
  void factorize(Tasks& tasks, std::int64_t n, MatrixPart a) const {
    if (n <= cutoff_) return factorize_part(n, a);
    const std::int64_t half = n / 2;
    factorize(tasks, half, a);
    solve(tasks, n - half, half, a, a.at(half, 0));
    subtract(tasks, n - half, half, a.at(half, 0), a.at(half, half));
    factorize(tasks, n - half, a.at(half, half));
  }

  /// Solves X L^T = B, as `solve_triangular` does.
  template <class Tasks>
  void solve(Tasks& tasks, std::int64_t m, std::int64_t n, MatrixPart l, MatrixPart b) const {
    if (m > cutoff_ && m >= n) {
      const std::int64_t half = m / 2;
      typename Tasks::Group group(tasks);
      group.run([this, &tasks, half, n, l, b] { solve(tasks, half, n, l, b); });
      solve(tasks, m - half, n, l, b.at(half, 0));
      return group.wait();
    }
    if (n <= cutoff_) return solve_triangular(m, n, l, b);
    const std::int64_t half = n / 2;
    solve(tasks, m, half, l, b);
    subtract(tasks, {m, n - half, half}, b, l.at(half, 0), b.at(0, half));
    solve(tasks, m, n - half, l.at(half, half), b.at(0, half));
  }

  /// Subtracts A A^T from C, as `subtract_square` does.
  template <class Tasks>
  void subtract(Tasks& tasks, std::int64_t n, std::int64_t k, MatrixPart a, MatrixPart c) const {
    if (n <= cutoff_) return subtract_square(n, k, a, c);
    const std::int64_t half = n / 2;
    typename Tasks::Group group(tasks);
    group.run([this, &tasks, n, half, k, a, c] {
      subtract(tasks, {n - half, half, k}, a.at(half, 0), a, c.at(half, 0));
    });
    group.run([this, &tasks, half, k, a, c] { subtract(tasks, half, k, a, c); });
    subtract(tasks, n - half, k, a.at(half, 0), c.at(half, half));
    group.wait();
  }

  /// Subtracts A B^T from C, as `subtract_transposed` does.
  template <class Tasks>
  void subtract(Tasks& tasks, const ProductSize& size, MatrixPart a, MatrixPart b, MatrixPart c) const {
    const auto [m, n, k] = size;
    if (m <= cutoff_ && n <= cutoff_) return subtract_transposed(size, a, b, c);
    typename Tasks::Group group(tasks);
    if (m >= n) {
      const std::int64_t half = m / 2;
      const ProductSize upper{half, n, k};
      group.run([this, &tasks, upper, a, b, c] { subtract(tasks, upper, a, b, c); });
      subtract(tasks, {m - half, n, k}, a.at(half, 0), b, c.at(half, 0));
    } else {
      const std::int64_t half = n / 2;
      const ProductSize left{m, half, k};
      group.run([this, &tasks, left, a, b, c] { subtract(tasks, left, a, b, c); });
      subtract(tasks, {m, n - half, k}, a, b.at(half, 0), c.at(0, half));
    }
    group.wait();
  }

  std::int64_t n_ = 0;
  std::int64_t cutoff_ = 0;
  std::vector<double> original_;
  std::vector<double> a_;
};

}  // namespace troupe::bench
