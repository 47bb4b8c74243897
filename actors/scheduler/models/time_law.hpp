/// The dependence of a kernel's time on the sizes of its data, as far as measurements tell.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace troupe::scheduler {

/// The quantities that the time of a task may depend on.
struct TaskMeasures {
  static constexpr std::size_t kMostExtents = 8;

  /// Floating-point operations, or bytes.
  double size = 0;
  /// The rows and columns of the task's first data, in turn; only the first `extent_count` are used.
  std::array<double, kMostExtents> extents{};
  std::size_t extent_count = 0;
};

/// The law through all measured times of one kernel on one type of device, whatever their sizes:
///
///     log t = a + b x + c x² + sum over extents of d_i log(extent_i),   x = log(size).
///
/// So it describes times that grow as any power of the size, those with a constant part (the square), and those that
/// depend on one dimension or one argument more than on the others.
///
/// *Estimate*: Bayesian linear regression. Before anything is measured b is about 1 and all others are about 0, each
/// with a standard deviation (`time_law.cpp`); so a few measurements already say something, and terms that never vary
/// do no harm. The variance of single times is estimated with the rest, so the law knows how sure it is.
///
/// *Kin*: what is known of a kernel on one type of device is also believed on others, except for the factor
/// (`resemble`).
///
/// *Robust*: the first time (cold caches, untouched memory) counts a quarter. A time that is far from the law counts
/// less, unless several come in a row: then the machine has changed, and all earlier measurements count a fifth.
///
/// *Ageing*: each measurement makes those before it count a little less (`kMemory`).
///
/// *Extrapolation*: beyond the smallest and the largest measured size the law is continued, but the time never falls
/// with the size nor grows faster than its third power; what this cuts off counts as doubt.
///
/// Only sums of products are kept, so a measurement costs O(terms²) and no memory. The coefficients are computed anew
/// when there are an eighth more measurements than the last time: all predictions change at that moment. Plain data;
/// one thread at a time.
class TimeLaw {
 public:
  /// Returns the number of terms: 1, x, x² and one for each extent.
  static constexpr std::size_t terms(std::size_t extents) { return 3 + extents; }
  static constexpr std::size_t pairs(std::size_t terms) { return terms * (terms + 1) / 2; }
  static constexpr std::size_t kTerms = 3 + TaskMeasures::kMostExtents;
  static constexpr std::size_t kPairs = kTerms * (kTerms + 1) / 2;
  static constexpr double kMemory = 1000;

  using Terms = std::array<double, kTerms>;

  /// The sums that are kept. Logarithms are relative to those of the first measurement.
  struct Sums {
    std::uint64_t count = 0;
    /// The first measurement: x, the extents' logarithms and that of the time.
    Terms origin{};
    double origin_time = 0;
    std::size_t extents = 0;
    /// The smallest and the largest measured values of x (entry 1) and of the extents' logarithms (from entry 3 on).
    Terms least{};
    Terms most{};
    double weight = 0;
    /// Sums of products: of two terms, the lower triangle by rows; of terms and the time's logarithm; of the square of
    /// that logarithm.
    std::array<double, kPairs> terms_by_terms{};
    Terms terms_by_time{};
    double time_by_time = 0;
  };

  struct Prediction {
    double time_s = 0;
    /// The standard deviation of the logarithm of the *mean* time at this size.
    double doubt = 0;
  };

  TimeLaw() = default;
  explicit TimeLaw(const Sums& sums);

  /// The belief about the coefficients before anything is measured: their means, and the inverse of their covariance,
  /// lower triangle by rows; and the smallest and largest terms for which that is known, as in `Sums`.
  struct Prior {
    Terms means{};
    std::array<double, kPairs> precision{};
    Terms least{};
    Terms most{};
  };

  /// Adds a measured time, which counts as much as `weight` measurements.
  void add(const TaskMeasures& task, double time_s, double weight = 1);
  [[nodiscard]] std::uint64_t count() const { return sums_.count; }
  /// Predicts the time of a task. Returns nothing without any measurement; with one, times are proportional to sizes,
  /// with much doubt.
  [[nodiscard]] std::optional<Prediction> at(const TaskMeasures& task) const;
  /// Counts how often the coefficients were computed: while this number stays the same, so do predictions.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  [[nodiscard]] const Sums& sums() const { return sums_; }
  /// Makes this law believe from now on, as far as `other` is sure, that its times depend on the sizes about as those
  /// of `other`, except for the factor.
  void resemble(const TimeLaw& other);

 private:
  [[nodiscard]] static Prior unprejudiced();
  [[nodiscard]] std::size_t terms() const { return terms(sums_.extents); }
  [[nodiscard]] Terms terms_of(const TaskMeasures& task) const;
  struct Mean {
    double log_time = 0;
    /// The part of the law's logarithm beyond the measured range that is cut off, and so not in `log_time`.
    double cut = 0;
  };
  [[nodiscard]] Mean mean_at(const Terms& terms) const;
  /// Returns the term, moved into the range measured here or in the law that this one resembles.
  [[nodiscard]] double within(const Terms& terms, std::size_t term) const;
  /// Returns the standard deviation of the mean's logarithm. `cut` is the part of the prediction that is not believed.
  [[nodiscard]] double doubt_at(const Terms& terms, double cut) const;
  /// Returns the weight of a time, which falls with its distance from the law.
  double trust(const Terms& terms, double log_time);
  void begin(const TaskMeasures& task, double log_time);
  void fade(double factor);
  void fit();
  /// Computes the coefficients, assuming that single times vary by `variance`.
  void solve(double variance);

  Sums sums_;
  std::uint64_t version_ = 0;
  std::uint64_t next_fit_ = 1;
  /// The number of measurements in a row that are far from the law.
  std::uint64_t strangers_ = 0;
  /// The variance of single times about the law.
  double variance_ = 0;
  Prior prior_ = unprejudiced();
  Terms coefficients_{};
  /// The Cholesky factor of the inverse covariance of the coefficients.
  std::array<double, kPairs> factor_{};
};

}  // namespace troupe::scheduler
