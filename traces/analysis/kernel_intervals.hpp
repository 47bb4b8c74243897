/// Kernel intervals: the times in which a task's kernel ran, without the times in which it waited for children.
#pragma once

#include <algorithm>
#include <span>

#include "traces/analysis/intervals.hpp"
#include "troupe/trace.hpp"

namespace troupe::traces {

/// Returns the waits of a task's kernel for children, in the order of time. Takes log n steps.
[[nodiscard]] inline std::span<const TraceWait> waits_of(const Trace& trace, TaskId task) {
  const auto first = std::ranges::lower_bound(trace.waits, task, {}, &TraceWait::task);
  return {first, std::ranges::upper_bound(first, trace.waits.end(), task, {}, &TraceWait::task)};
}

/// Calls `visit(interval)` for each interval in which the kernel of the event ran, in the order of time. There is only
/// one interval if the kernel has not waited for children.
template <class Visit>
void for_each_kernel_interval(const Trace& trace, const TraceEvent& event, const Visit& visit) {
  TimeStamp from = event.start;
  for (const TraceWait& wait : waits_of(trace, event.task)) {
    if (wait.start < from || wait.end > event.end || wait.end <= wait.start) continue;
    visit(Interval{from, wait.start});
    from = wait.end;
  }
  visit(Interval{from, event.end});
}

}  // namespace troupe::traces
