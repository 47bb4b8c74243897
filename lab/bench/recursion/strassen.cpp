#include "lab/bench/recursion/strassen.hpp"

#include <algorithm>

namespace troupe::bench {

Strassen::Strassen(const RecursionCase& options)
    : n_(options.n),
      cutoff_(options.cutoff),
      a_(random_numbers(n_ * n_, 1)),
      b_(random_numbers(n_ * n_, 2)),
      c_(a_.size()),
      memory_(static_cast<std::size_t>(memory_for(n_))) {}

void Strassen::prepare() { std::fill(c_.begin(), c_.end(), 0.0); }

std::int64_t Strassen::memory_for(std::int64_t n) const {
  if (is_leaf(n)) return 0;
  const std::int64_t half = n / 2;
  return kProducts * (3 * half * half + memory_for(half));
}

void Strassen::make_factors(int index, std::int64_t half, MatrixPart& a, MatrixPart& b, double* memory) {
  const MatrixPart a11 = a;
  const MatrixPart a21 = a.at(half, 0);
  const MatrixPart a12 = a.at(0, half);
  const MatrixPart a22 = a.at(half, half);
  const MatrixPart b11 = b;
  const MatrixPart b21 = b.at(half, 0);
  const MatrixPart b12 = b.at(0, half);
  const MatrixPart b22 = b.at(half, half);
  const MatrixPart left{memory, half};
  const MatrixPart right{memory + half * half, half};
  const auto sum = [half](MatrixPart x, double sign, MatrixPart y, MatrixPart to) {
    add_parts(half, x, sign, y, to);
    return to;
  };
  switch (index) {
    case 0: a = sum(a11, 1, a22, left), b = sum(b11, 1, b22, right); break;
    case 1: a = sum(a21, 1, a22, left), b = b11; break;
    case 2: a = a11, b = sum(b12, -1, b22, right); break;
    case 3: a = a22, b = sum(b21, -1, b11, right); break;
    case 4: a = sum(a11, 1, a12, left), b = b22; break;
    case 5: a = sum(a21, -1, a11, left), b = sum(b11, 1, b12, right); break;
    default: a = sum(a12, -1, a22, left), b = sum(b21, 1, b22, right); break;
  }
}

void Strassen::combine(std::int64_t half, const std::array<MatrixPart, kProducts>& products, MatrixPart c) {
  const auto& [m1, m2, m3, m4, m5, m6, m7] = products;
  const MatrixPart c11 = c;
  const MatrixPart c21 = c.at(half, 0);
  const MatrixPart c12 = c.at(0, half);
  const MatrixPart c22 = c.at(half, half);
  add_parts(half, m3, 1, m5, c12);
  add_parts(half, m2, 1, m4, c21);
  add_parts(half, m1, 1, m4, c11);
  add_parts(half, c11, -1, m5, c11);
  add_parts(half, c11, 1, m7, c11);
  add_parts(half, m1, -1, m2, c22);
  add_parts(half, c22, 1, m3, c22);
  add_parts(half, c22, 1, m6, c22);
}

void Strassen::check() const {
  const std::vector<double> x = random_numbers(n_, 3);
  const double error = largest_difference(times_vector(c_, x), times_vector(a_, times_vector(b_, x)));
  constexpr double kTolerance = 1e-12;
  require_right(error < kTolerance * static_cast<double>(n_), Recursion::strassen);
}

}  // namespace troupe::bench
