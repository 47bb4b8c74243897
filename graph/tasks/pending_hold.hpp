/// A wait for data that blocks no thread.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "graph/tasks/task_waiter.hpp"
#include "graph/tasks/waiting_threads.hpp"
#include "troupe/handle.hpp"

namespace troupe::graph {

/// The state between a `begin_…` function of `TaskGraph`, such as `begin_acquire`, and the matching `finish_…`
/// function. Must live until the `finish_…` function is called.
class PendingHold {
 public:
  explicit PendingHold(std::function<void()> ready) : waiter_(std::move(ready)) {}
  PendingHold(const PendingHold&) = delete;
  PendingHold& operator=(const PendingHold&) = delete;

 private:
  friend class TaskGraph;

  TaskWaiter waiter_;
  Handle handle_;
  Task* hold_ = nullptr;
  bool releasing_ = false;
  /// The entry by which `TaskGraph::inspect` sees this wait.
  std::optional<WaitingThreads::Note> note_;
};

}  // namespace troupe::graph
