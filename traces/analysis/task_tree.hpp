/// Task tree: which task belongs to which nested task, and what is inside the nested tasks.
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

  /// Returns true if the trace has both a child and its parent.
  [[nodiscard]] bool any() const { return any_; }
  /// Returns the index of the event of the nested task to which the event's task belongs; `kNone` if the trace has no
  /// such event.
  [[nodiscard]] std::size_t parent_of(std::size_t event) const { return any_ ? parents_[event] : kNone; }
  /// Returns the number of nested tasks around the event's task.
  [[nodiscard]] std::size_t depth_of(std::size_t event) const { return any_ ? depths_[event] : 0; }
  /// Returns the last end among the event's task and all tasks that belong to it. Used only if `any()` is true.
  [[nodiscard]] TimeStamp end_of(std::size_t event) const { return ends_[event]; }
  /// The events, each after its parent. Used only if `any()` is true.
  [[nodiscard]] const std::vector<std::size_t>& parents_first() const { return parents_first_; }

 private:
  /// Sets `parents_` and `any_`.
  void find_parents(const Trace& trace, const TraceIndex& index);

  /// The vectors are empty if no task has a parent.
  std::vector<std::size_t> parents_;
  std::vector<std::size_t> depths_;
  std::vector<TimeStamp> ends_;
  std::vector<std::size_t> parents_first_;
  bool any_ = false;
};

/// Calls `visit(parent, child, at)` for each child whose parent is in the trace, in the order of the children's starts.
/// `parent` and `child` are indices of their events. `at` is the time at which the parent's kernel submitted the child:
/// not before the parent's start, and not after the child's start.
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

/// The sizes and times of a nested task together with all tasks inside it.
struct NestedUse {
  TaskId task;
  std::string codelet;
  /// The task's name; empty if it has none.
  std::string name;
  /// The number of tasks inside: children, children of these, and so on.
  std::uint64_t inside = 0;
  /// The number of levels of tasks inside: 1 if no child is nested, 2 if children are nested but their children are
  /// not, and so on.
  std::uint64_t levels = 0;
  /// The time of the kernels of this task and of all tasks inside, without their waits for children.
  Duration kernels{};
  /// The time from the begin of this task's kernel to the end of the last task inside.
  Duration span{};

  /// Returns how many of these kernels ran at the same time, on average.
  [[nodiscard]] double at_once() const { return span > Duration{} ? seconds(kernels) / seconds(span) : 0; }
};

/// The nested tasks of a trace. All members are empty or zero if nothing was nested.
struct NestedTasks {
  /// The number of nested tasks that belong to no other nested task.
  std::uint64_t outermost = 0;
  /// `inside` is the number of tasks that belong to nested tasks. `levels` is the largest number of nested tasks around
  /// a task.
  std::uint64_t inside = 0;
  std::uint64_t levels = 0;
  /// At most `kMost` nested tasks that belong to no other nested task: those with the largest spans, the largest first.
  std::vector<NestedUse> longest;
  /// At most `kMost` nested tasks of any level: those with the fewest kernels at the same time (`at_once`), the worst
  /// first. Nested tasks whose span is below `kLeastSpan` times the longest span are left out.
  std::vector<NestedUse> narrowest;

  static constexpr std::size_t kMost = 10;
  static constexpr double kLeastSpan = 0.01;
};

[[nodiscard]] NestedTasks nested_tasks(const Trace& trace, const TaskTree& tree);

}  // namespace troupe::traces
