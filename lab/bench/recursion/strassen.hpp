/// Strassen's product of square matrices: seven tasks at a time, which write memory of their own.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "lab/bench/recursion/matrix_parts.hpp"
#include "lab/bench/recursion/recursion_case.hpp"

namespace troupe::bench {

/// Multiplies matrices with `n` rows. Parts with at most `cutoff` rows, or with an odd number, are multiplied by loops.
/// The memory of sums and products is allocated once.
class Strassen {
 public:
  explicit Strassen(const RecursionCase& options);

  void prepare();
  template <class Tasks>
  void run(Tasks& tasks) {
    product(tasks, n_, {a_.data(), n_}, {b_.data(), n_}, {c_.data(), n_}, memory_.data());
  }
  void check() const;
  [[nodiscard]] std::uint64_t checksum() const { return checksum_of(c_); }

 private:
  static constexpr int kProducts = 7;

  [[nodiscard]] bool is_leaf(std::int64_t n) const { return n <= cutoff_ || n % 2 != 0; }
  /// Returns how many numbers a product of this size needs in `memory_`.
  [[nodiscard]] std::int64_t memory_for(std::int64_t n) const;
  /// Writes the two factors of product `index`, of parts with `half` rows: a sum in `memory` or a part itself.
  static void make_factors(int index, std::int64_t half, MatrixPart& a, MatrixPart& b, double* memory);
  /// Writes C from the seven products.
  static void combine(std::int64_t half, const std::array<MatrixPart, kProducts>& products, MatrixPart c);

  template <class Tasks>
  void product(Tasks& tasks, std::int64_t n, MatrixPart a, MatrixPart b, MatrixPart c, double* memory) const {
    if (is_leaf(n)) return multiply({n, n, n}, a, b, c);
    const std::int64_t half = n / 2;
    const std::int64_t square = half * half;
    const std::int64_t step = 3 * square + memory_for(half);
    std::array<MatrixPart, kProducts> products;
    typename Tasks::Group group(tasks);
    for (int index = 0; index < kProducts; ++index) {
      double* const own = memory + index * step;
      products[static_cast<std::size_t>(index)] = {own, half};
      const auto one = [this, &tasks, index, half, square, a, b, own] {
        MatrixPart left = a;
        MatrixPart right = b;
        make_factors(index, half, left, right, own + square);
        product(tasks, half, left, right, {own, half}, own + 3 * square);
      };
      if (index + 1 < kProducts) {
        group.run(one);
      } else {
        one();
      }
    }
    group.wait();
    combine(half, products, c);
  }

  std::int64_t n_ = 0;
  std::int64_t cutoff_ = 0;
  std::vector<double> a_;
  std::vector<double> b_;
  std::vector<double> c_;
  std::vector<double> memory_;
};

}  // namespace troupe::bench
