/// Task tree: which task belongs to which nested task, and what nested tasks consist of.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "traces/analysis/trace_index.hpp"
#include "troupe/trace.hpp"

namespace troupe::traces {

/// The parents of a trace's events, as indices into `Trace::events`.
class TaskTree {
 public:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  TaskTree(const Trace& trace, const TraceIndex& index);

  /// Returns true if the trace has the parent of some task.
  [[nodiscard]] bool any() const { return any_; }
  /// Returns the event of the nested task that the event's task belongs to; `kNone` if there is none in the trace.
  [[nodiscard]] std::size_t parent_of(std::size_t event) const { return any_ ? parents_[event] : kNone; }
  /// Returns the number of nested tasks around the event's task.
  [[nodiscard]] std::size_t depth_of(std::size_t event) const { return any_ ? depths_[event] : 0; }
  /// Returns the last end among the event's task and all tasks that belong to it. Used only if `any()` is true.
  [[nodiscard]] TimeStamp end_of(std::size_t event) const { return ends_[event]; }
  /// The events, each after its parent. Used only if `any()` is true.
  [[nodiscard]] const std::vector<std::size_t>& parents_first() const { return parents_first_; }

 private:
  /// Fills `parents_` and `any_`.
  void find_parents(const Trace& trace, const TraceIndex& index);

  /// The vectors are empty if no task has a parent.
  std::vector<std::size_t> parents_;
  std::vector<std::size_t> depths_;
  std::vector<TimeStamp> ends_;
  std::vector<std::size_t> parents_first_;
  bool any_ = false;
};

/// Calls `visit(parent, child, at)` for each child whose parent is in the trace, in the order of the children's starts:
/// the indices of their events, and the time at which the parent's kernel submitted the child. The time is neither
/// before the parent's start nor after the child's.
template <class Visit>
void for_each_child(const Trace& trace, const TraceIndex& index, const Visit& visit) {
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& child = trace.events[i];
    if (!child.nesting.parent.valid()) continue;
    const auto parent = index.find(child.nesting.parent);
    if (!parent || trace.events[*parent].start > child.start) continue;
    visit(*parent, i, std::clamp(child.nesting.submitted, trace.events[*parent].start, child.start));
  }
}

/// A nested task with all that belongs to it.
struct NestedUse {
  TaskId task;
  std::string codelet;
  /// The task's name; empty if it has none.
  std::string name;
  /// The number of tasks inside: children, children of these, and so on.
  std::uint64_t inside = 0;
  /// The largest number of nested tasks around a task inside, counted from this task on: 1 if no child is nested.
  std::uint64_t levels = 0;
  /// The time of its own kernel and of the kernels of the tasks inside, without waits.
  Duration kernels{};
  /// The time from the begin of its kernel to the end of the last task inside.
  Duration span{};

  /// Returns how many of its kernels ran at once on average.
  [[nodiscard]] double at_once() const { return span > Duration{} ? seconds(kernels) / seconds(span) : 0; }
};

/// The nested tasks of a trace. All members are empty or zero if nothing was nested.
struct NestedTasks {
  /// The number of nested tasks that belong to no other.
  std::uint64_t outermost = 0;
  /// The number of tasks that belong to nested tasks, and the largest number of nested tasks around such a task.
  std::uint64_t inside = 0;
  std::uint64_t levels = 0;
  /// The nested tasks that belong to no other and have the largest spans, at most `kMost`, the largest first.
  std::vector<NestedUse> longest;
  /// The nested tasks, at any level, with the fewest kernels at once, at most `kMost`, the worst first. Nested tasks
  /// whose span is below `kLeastSpan` times the longest span do not count.
  std::vector<NestedUse> narrowest;

  static constexpr std::size_t kMost = 10;
  static constexpr double kLeastSpan = 0.01;
};

[[nodiscard]] NestedTasks nested_tasks(const Trace& trace, const TaskTree& tree);

}  // namespace troupe::traces
