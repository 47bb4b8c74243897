/// The dependence of a kernel's time on the sizes of its data, learned from measurements.
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

  /// The task's size: its floating-point operations, or its bytes.
  double size = 0;
  /// The rows and columns of the task's first pieces of data, in turn; only the first `extent_count` are used.
  std::array<double, kMostExtents> extents{};
  std::size_t extent_count = 0;
};

/// The law through all measured times, of tasks of any size, of one kernel on one type of device:
///
///     log t = a + b x + c x² + sum over extents of d_i log(extent_i),   x = log(size).
///
/// The law can describe times that grow as any power of the size, times with a constant term (by the square), and times
/// that depend on one dimension or one argument more than on the others.
///
/// *Estimate*: Bayesian linear regression. Before anything is measured, b has the mean 1 and every other coefficient
/// the mean 0, each with a standard deviation (`time_law.cpp`). So a few measurements already help, and terms that
/// never vary do no harm. The variance of single times is estimated, too, so the law knows how certain it is.
///
/// *Related devices*: the measurements of a kernel on one type of device also influence its laws on other types, except
/// for the constant factor (`resemble`).
///
/// *Robust*: the first measurement (cold caches, untouched memory) has a quarter of the usual weight. A time far from
/// the law gets less weight. If several such times come in a row, the machine has changed, and the weight of all
/// earlier measurements falls to a fifth.
///
/// *Ageing*: each new measurement reduces the weights of all earlier measurements a little (`kMemory`).
///
/// *Extrapolation*: the law also holds outside of the measured sizes, but there the time must not fall as the size
/// grows, nor grow faster than the third power of the size. The amount that this limit cuts off counts as doubt.
///
/// Only sums of products are kept, so a measurement costs O(terms²) time and no additional memory. The coefficients are
/// computed anew when the number of measurements has grown by an eighth: all predictions change at that moment. Plain
/// data; one thread at a time.
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
    /// The first measurement: x, the logarithms of the extents and the logarithm of the time.
    Terms origin{};
    double origin_time = 0;
    std::size_t extents = 0;
    /// The smallest and the largest measured values of x (entry 1) and of the extents' logarithms (from entry 3 on).
    Terms least{};
    Terms most{};
    double weight = 0;
    /// Weighted sums of products: of pairs of terms (the lower triangle by rows), of each term and the time's
    /// logarithm, and of the square of that logarithm.
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

  /// The belief about the coefficients before anything is measured: their means, and the inverse of their covariance
  /// (the lower triangle by rows); and the smallest and largest terms for which the belief holds, as in `Sums`.
  struct Prior {
    Terms means{};
    std::array<double, kPairs> precision{};
    Terms least{};
    Terms most{};
  };

  /// Adds a measured time, which counts as much as `weight` measurements.
  void add(const TaskMeasures& task, double time_s, double weight = 1);
  [[nodiscard]] std::uint64_t count() const { return sums_.count; }
  /// Predicts the time of a task. Returns nothing if there is no measurement. With one measurement, predictions are
  /// proportional to the size and very uncertain.
  [[nodiscard]] std::optional<Prediction> at(const TaskMeasures& task) const;
  /// Returns how often the coefficients were computed. Predictions change only when this number changes.
  [[nodiscard]] std::uint64_t version() const { return version_; }
  [[nodiscard]] const Sums& sums() const { return sums_; }
  /// Uses `other` as this law's prior from now on: times are assumed to depend on the sizes about as in `other`. If
  /// `other` is more certain, the assumption has more weight. The constant factor is not taken from `other`.
  void resemble(const TimeLaw& other);

 private:
  [[nodiscard]] static Prior unprejudiced();
  [[nodiscard]] std::size_t terms() const { return terms(sums_.extents); }
  [[nodiscard]] Terms terms_of(const TaskMeasures& task) const;
  struct Mean {
    double log_time = 0;
    /// The amount that is cut off from the law's logarithm outside of the measured range; `log_time` does not contain
    /// this amount.
    double cut = 0;
  };
  [[nodiscard]] Mean mean_at(const Terms& terms) const;
  /// Returns the term, clamped to the range of the measured terms and of the prior's terms (`resemble`).
  [[nodiscard]] double within(const Terms& terms, std::size_t term) const;
  /// Returns the standard deviation of the mean's logarithm. `cut` is the amount of the prediction that was cut off.
  [[nodiscard]] double doubt_at(const Terms& terms, double cut) const;
  /// Returns the weight of a measured time: a time that is far from the law gets less weight.
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
