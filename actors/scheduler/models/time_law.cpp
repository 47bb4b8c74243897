#include "actors/scheduler/models/time_law.hpp"

#include <cmath>

namespace troupe::scheduler {

namespace {

/// What is believed before anything is measured: standard deviations of the power of the size about 1, of the
/// coefficient of its square, which bends the law, and of the powers of extents besides.
constexpr double kPowerDoubt = 0.5;
constexpr double kBendDoubt = 0.1;
constexpr double kExtentDoubt = 0.5;
/// Nothing is believed of the factor.
constexpr double kFactorDoubt = 10;
/// Single times vary by as much, as if that had been seen of so many.
constexpr double kSpread = 0.1;
constexpr double kSpreadCount = 3;
/// Less is not believed, whatever was seen.
constexpr double kLeastVariance = 1e-4;

/// No more is made of how times vary.
constexpr double kMostScatter = 0.5;

constexpr double kWeightOfFirst = 0.25;
/// From so many measurements on the law can tell which of them are strange: more than so many deviations off.
constexpr std::uint64_t kCanTell = 8;
constexpr double kStrangeDeviations = 4;
constexpr double kLeastTrust = 0.05;
constexpr std::uint64_t kInARow = 4;
/// What was measured before the machine changed counts so much.
constexpr double kLeftOfOld = 0.2;

constexpr double kMostPower = 3;
/// How much extents alone may change a time beyond what was measured, as a logarithm.
constexpr double kMostByExtents = 1.1;

constexpr std::size_t kSize = 1;
constexpr std::size_t kBend = 2;
constexpr std::size_t kFirstExtent = 3;

constexpr std::size_t pair(std::size_t row, std::size_t column) { return row * (row + 1) / 2 + column; }

/// Data without elements, and tasks that take no time, count as very small ones.
double log_of(double value, double least) { return std::log(std::max(value, least)); }
double log_of_time(double time_s) { return log_of(time_s, 1e-9); }

double prior_doubt(std::size_t term) {
  switch (term) {
    case 0: return kFactorDoubt;
    case kSize: return kPowerDoubt;
    case kBend: return kBendDoubt;
    default: return kExtentDoubt;
  }
}

}  // namespace

TimeLaw::TimeLaw(const Sums& sums) : sums_(sums) { fit(); }

TimeLaw::Terms TimeLaw::terms_of(const TaskMeasures& task) const {
  Terms terms{};
  terms[0] = 1;
  terms[kSize] = log_of(task.size, 1) - sums_.origin[kSize];
  terms[kBend] = terms[kSize] * terms[kSize];
  for (std::size_t i = 0; i < std::min(task.extent_count, sums_.extents); ++i) {
    terms[kFirstExtent + i] = log_of(task.extents[i], 1) - sums_.origin[kFirstExtent + i];
  }
  return terms;
}

void TimeLaw::begin(const TaskMeasures& task, double log_time) {
  if (sums_.count == 0) {
    sums_.origin[kSize] = log_of(task.size, 1);
    sums_.origin_time = log_time;
  }
  // Times that were kept by an older version, or another number of data: what is new begins here.
  for (; sums_.extents < task.extent_count; ++sums_.extents) {
    sums_.origin[kFirstExtent + sums_.extents] = log_of(task.extents[sums_.extents], 1);
  }
}

void TimeLaw::fade(double factor) {
  sums_.weight *= factor;
  sums_.time_by_time *= factor;
  for (double& sum : sums_.terms_by_terms) sum *= factor;
  for (double& sum : sums_.terms_by_time) sum *= factor;
}

void TimeLaw::add(const TaskMeasures& task, double time_s, double weight) {
  begin(task, log_of_time(time_s));
  const Terms terms = terms_of(task);
  const double y = log_of_time(time_s) - sums_.origin_time;
  weight *= sums_.count == 0 ? kWeightOfFirst : trust(terms, y);
  fade(1 - std::min(0.5, weight / kMemory));
  sums_.weight += weight;
  sums_.time_by_time += weight * y * y;
  for (std::size_t i = 0; i < this->terms(); ++i) {
    sums_.terms_by_time[i] += weight * terms[i] * y;
    for (std::size_t j = 0; j <= i; ++j) sums_.terms_by_terms[pair(i, j)] += weight * terms[i] * terms[j];
    sums_.least[i] = std::min(sums_.least[i], terms[i]);
    sums_.most[i] = std::max(sums_.most[i], terms[i]);
  }
  ++sums_.count;
  if (sums_.count >= next_fit_) fit();
}

double TimeLaw::trust(const Terms& terms, double log_time) {
  if (sums_.count < kCanTell || version_ == 0) return 1;
  const double off =
      std::abs(log_time - mean_at(terms)) / (kStrangeDeviations * std::max(std::sqrt(variance_), kSpread));
  strangers_ = off > 1 ? strangers_ + 1 : 0;
  if (strangers_ < kInARow) return off > 1 ? std::max(kLeastTrust, 1 / (off * off)) : 1;
  strangers_ = 0;
  fade(kLeftOfOld);
  next_fit_ = 0;
  return 1;
}

void TimeLaw::solve(double variance) {
  const std::size_t count = terms();
  Terms right{};
  for (std::size_t i = 0; i < count; ++i) {
    const double prior = 1 / (prior_doubt(i) * prior_doubt(i));
    right[i] = sums_.terms_by_time[i] / variance + (i == kSize ? prior : 0);
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = sums_.terms_by_terms[pair(i, j)] / variance + (i == j ? prior : 0);
      for (std::size_t k = 0; k < j; ++k) sum -= factor_[pair(i, k)] * factor_[pair(j, k)];
      // What believing adds keeps this above 0, but for rounding.
      factor_[pair(i, j)] = i == j ? std::sqrt(std::max(sum, prior)) : sum / factor_[pair(j, j)];
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < i; ++k) right[i] -= factor_[pair(i, k)] * right[k];
    right[i] /= factor_[pair(i, i)];
  }
  coefficients_ = {};
  for (std::size_t i = count; i-- > 0;) {
    double sum = right[i];
    for (std::size_t k = i + 1; k < count; ++k) sum -= factor_[pair(k, i)] * coefficients_[k];
    coefficients_[i] = sum / factor_[pair(i, i)];
  }
}

