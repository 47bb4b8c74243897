#include "actors/scheduler/cluster_rule.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace troupe::scheduler {

namespace {

/// A change must save at least this fraction of the time, because predictions are not more exact.
constexpr double kLeastGain = 0.1;
/// A change that is planned for later is made now if this loses at most this fraction of the remaining time.
constexpr double kEarly = 0.02;

/// Returns the time of one task, in seconds, on the workers that run it fastest; 0 if nothing is known.
double least_seconds(SizeClassId size_class, std::span<const EqualWorkers> workers) {
  double least_s = 0;
  for (const EqualWorkers& equal : workers) {
    const double time = equal.seconds[size_class.index()];
    if (time > 0) least_s = least_s > 0 ? std::min(least_s, time) : time;
  }
  return least_s;
}

/// Returns the time at which the last task ends if tasks are placed longest first, each on the worker where it ends
/// first.
double last_end(const TaskLevel& level, std::span<const EqualWorkers> workers) {
  struct Free {
    const EqualWorkers* workers = nullptr;
    double from_s = 0;
    std::uint32_t count = 0;
  };
  std::vector<Free> free;
  for (const EqualWorkers& equal : workers) free.push_back({&equal, 0, static_cast<std::uint32_t>(equal.count)});
  std::vector<std::pair<double, ClassCount>> longest_first;
  for (const ClassCount& one : level) longest_first.emplace_back(-least_seconds(one.size_class, workers), one);
  std::ranges::stable_sort(longest_first, {}, &std::pair<double, ClassCount>::first);
  double last_s = 0;
  for (const auto& [least, tasks] : longest_first) {
    if (least == 0) continue;
    for (std::uint32_t left = tasks.tasks; left > 0;) {
      std::size_t best = 0;
      double best_s = std::numeric_limits<double>::infinity();
      for (std::size_t i = 0; i < free.size(); ++i) {
        const double time = free[i].workers->seconds[tasks.size_class.index()];
        if (time <= 0 || free[i].count == 0 || free[i].from_s + time >= best_s) continue;
        best = i;
        best_s = free[i].from_s + time;
      }
      const std::uint32_t taken = std::min(left, free[best].count);
      left -= taken;
      last_s = std::max(last_s, best_s);
      free[best].count -= taken;
      Free busy{free[best].workers, best_s, taken};
      if (free[best].count == 0) {
        free[best] = busy;
      } else {
        free.push_back(busy);
      }
    }
  }
  return last_s;
}

}  // namespace

double level_seconds(const TaskLevel& level, std::span<const EqualWorkers> workers, int cores) {
  double shared_s = 0;
  double longest_s = 0;
  std::uint32_t tasks = 0;
  for (const ClassCount& one : level) {
    double per_second = 0;
    for (const EqualWorkers& equal : workers) {
      const double time = equal.seconds[one.size_class.index()];
      if (time > 0) per_second += equal.count / time;
    }
    if (per_second <= 0) continue;
    tasks += one.tasks;
    shared_s += one.tasks / per_second;
    longest_s = std::max(longest_s, least_seconds(one.size_class, workers));
  }
  return tasks > static_cast<std::uint32_t>(cores) ? std::max(shared_s, longest_s) : last_end(level, workers);
}

std::optional<std::size_t> change_now(const std::vector<std::vector<double>>& seconds, std::size_t present,
                                      double change_s) {
  if (seconds.empty()) return std::nullopt;
  const std::size_t groupings = seconds.front().size();
  // `rest` has, for each grouping, the least time from the current level to the end. `stays` is true if the cheapest
  // plan keeps the grouping after the level; otherwise the plan changes to `best_after`.
  std::vector<double> rest(groupings, 0);
  std::vector<std::size_t> best_after(seconds.size());
  std::vector<std::vector<bool>> stays(seconds.size(), std::vector<bool>(groupings, true));
  for (std::size_t level = seconds.size(); level-- > 0;) {
    best_after[level] = static_cast<std::size_t>(std::ranges::min_element(rest) - rest.begin());
    const double elsewhere = rest[best_after[level]] + change_s;
    for (std::size_t i = 0; i < groupings; ++i) {
      stays[level][i] = rest[i] <= elsewhere;
      rest[i] = seconds[level][i] + std::min(rest[i], elsewhere);
    }
  }
  const auto best = static_cast<std::size_t>(std::ranges::min_element(rest) - rest.begin());
  if (best == present) return std::nullopt;
  std::size_t changes_at = 0;
  while (changes_at < seconds.size() && stays[changes_at][present]) ++changes_at;
  const bool later = changes_at < seconds.size() && best_after[changes_at] == best;
  // A change that the plan makes later is made now if this costs almost nothing, because the next look may be too late.
  if (rest[best] + change_s >= (later ? 1 + kEarly : 1) * rest[present]) return std::nullopt;
  double now_s = 0;
  double then_s = 0;
  for (std::size_t level = 0; level < seconds.size(); ++level) {
    now_s += seconds[level][present];
    then_s += seconds[level][best];
    if (!stays[level][best]) break;
  }
  if (now_s - then_s <= kLeastGain * now_s) return std::nullopt;
  return best;
}

}  // namespace troupe::scheduler
