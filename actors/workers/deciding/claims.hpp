/// Claims: the tasks that a worker has in hand before they are ready.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "graph/tasks/task.hpp"
#include "troupe/ids.hpp"

namespace troupe::workers {

/// A task is *claimed* while `Task::issued_ahead` is true. Remembers, too, about which tasks the policy was asked: the
/// policy is asked only once about each task. Used by one thread.
class Claims {
 public:
  [[nodiscard]] bool any() const { return count_ > 0; }

  void add(graph::Task& task) {
    task.issued_ahead = true;
    ++count_;
  }
  /// Ends the claim on a task that has become ready, or that will become ready like any task that nobody has claimed.
  void end(graph::Task& task) {
    task.issued_ahead = false;
    --count_;
  }
  /// Removes the claimed tasks from a list of tasks that have become ready, and ends the claims on them.
  void keep(graph::TaskList& ready) {
    graph::TaskList others;
    while (!ready.empty()) {
      graph::Task* const task = ready.pop_front();
      if (task->issued_ahead) {
        end(*task);
      } else {
        others.push_back(task);
      }
    }
    ready = others;
  }

  /// Notes that the policy was asked about the task.
  void asked_about(TaskId task) { asked_about_[next_++ % asked_about_.size()] = task; }
  /// Returns true if the task is one of the last tasks about which the policy was asked.
  [[nodiscard]] bool was_asked_about(TaskId task) const {
    return std::ranges::find(asked_about_, task) != asked_about_.end();
  }

 private:
  std::size_t count_ = 0;
  std::array<TaskId, 64> asked_about_{};
  std::size_t next_ = 0;
};

}  // namespace troupe::workers
