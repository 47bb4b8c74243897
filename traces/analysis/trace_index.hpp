/// Trace index: finds the event of a task by the task's id.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "troupe/trace.hpp"

namespace troupe::traces {

/// Finds tasks among the events of a trace, in log n steps. Keeps indices, not the events.
class TraceIndex {
 public:
  explicit TraceIndex(const Trace& trace) {
    by_task_.reserve(trace.events.size());
    for (std::size_t i = 0; i < trace.events.size(); ++i) by_task_.emplace_back(trace.events[i].task, i);
    std::sort(by_task_.begin(), by_task_.end());
  }

  /// Returns the index of the task's event in `Trace::events`; nothing if the trace has no event of the task.
  [[nodiscard]] std::optional<std::size_t> find(TaskId task) const {
    const auto found = std::lower_bound(by_task_.begin(), by_task_.end(), std::pair(task, std::size_t{0}));
    if (found == by_task_.end() || found->first != task) return std::nullopt;
    return found->second;
  }

 private:
  std::vector<std::pair<TaskId, std::size_t>> by_task_;
};

}  // namespace troupe::traces
