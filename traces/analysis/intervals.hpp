/// Intervals: sets of instants, as unions of intervals of time.
#pragma once

#include <vector>

#include "troupe/units.hpp"

namespace troupe::traces {

/// The instants from `start` to `end`; `end` itself is not included.
struct Interval {
  TimeStamp start{};
  TimeStamp end{};

  friend bool operator==(const Interval&, const Interval&) = default;
};

/// A set of instants. Construction from n intervals takes n log n steps; every other operation takes a linear number of
/// steps.
class Intervals {
 public:
  Intervals() = default;
  /// Makes the union of the intervals, which may be in any order. Intervals that are empty or end before they start are
  /// ignored.
  explicit Intervals(std::vector<Interval> any_order);

  [[nodiscard]] Intervals common_with(const Intervals& other) const;
  [[nodiscard]] Intervals without(const Intervals& other) const;
  [[nodiscard]] Duration length() const;
  [[nodiscard]] const std::vector<Interval>& parts() const { return parts_; }

 private:
  /// The intervals, sorted by time. None of them is empty, and no two touch.
  std::vector<Interval> parts_;
};

}  // namespace troupe::traces
