#include "actors/scheduler/models/time_statistics.hpp"

#include <algorithm>
#include <cmath>

namespace troupe::scheduler {

TimeStatistics::TimeStatistics(std::uint64_t count, double mean_s, double deviation_s, std::uint64_t strange)
    : settled_{count, mean_s, 0}, strange_(strange) {
  if (count > 1) settled_.squares = deviation_s * deviation_s * (settled_.weight() - 1);
}

double TimeStatistics::Moments::weight() const { return static_cast<double>(std::min(count, kMemory)); }

void TimeStatistics::Moments::add(double time_s) {
  if (count >= kMemory) squares *= 1 - 1 / static_cast<double>(kMemory);
  ++count;
  const double distance = time_s - mean_s;
  mean_s += distance / weight();
  squares += distance * (time_s - mean_s);
}

bool TimeStatistics::is_strange(double time_s) const {
  if (settled_.count == 0) return false;
  return time_s > kStrange * settled_.mean_s || time_s * kStrange < settled_.mean_s;
}

void TimeStatistics::add(double time_s) {
  const bool strange = is_strange(time_s);
  if (strange) ++strange_;
  if (!strange || strange_ * 4 > settled_.count + 4 * kInARow) {
    strangers_ = {};
    settled_.add(time_s);
    return;
  }
  strangers_.add(time_s);
  if (strangers_.count < std::min(kInARow, settled_.count)) return;
  if (strangers_.count >= kInARow) strange_ = 0;
  settled_ = strangers_;
  strangers_ = {};
}

double TimeStatistics::deviation_s() const {
  return settled_.count < 2 ? 0 : std::sqrt(std::max(0.0, settled_.squares) / (settled_.weight() - 1));
}

double TimeStatistics::weight() const { return settled_.weight(); }

}  // namespace troupe::scheduler
