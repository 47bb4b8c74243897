/// Taken tasks: the tasks that a worker has taken and that have not started.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "graph/tasks/task.hpp"

namespace troupe::workers {

/// A task that was taken and has not started. The task waits for its data or, when the data have arrived, for the
/// device.
struct TakenTask {
  graph::Task* task = nullptr;
  /// True if the task's data have arrived.
  bool acquired = false;
  /// True if `TaskGraph::begin` has been called for the task, because the task was ready when it was taken.
  bool begun = true;
  /// True if the device must not get the task before it is ready.
  bool put_off = false;
};

/// The tasks that wait for data are in the order in which they were taken. The tasks that wait for the device come
/// after them, in the order in which their data arrived. A function that takes a task removes it from here. Used by one
/// thread.
class TakenTasks {
 public:
  /// `most` tasks have room, because a task that was taken must not be lost for lack of memory. If `urgent_first` is
  /// true, a task of a higher priority starts earlier.
  TakenTasks(std::size_t most, bool urgent_first) : urgent_first_(urgent_first) { tasks_.reserve(most); }

  [[nodiscard]] bool empty() const { return tasks_.empty(); }
  [[nodiscard]] std::size_t size() const { return tasks_.size(); }
  [[nodiscard]] const std::vector<TakenTask>& all() const { return tasks_; }
  /// Returns true if the data of any task have arrived.
  [[nodiscard]] bool any_acquired() const { return std::ranges::any_of(tasks_, &TakenTask::acquired); }

  void add(const TakenTask& one) { tasks_.push_back(one); }
  void clear() { tasks_.clear(); }
  /// Called when the task's data have arrived. Does nothing if the task is not here.
  void acquired(const graph::Task& task);

  /// Takes the task if it still waits for its data.
  std::optional<TakenTask> take_waiting(const graph::Task& task);
  /// Takes the task that is to start next among the tasks for which `may(one)` is true.
  template <class May>
  std::optional<TakenTask> take_next(May may) {
    auto best = tasks_.end();
    for (auto one = tasks_.begin(); one != tasks_.end(); ++one) {
      if ((best == tasks_.end() || comes_before(*one->task, *best->task)) && std::invoke(may, *one)) best = one;
    }
    return take(best);
  }
  /// Takes the first task, in the order of this list, for which `is_meant(one)` is true.
  template <class IsMeant>
  std::optional<TakenTask> take_first(IsMeant is_meant) {
    return take(std::ranges::find_if(tasks_, is_meant));
  }
  std::optional<TakenTask> take_last() { return take(tasks_.empty() ? tasks_.end() : tasks_.end() - 1); }

 private:
  [[nodiscard]] bool comes_before(const graph::Task& one, const graph::Task& other) const;
  std::optional<TakenTask> take(std::vector<TakenTask>::iterator found);

  const bool urgent_first_;
  std::vector<TakenTask> tasks_;
};

}  // namespace troupe::workers
