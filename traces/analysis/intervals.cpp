#include "traces/analysis/intervals.hpp"

#include <algorithm>

namespace troupe::traces {

Intervals::Intervals(std::vector<Interval> any_order) {
  std::erase_if(any_order, [](const Interval& part) { return part.end <= part.start; });
  std::sort(any_order.begin(), any_order.end(), [](const Interval& a, const Interval& b) { return a.start < b.start; });
  for (const Interval& part : any_order) {
    if (!parts_.empty() && part.start <= parts_.back().end) {
      parts_.back().end = std::max(parts_.back().end, part.end);
    } else {
      parts_.push_back(part);
    }
  }
}

Intervals Intervals::common_with(const Intervals& other) const {
  Intervals result;
  auto theirs = other.parts_.begin();
  for (auto ours = parts_.begin(); ours != parts_.end() && theirs != other.parts_.end();) {
    const Interval common{std::max(ours->start, theirs->start), std::min(ours->end, theirs->end)};
    if (common.start < common.end) result.parts_.push_back(common);
    // Go on after the interval that ends first: later intervals of the other set cannot overlap it.
    if (ours->end < theirs->end) {
      ++ours;
    } else {
      ++theirs;
    }
  }
  return result;
}

Intervals Intervals::without(const Intervals& other) const {
  Intervals result;
  auto hole = other.parts_.begin();
  for (const Interval& part : parts_) {
    TimeStamp from = part.start;
    while (hole != other.parts_.end() && hole->end <= from) ++hole;
    // The loop leaves `hole` where it is, because the last hole in this interval may overlap the next interval, too.
    for (auto next = hole; next != other.parts_.end() && next->start < part.end; ++next) {
      if (from < next->start) result.parts_.push_back({from, next->start});
      from = std::max(from, next->end);
    }
    if (from < part.end) result.parts_.push_back({from, part.end});
  }
  return result;
}

Duration Intervals::length() const {
  Duration sum{};
  for (const Interval& part : parts_) sum += part.end - part.start;
  return sum;
}

}  // namespace troupe::traces
