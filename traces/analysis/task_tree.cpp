#include "traces/analysis/task_tree.hpp"

#include <algorithm>
#include <numeric>

namespace troupe::traces {

TaskTree::TaskTree(const Trace& trace, const TraceIndex& index) {
  find_parents(trace, index);
  if (!any_) return;
  depths_.resize(trace.events.size());
  parents_first_.resize(trace.events.size());
  ends_.reserve(trace.events.size());
  for (const TraceEvent& event : trace.events) ends_.push_back(event.end);
  std::iota(parents_first_.begin(), parents_first_.end(), std::size_t{0});
  std::ranges::sort(parents_first_, {}, [&](std::size_t i) { return trace.events[i].task; });
  for (const std::size_t i : parents_first_) {
    if (parents_[i] != kNone) depths_[i] = depths_[parents_[i]] + 1;
  }
  for (auto i = parents_first_.rbegin(); i != parents_first_.rend(); ++i) {
    if (parents_[*i] != kNone) ends_[parents_[*i]] = std::max(ends_[parents_[*i]], ends_[*i]);
  }
}

void TaskTree::find_parents(const Trace& trace, const TraceIndex& index) {
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    // Children have larger ids than their parents. Ignoring events that break this rule excludes circles.
    if (!event.nesting.parent.valid() || event.nesting.parent >= event.task) continue;
    const auto parent = index.find(event.nesting.parent);
    if (!parent) continue;
    if (!any_) parents_.assign(trace.events.size(), kNone);
    any_ = true;
    parents_[i] = *parent;
  }
}

namespace {

/// The sums over a task and all tasks inside it.
struct Sums {
  std::uint64_t inside = 0;
  std::uint64_t levels = 0;
  Duration kernels{};
};

std::vector<Sums> sums_of(const Trace& trace, const TaskTree& tree) {
  std::vector<Sums> sums(trace.events.size());
  const auto& order = tree.parents_first();
  for (auto i = order.rbegin(); i != order.rend(); ++i) {
    Sums& own = sums[*i];
    own.kernels += trace.events[*i].duration();
    if (tree.parent_of(*i) == TaskTree::kNone) continue;
    Sums& parent = sums[tree.parent_of(*i)];
    parent.inside += 1 + own.inside;
    parent.levels = std::max(parent.levels, 1 + own.levels);
    parent.kernels += own.kernels;
  }
  return sums;
}

}  // namespace

NestedTasks nested_tasks(const Trace& trace, const TaskTree& tree) {
  NestedTasks result;
  if (!tree.any()) return result;
  const std::vector<Sums> sums = sums_of(trace, tree);
  const auto span = [&](std::size_t i) { return tree.end_of(i) - trace.events[i].start; };
  const auto at_once = [&](std::size_t i) { return seconds(sums[i].kernels) / seconds(span(i)); };
  std::vector<std::size_t> outermost;
  std::vector<std::size_t> nested;
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    result.inside += tree.parent_of(i) != TaskTree::kNone ? 1 : 0;
    if (sums[i].inside == 0) continue;
    nested.push_back(i);
    result.levels = std::max(result.levels, sums[i].levels);
    if (tree.parent_of(i) == TaskTree::kNone) outermost.push_back(i);
  }
  result.outermost = outermost.size();
  // The sort is stable, so tasks with equal spans stay in the order of their starts.
  std::ranges::stable_sort(outermost, std::ranges::greater{}, span);
  const double shortest_s = NestedTasks::kLeastSpan * seconds(span(outermost.front()));
  std::erase_if(nested, [&](std::size_t i) { return span(i) <= Duration{} || seconds(span(i)) < shortest_s; });
  std::ranges::stable_sort(nested, {}, at_once);
  const auto first_of = [&](const std::vector<std::size_t>& events, std::vector<NestedUse>& uses) {
    for (std::size_t i = 0; i < std::min(events.size(), NestedTasks::kMost); ++i) {
      const TraceEvent& event = trace.events[events[i]];
      const Sums& all = sums[events[i]];
      uses.push_back({event.task, trace.codelet_of(event), trace.name_of(event), all.inside, all.levels, all.kernels,
                      span(events[i])});
    }
  };
  first_of(outermost, result.longest);
  first_of(nested, result.narrowest);
  return result;
}

}  // namespace troupe::traces
