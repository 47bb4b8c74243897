#include "graph/recording/recorded_order.hpp"

#include <algorithm>
#include <limits>

namespace troupe::graph {

void RecordedOrder::add(std::size_t before, std::size_t after, bool is_explicit) {
  predecessors_[after].push_back({static_cast<std::uint32_t>(before), is_explicit});
}

void RecordedOrder::reduce() {
  seen_by_.assign(predecessors_.size(), std::numeric_limits<std::uint32_t>::max());
  for (std::size_t task = 0; task < predecessors_.size(); ++task) {
    drop_repeated(predecessors_[task]);
    if (predecessors_[task].size() > 1) drop_implied(task);
  }
}

void RecordedOrder::drop_repeated(std::vector<Predecessor>& predecessors) {
  // If a predecessor occurs twice, its explicit dependency comes first, so that `std::unique` keeps this one.
  std::sort(predecessors.begin(), predecessors.end(), [](const Predecessor& a, const Predecessor& b) {
    return a.index != b.index ? a.index < b.index : a.is_explicit > b.is_explicit;
  });
  const auto last = std::unique(predecessors.begin(), predecessors.end(),
                                [](const Predecessor& a, const Predecessor& b) { return a.index == b.index; });
  predecessors.erase(last, predecessors.end());
}

void RecordedOrder::drop_implied(std::size_t task) {
  std::vector<Predecessor>& predecessors = predecessors_[task];
  const std::uint32_t oldest = predecessors.front().index;
  const auto mark = static_cast<std::uint32_t>(task);
  // The search visits, the newest first, the tasks for which the predecessors of `task` have waited. It goes back no
  // further than the oldest predecessor. It need not see dependencies that earlier calls have dropped, because the kept
  // dependencies imply them.
  found_.clear();
  const auto look_behind = [&](std::uint32_t index) {
    for (const Predecessor& before : predecessors_[index]) {
      if (before.index < oldest || seen_by_[before.index] == mark) continue;
      seen_by_[before.index] = mark;
      found_.push_back(before.index);
    }
  };
  for (auto newest = predecessors.rbegin(); newest != predecessors.rend(); ++newest) look_behind(newest->index);
  for (std::size_t i = 0; i < found_.size() && i < kLook; ++i) look_behind(found_[i]);
  std::erase_if(predecessors, [&](const Predecessor& predecessor) {
    return !predecessor.is_explicit && seen_by_[predecessor.index] == mark;
  });
}

}  // namespace troupe::graph
