/// A wait for data that blocks no thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "graph/tasks/task.hpp"
#include "graph/tasks/task_waiter.hpp"
#include "graph/tasks/waiting_threads.hpp"
#include "troupe/handle.hpp"

namespace troupe::graph {

/// The state between `TaskGraph::begin_acquire`, `begin_change` or `begin_repartition` and the function that finishes
/// it. Must not be destroyed before that function is called.
class PendingHold {
 public:
  explicit PendingHold(std::function<void()> ready) : waiter_(std::move(ready)) {}
  PendingHold(const PendingHold&) = delete;
  PendingHold& operator=(const PendingHold&) = delete;

 private:
  friend class TaskGraph;

  /// Called when the hold has been submitted. `ready` says whether the data may be used already. The note may come
  /// late, because it serves inspections only, and a wait that has ended needs no note.
  void begin(WaitingThreads& threads, WaitKind kind, bool ready) {
    note_.emplace(threads, kind, hold_->task_id());
    if (ready) waiter_.signal();
  }

  TaskWaiter waiter_;
  Handle handle_;
  Task* hold_ = nullptr;
  bool releasing_ = false;
  bool dividing_ = false;
  /// The entry by which `TaskGraph::inspect` sees this wait.
  std::optional<WaitingThreads::Note> note_;
};

/// The result of `TaskGraph::begin_repartition`: the new parts, or the wait before `finish_repartition` makes them.
struct BegunRepartition {
  std::vector<Handle> parts;
  /// Null if the parts have been replaced already.
  std::unique_ptr<PendingHold> pending;
};

}  // namespace troupe::graph
