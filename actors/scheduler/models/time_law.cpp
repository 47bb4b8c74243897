#include "actors/scheduler/models/time_law.hpp"

#include <cmath>

#include "actors/scheduler/models/packed_matrix.hpp"

namespace troupe::scheduler {

namespace {

/// Prior standard deviations, before anything is measured: of the size's exponent, whose mean is 1; of the coefficient
/// of the squared logarithm of the size, which bends the law; and of the exponents of the extents (rows and columns).
constexpr double kPowerDoubt = 0.5;
constexpr double kBendDoubt = 0.1;
constexpr double kExtentDoubt = 0.5;
/// The standard deviations of the differences between a kernel's laws on two types of device.
constexpr double kKinPowerDoubt = 0.3;
constexpr double kKinBendDoubt = 0.1;
constexpr double kKinExtentDoubt = 0.3;
/// The lower bound for the standard deviations in `resemble`. Only rounding errors could make them smaller.
constexpr double kLeastKinDoubt = 1e-3;
/// The constant factor is almost unknown before the first measurement, so its standard deviation is large.
constexpr double kFactorDoubt = 10;
/// The assumed standard deviation of the logarithm of single times. It counts as much as `kSpreadCount` measurements.
constexpr double kSpread = 0.1;
constexpr double kSpreadCount = 3;
/// The smallest variance that is accepted, even if the measured variance is smaller.
constexpr double kLeastVariance = 1e-4;

/// If single times vary, their mean is higher than the law. This constant is the largest correction, as a logarithm.
constexpr double kMostScatter = 0.5;

constexpr double kWeightOfFirst = 0.25;
/// A law with `kCanTell` measurements can tell which measurements are strange: those that differ from it by more than
/// `kStrangeDeviations` standard deviations.
constexpr std::uint64_t kCanTell = 8;
constexpr double kStrangeDeviations = 4;
constexpr double kLeastTrust = 0.05;
constexpr std::uint64_t kInARow = 4;
/// The factor by which the weights of old measurements are multiplied when the machine has changed.
constexpr double kLeftOfOld = 0.2;

constexpr double kMostPower = 3;
/// For a size within the measured range, extents outside of their own measured range change the logarithm of a time by
/// at most this amount.
constexpr double kMostByExtents = 1.1;

constexpr std::size_t kSize = 1;
constexpr std::size_t kBend = 2;
constexpr std::size_t kFirstExtent = 3;

/// Returns the logarithm of a value, but at least that of `least`: data may have no elements, and a task may take no
/// time.
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

double kin_doubt(std::size_t term) {
  switch (term) {
    case 0: return kFactorDoubt;
    case kSize: return kKinPowerDoubt;
    case kBend: return kKinBendDoubt;
    default: return kKinExtentDoubt;
  }
}

double square(double value) { return value * value; }

}  // namespace

TimeLaw::Prior TimeLaw::unprejudiced() {
  Prior prior;
  prior.means[kSize] = 1;
  for (std::size_t i = 0; i < kTerms; ++i) prior.precision[packed::at(i, i)] = 1 / square(prior_doubt(i));
  return prior;
}

void TimeLaw::resemble(const TimeLaw& other) {
  prior_ = unprejudiced();
  const std::size_t count = other.terms();
  const std::array<double, kPairs> covariance = packed::inverse(other.factor_, count);
  // Each law counts x from its own first measurement, so the other law's coefficients are converted to this law's x.
  const double shift = 2 * (sums_.origin[kSize] - other.sums_.origin[kSize]);
  const auto entry = [&](std::size_t i, std::size_t j) {
    return covariance[packed::at(std::max(i, j), std::min(i, j))];
  };
  const auto shifted = [&](std::size_t i, std::size_t j) {
    double sum = entry(i, j);
    if (i == kSize) sum += shift * entry(kBend, j);
    if (j == kSize) sum += shift * entry(i, kBend);
    if (i == kSize && j == kSize) sum += shift * shift * entry(kBend, kBend);
    return sum;
  };
  std::array<double, kPairs> believed{};
  for (std::size_t i = 0; i < count; ++i) {
    prior_.means[i] = i == 0 ? 0 : other.coefficients_[i] + (i == kSize ? shift * other.coefficients_[kBend] : 0);
    for (std::size_t j = i == 0 ? 0 : 1; j <= i; ++j) {
      believed[packed::at(i, j)] = (i == 0 ? 0 : shifted(i, j)) + (i == j ? square(kin_doubt(i)) : 0);
    }
  }
  for (std::size_t i = kSize; i < count; ++i) {
    const double moved = other.sums_.origin[i] - sums_.origin[i];
    prior_.least[i] = other.sums_.least[i] + moved;
    prior_.most[i] = other.sums_.most[i] + moved;
  }
  packed::factorize(believed, count, square(kLeastKinDoubt));
  believed = packed::inverse(believed, count);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j <= i; ++j) prior_.precision[packed::at(i, j)] = believed[packed::at(i, j)];
  }
  fit();
}

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
  // The task may have extents that the sums do not have yet: earlier tasks had fewer data, or the sums come from a file
  // of an older version. This task is then the first measurement of these extents.
  const bool has_new = sums_.extents < task.extent_count;
  for (; sums_.extents < task.extent_count; ++sums_.extents) {
    sums_.origin[kFirstExtent + sums_.extents] = log_of(task.extents[sums_.extents], 1);
  }
  // Without this fit, the law would treat the new terms as certain until the next regular fit.
  if (has_new) fit();
}

