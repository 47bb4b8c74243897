#include "apps/bounds/longest_path.hpp"

#include <algorithm>
#include <cassert>

namespace troupe::apps {

LongestPath::LongestPath(const BoundProblem& problem)
    : number_of_kinds_(problem.kinds), weight_(problem.tasks.size()), before_(problem.tasks.size()) {
  first_.push_back(0);
  for (const BoundTask& task : problem.tasks) {
    assert(std::ranges::all_of(task.predecessors, [this](auto before) { return before < kinds_.size(); }) &&
           "predecessors come first");
    kinds_.push_back(task.kind);
    lengths_.push_back(task.length);
    predecessors_.insert(predecessors_.end(), task.predecessors.begin(), task.predecessors.end());
    first_.push_back(static_cast<std::uint32_t>(predecessors_.size()));
  }
}

LongestPath::Path LongestPath::find(std::span<const double> weights) {
  Path path{0, std::vector<double>(number_of_kinds_, 0)};
  if (kinds_.empty()) return path;
  std::uint32_t last = 0;
  for (std::uint32_t task = 0; task < kinds_.size(); ++task) {
    double longest = 0;
    before_[task] = task;
    for (std::uint32_t edge = first_[task]; edge < first_[task + 1]; ++edge) {
      const std::uint32_t before = predecessors_[edge];
      if (before_[task] == task || weight_[before] > longest) {
        longest = weight_[before];
        before_[task] = before;
      }
    }
    weight_[task] = longest + weights[kinds_[task]] * lengths_[task];
    if (weight_[task] > weight_[last]) last = task;
  }
  path.weight = weight_[last];
  for (;;) {
    path.length_of_kind[kinds_[last]] += lengths_[last];
    if (before_[last] == last) return path;
    last = before_[last];
  }
}

}  // namespace troupe::apps
