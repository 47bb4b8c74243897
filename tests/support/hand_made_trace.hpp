/// Traces that tests build event by event.
#pragma once

#include <algorithm>
#include <string>

#include "troupe/trace.hpp"

namespace troupe::tests {

/// A trace that a test builds event by event. Times are in microseconds.
class HandMadeTrace {
 public:
  HandMadeTrace& task(std::uint64_t id, std::uint32_t worker, int start_us, int end_us,
                      const std::string& codelet = "work", double flops = 0) {
    TraceEvent event{
        WorkerId(worker), codelet_index(codelet), TaskId(id), at(start_us), at(end_us), flops, 0, 0, false};
    const auto place = std::find_if(trace_.events.begin(), trace_.events.end(), [&](const TraceEvent& other) {
      return other.start != event.start ? event.start < other.start : event.end < other.end;
    });
    trace_.events.insert(place, event);
    return *this;
  }
  HandMadeTrace& edge(std::uint64_t before, std::uint64_t after) {
    trace_.dependencies.push_back({TaskId(before), TaskId(after)});
    return *this;
  }
  /// Adds a dependency on all of a nested task.
  HandMadeTrace& whole_edge(std::uint64_t before, std::uint64_t after) {
    trace_.dependencies.push_back({TaskId(before), TaskId(after), true});
    return *this;
  }
  /// Makes a task that was added before a child of another.
  HandMadeTrace& child(std::uint64_t parent, std::uint64_t id, int submitted_us) {
    TraceEvent& event = event_of(id);
    event.nesting.parent = TaskId(parent);
    event.nesting.submitted = at(submitted_us);
    return *this;
  }
  /// Adds a wait in the kernel of a task that was added before. The waits of one task are added in the order of time.
  HandMadeTrace& wait(std::uint64_t id, int start_us, int end_us) {
    const TraceWait wait{TaskId(id), at(start_us), at(end_us)};
    const auto place = std::ranges::upper_bound(trace_.waits, wait.task, {}, &TraceWait::task);
    trace_.waits.insert(place, wait);
    event_of(id).nesting.waited += wait.end - wait.start;
    return *this;
  }
  HandMadeTrace& state(std::uint32_t worker, WorkerActivity state, int start_us, int end_us) {
    trace_.states.push_back({WorkerId(worker), state, at(start_us), at(end_us)});
    return *this;
  }
  HandMadeTrace& help(std::uint32_t worker, std::uint64_t task, int start_us, int end_us) {
    state(worker, WorkerActivity::helping, start_us, end_us);
    trace_.states.back().task = TaskId(task);
    return *this;
  }
  HandMadeTrace& dropped(std::uint64_t entries, int complete_until_us) {
    trace_.dropped = entries;
    trace_.complete_until = at(complete_until_us);
    return *this;
  }

  Trace& operator*() { return trace_; }
  Trace* operator->() { return &trace_; }

  static TimeStamp at(int us) { return std::chrono::microseconds(us); }

 private:
  TraceEvent& event_of(std::uint64_t id) { return *std::ranges::find(trace_.events, TaskId(id), &TraceEvent::task); }
  std::uint32_t codelet_index(const std::string& name) {
    auto& all = trace_.codelets;
    const auto found = std::find(all.begin(), all.end(), name);
    if (found != all.end()) return static_cast<std::uint32_t>(found - all.begin());
    all.push_back(name);
    return static_cast<std::uint32_t>(all.size() - 1);
  }

  Trace trace_;
};

}  // namespace troupe::tests