void TimeLaw::fade(double factor) {
  sums_.weight *= factor;
  sums_.time_by_time *= factor;
  // The sums of extents that no task had are zero.
  for (std::size_t i = 0; i < pairs(terms()); ++i) sums_.terms_by_terms[i] *= factor;
  for (std::size_t i = 0; i < terms(); ++i) sums_.terms_by_time[i] *= factor;
}

void TimeLaw::add(const TaskMeasures& task, double time_s, double weight) {
  const double log_time = log_of_time(time_s);
  begin(task, log_time);
  const Terms terms = terms_of(task);
  const double y = log_time - sums_.origin_time;
  weight *= sums_.count == 0 ? kWeightOfFirst : trust(terms, y);
  fade(1 - std::min(0.5, weight / kMemory));
  sums_.weight += weight;
  sums_.time_by_time += weight * y * y;
  for (std::size_t i = 0; i < this->terms(); ++i) {
    sums_.terms_by_time[i] += weight * terms[i] * y;
    for (std::size_t j = 0; j <= i; ++j) sums_.terms_by_terms[packed::at(i, j)] += weight * terms[i] * terms[j];
    sums_.least[i] = std::min(sums_.least[i], terms[i]);
    sums_.most[i] = std::max(sums_.most[i], terms[i]);
  }
  ++sums_.count;
  if (sums_.count >= next_fit_) fit();
}

double TimeLaw::trust(const Terms& terms, double log_time) {
  if (sums_.count < kCanTell || version_ == 0) return 1;
  // The deviation includes the law's own uncertainty: a time that the law cannot predict yet is not strange.
  const auto [mean, cut] = mean_at(terms);
  // If the time is not strange even without that uncertainty, the uncertainty need not be computed.
  const double least_squared = std::max(variance_, square(kSpread));
  const double distance = std::abs(log_time - mean);
  if (square(distance) <= square(kStrangeDeviations) * least_squared) {
    strangers_ = 0;
    return 1;
  }
  const double deviation = std::sqrt(least_squared + square(doubt_at(terms, cut)));
  const double off = distance / (kStrangeDeviations * deviation);
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
    right[i] = sums_.terms_by_time[i] / variance;
    for (std::size_t j = 0; j < count; ++j) {
      right[i] += prior_.precision[packed::at(std::max(i, j), std::min(i, j))] * prior_.means[j];
    }
    for (std::size_t j = 0; j <= i; ++j) {
      factor_[packed::at(i, j)] =
          sums_.terms_by_terms[packed::at(i, j)] / variance + prior_.precision[packed::at(i, j)];
    }
  }
  // The prior's precision keeps the squares of the pivots above 1 / `kFactorDoubt`², apart from rounding errors.
  packed::factorize(factor_, count, 1 / square(kFactorDoubt));
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < i; ++k) right[i] -= factor_[packed::at(i, k)] * right[k];
    right[i] /= factor_[packed::at(i, i)];
  }
  coefficients_ = {};
  for (std::size_t i = count; i-- > 0;) {
    double sum = right[i];
    for (std::size_t k = i + 1; k < count; ++k) sum -= factor_[packed::at(k, i)] * coefficients_[k];
    coefficients_[i] = sum / factor_[packed::at(i, i)];
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
        squares +=
            coefficients_[i] * coefficients_[j] * sums_.terms_by_terms[packed::at(std::max(i, j), std::min(i, j))];
      }
    }
    variance_ = std::max(kLeastVariance,
                         (kSpreadCount * kSpread * kSpread + std::max(0.0, squares)) / (kSpreadCount + sums_.weight));
  }
  solve(variance_);
  ++version_;
}

double TimeLaw::within(const Terms& terms, std::size_t term) const {
  return std::clamp(terms[term], std::min(sums_.least[term], prior_.least[term]),
                    std::max(sums_.most[term], prior_.most[term]));
}

TimeLaw::Mean TimeLaw::mean_at(const Terms& terms) const {
  const double size = within(terms, kSize);
  const double slope = coefficients_[kSize] + 2 * coefficients_[kBend] * size;
  const double beyond = terms[kSize] - size;
  double mean = coefficients_[0] + coefficients_[kSize] * size + coefficients_[kBend] * size * size;
  double more = slope * beyond;
  for (std::size_t i = kFirstExtent; i < this->terms(); ++i) {
    const double extent = within(terms, i);
    mean += coefficients_[i] * extent;
    more += coefficients_[i] * (terms[i] - extent);
  }
  double believed = std::clamp(more, -kMostByExtents, kMostByExtents);
  if (beyond > 0) believed = std::clamp(more, 0.0, kMostPower * beyond);
  if (beyond < 0) believed = std::clamp(more, kMostPower * beyond, 0.0);
  return {mean + believed, more - believed};
}

double TimeLaw::doubt_at(const Terms& terms, double cut) const {
  Terms doubt{};
  double squares = square(cut);
  for (std::size_t i = 0; i < this->terms(); ++i) {
    double sum = terms[i];
    for (std::size_t k = 0; k < i; ++k) sum -= factor_[packed::at(i, k)] * doubt[k];
    doubt[i] = sum / factor_[packed::at(i, i)];
    squares += square(doubt[i]);
  }
  return std::sqrt(squares);
}

std::optional<TimeLaw::Prediction> TimeLaw::at(const TaskMeasures& task) const {
  if (version_ == 0) return std::nullopt;
  const Terms terms = terms_of(task);
  // If times vary, their mean is above the exponential of the mean of their logarithms.
  const double scatter = std::max(0.0, variance_ - square(kSpread)) / 2;
  const auto [mean, cut] = mean_at(terms);
  return Prediction{std::exp(mean + sums_.origin_time + std::min(scatter, kMostScatter)), doubt_at(terms, cut)};
}

}  // namespace troupe::scheduler