void TimeLaw::fit() {
  next_fit_ = sums_.count + std::max<std::uint64_t>(1, sums_.count / 8);
  if (sums_.count == 0) return;
  variance_ = kSpread * kSpread;
  for (int round = 0; round < 2; ++round) {
    solve(variance_);
    double squares = sums_.time_by_time;
    for (std::size_t i = 0; i < terms(); ++i) {
      squares -= 2 * coefficients_[i] * sums_.terms_by_time[i];
      for (std::size_t j = 0; j < terms(); ++j) {
        squares += coefficients_[i] * coefficients_[j] * sums_.terms_by_terms[pair(std::max(i, j), std::min(i, j))];
      }
    }
    variance_ = std::max(kLeastVariance,
                         (kSpreadCount * kSpread * kSpread + std::max(0.0, squares)) / (kSpreadCount + sums_.weight));
  }
  solve(variance_);
  ++version_;
}

double TimeLaw::mean_at(const Terms& terms) const {
  const double size = std::clamp(terms[kSize], sums_.least[kSize], sums_.most[kSize]);
  const double slope = coefficients_[kSize] + 2 * coefficients_[kBend] * size;
  const double beyond = terms[kSize] - size;
  double mean = coefficients_[0] + coefficients_[kSize] * size + coefficients_[kBend] * size * size;
  double more = slope * beyond;
  for (std::size_t i = kFirstExtent; i < this->terms(); ++i) {
    const double extent = std::clamp(terms[i], sums_.least[i], sums_.most[i]);
    mean += coefficients_[i] * extent;
    more += coefficients_[i] * (terms[i] - extent);
  }
  if (beyond > 0) return mean + std::clamp(more, 0.0, kMostPower * beyond);
  if (beyond < 0) return mean + std::clamp(more, kMostPower * beyond, 0.0);
  return mean + std::clamp(more, -kMostByExtents, kMostByExtents);
}

std::optional<TimeLaw::Prediction> TimeLaw::at(const TaskMeasures& task) const {
  if (version_ == 0) return std::nullopt;
  const Terms terms = terms_of(task);
  Terms doubt{};
  double squares = 0;
  for (std::size_t i = 0; i < this->terms(); ++i) {
    double sum = terms[i];
    for (std::size_t k = 0; k < i; ++k) sum -= factor_[pair(i, k)] * doubt[k];
    doubt[i] = sum / factor_[pair(i, i)];
    squares += doubt[i] * doubt[i];
  }
  // The mean of times that vary is above that of their logarithms.
  const double scatter = std::max(0.0, variance_ - kSpread * kSpread) / 2;
  return Prediction{std::exp(mean_at(terms) + sums_.origin_time + std::min(scatter, kMostScatter)), std::sqrt(squares)};
}

}  // namespace troupe::scheduler
