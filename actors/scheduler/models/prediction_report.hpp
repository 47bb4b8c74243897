/// The quality of the predictions of kernel times.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "proto/device_kinds.hpp"
#include "proto/units.hpp"

namespace troupe {

/// The errors of the predictions for tasks that have run and have not failed. The members are sums, so that reports can
/// be added and subtracted.
struct PredictionErrors {
  /// Placed with a prediction.
  std::uint64_t tasks = 0;
  /// Placed before the time was known, by a policy that decides by times: so it became known.
  std::uint64_t unpredicted = 0;
  /// All that were predicted together.
  Duration predicted{};
  Duration measured{};
  /// Sum of |measured - predicted| / measured.
  double relative = 0;

  /// `measured_time` is above 0.
  void add(Duration predicted_time, Duration measured_time) {
    ++tasks;
    predicted += predicted_time;
    measured += measured_time;
    relative += std::abs(seconds(measured_time - predicted_time)) / seconds(measured_time);
  }
  PredictionErrors& operator+=(const PredictionErrors& other) {
    tasks += other.tasks;
    unpredicted += other.unpredicted;
    predicted += other.predicted;
    measured += other.measured;
    relative += other.relative;
    return *this;
  }
  PredictionErrors& operator-=(const PredictionErrors& other) {
    tasks -= other.tasks;
    unpredicted -= other.unpredicted;
    predicted -= other.predicted;
    measured -= other.measured;
    relative -= other.relative;
    return *this;
  }
  /// The mean of one task; 0 if there is none.
  [[nodiscard]] double mean_predicted_s() const { return mean(seconds(predicted)); }
  [[nodiscard]] double mean_measured_s() const { return mean(seconds(measured)); }
  /// The mean of |measured - predicted| / measured.
  [[nodiscard]] double mean_relative() const { return mean(relative); }

 private:
  [[nodiscard]] double mean(double sum) const { return tasks == 0 ? 0 : sum / static_cast<double>(tasks); }
};

/// The predictions for a codelet's tasks on one kind of device.
struct PredictionReport {
  /// The name that the codelet is timed as, or else its own.
  std::string codelet;
  DeviceKind kind = DeviceKind::cpu_core;
  PredictionErrors errors;
};

}  // namespace troupe
