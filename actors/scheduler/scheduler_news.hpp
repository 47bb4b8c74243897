/// The events that wait for the scheduler.
#pragma once

#include <atomic>
#include <functional>
#include <utility>
#include <vector>

#include "graph/tasks/task_event.hpp"
#include "proto/inbox.hpp"

namespace troupe::scheduler {

using graph::TaskEvent;

/// Collects events until the scheduler decides next. It wakes the scheduler for events after which a waiting task may
/// be placed, unless the worker makes the scheduler decide anyway. May be called from any thread.
class SchedulerNews final : public graph::TaskObserver {
 public:
  struct Options {
    /// True if workers have threads of their own, in which they make the scheduler decide when a task has ended.
    bool workers_decide = false;
    /// True while the scheduler has to decide even if the end of a task makes no other task ready. The flag must
    /// outlive this object.
    const std::atomic<bool>* ends_count = nullptr;
    std::function<void()> wake;
  };

  explicit SchedulerNews(Options options) : options_(std::move(options)) {}

  void happened(const TaskEvent& event) override {
    inbox_.post(event);
    if (wakes(event)) options_.wake();
  }
  /// Moves all events to `events`, oldest first.
  void take(std::vector<TaskEvent>& events) { inbox_.take(events); }

 private:
  [[nodiscard]] bool wakes(const TaskEvent& event) const {
    using Kind = TaskEvent::Kind;
    if (!event.makes_room()) return false;
    // The policy may keep tasks for this worker, and may now place them elsewhere.
    if (event.kind == Kind::worker_lost || event.kind == Kind::regrouped) return true;
    const bool left = event.kind == Kind::left || event.kind == Kind::dropped;
    return (left || !options_.workers_decide) && options_.ends_count->load(std::memory_order_seq_cst);
  }

  const Options options_;
  Inbox<TaskEvent> inbox_;
};

}  // namespace troupe::scheduler
