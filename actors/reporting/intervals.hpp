/// Sets of instants, as unions of intervals of time.
#pragma once

#include <vector>

#include "proto/units.hpp"

namespace troupe::actors {

/// From `start` up to, and without, `end`.
struct Interval {
  TimeStamp start{};
  TimeStamp end{};

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Construction takes n log n steps, every operation a linear number.
class Intervals {
 public:
  Intervals() = default;
  /// Their union. Empty and reversed ones have no instants.
  explicit Intervals(std::vector<Interval> any_order);

  [[nodiscard]] Intervals common_with(const Intervals& other) const;
  [[nodiscard]] Intervals without(const Intervals& other) const;
  [[nodiscard]] Duration length() const;
  [[nodiscard]] const std::vector<Interval>& parts() const { return parts_; }

 private:
  /// In order, none empty, no two that touch.
  std::vector<Interval> parts_;
};

}  // namespace troupe::actors
