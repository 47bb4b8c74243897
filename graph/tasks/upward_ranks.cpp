#include "graph/tasks/upward_ranks.hpp"

#include <algorithm>
#include <cassert>

namespace troupe {

void UpwardRanks::add(double cost, std::span<const Use> uses) {
  assert(cost >= 0 && "a task's cost must not be negative");
  for (const Use& use : uses) data_ = std::max(data_, use.data + 1);
  uses_.insert(uses_.end(), uses.begin(), uses.end());
  tasks_.push_back({cost, uses_.size()});
}

std::vector<double> UpwardRanks::ranks() const {
  // The loop goes from the last task to the first. `next` has, for each piece of data, the ranks of the later tasks
  // that use the data first.
  struct Next {
    double writer = 0;
    /// The highest rank of the tasks that read the data before its next writer.
    double readers = 0;
  };
  std::vector<Next> next(data_);
  std::vector<double> ranks(tasks_.size());
  for (std::size_t task = tasks_.size(); task-- > 0;) {
    const std::size_t begin = task == 0 ? 0 : tasks_[task - 1].uses_end;
    const std::span<const Use> uses(uses_.data() + begin, tasks_[task].uses_end - begin);
    double waiting = 0;
    for (const Use& use : uses) {
      const Next& after = next[use.data];
      waiting = std::max(waiting, use.writes ? std::max(after.writer, after.readers) : after.writer);
    }
    const double rank = waiting + tasks_[task].cost;
    ranks[task] = rank;
    for (const Use& use : uses) {
      Next& before = next[use.data];
      if (use.writes) {
        before = {rank, 0};
      } else {
        before.readers = std::max(before.readers, rank);
      }
    }
  }
  return ranks;
}

std::vector<int> UpwardRanks::priorities(int levels) const {
  assert(levels >= 1 && "there must be a level");
  const std::vector<double> ranks = this->ranks();
  const double highest = ranks.empty() ? 0 : *std::max_element(ranks.begin(), ranks.end());
  std::vector<int> priorities(ranks.size(), 1);
  if (!(highest > 0)) return priorities;
  std::transform(ranks.begin(), ranks.end(), priorities.begin(),
                 [&](double rank) { return 1 + std::min(levels - 1, static_cast<int>(rank / highest * levels)); });
  return priorities;
}

}  // namespace troupe
