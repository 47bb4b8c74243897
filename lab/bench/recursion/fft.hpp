/// A fast Fourier transform in place: the halves of a vector have tasks, and so have the parts of its butterflies.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

#include "lab/bench/recursion/recursion_case.hpp"

namespace troupe::bench {

using Complex = std::complex<double>;

/// Transforms `n` random numbers, where `n` is a power of two, by decimation in frequency: frequency k is at the place
/// whose number has the bits of k in reverse order. Parts of at most `cutoff` numbers are transformed without tasks.
class Fft {
 public:
  explicit Fft(const RecursionCase& options);

  void prepare() { values_ = original_; }
  template <class Tasks>
  void run(Tasks& tasks) {
    transform(tasks, values_.data(), n_);
  }
  /// Compares some frequencies with sums over all numbers, and the sum of all squares with that of the numbers.
  void check() const;
  [[nodiscard]] std::uint64_t checksum() const;

 private:
  /// Returns the roots of unity by which the butterflies of a part of `n` numbers multiply.
  [[nodiscard]] const Complex* roots_for(std::int64_t n) const { return roots_.data() + (n_ - n); }
  /// Computes the butterflies `first` to `last` of the part with `n` numbers that begins at `part`.
  void butterflies(Complex* part, std::int64_t n, std::int64_t first, std::int64_t last) const;
  void transform_without_tasks(Complex* part, std::int64_t n) const;

  template <class Tasks>
  void transform(Tasks& tasks, Complex* part, std::int64_t n) const {
    if (n <= cutoff_) return transform_without_tasks(part, n);
    divide_butterflies(tasks, part, n, 0, n / 2);
    typename Tasks::Group group(tasks);
    group.run([this, &tasks, part, n] { transform(tasks, part, n / 2); });
    transform(tasks, part + n / 2, n / 2);
    group.wait();
  }
  template <class Tasks>
  void divide_butterflies(Tasks& tasks, Complex* part, std::int64_t n, std::int64_t first, std::int64_t last) const {
    if (last - first <= cutoff_) return butterflies(part, n, first, last);
    const std::int64_t middle = first + (last - first) / 2;
    typename Tasks::Group group(tasks);
    group.run([=, this, &tasks] { divide_butterflies(tasks, part, n, first, middle); });
    divide_butterflies(tasks, part, n, middle, last);
    group.wait();
  }

  std::int64_t n_ = 0;
  std::int64_t cutoff_ = 0;
  /// The roots for parts of `n` numbers, then those for n / 2, and so on.
  std::vector<Complex> roots_;
  std::vector<Complex> original_;
  std::vector<Complex> values_;
  double sum_of_squares_ = 0;
};

}  // namespace troupe::bench
