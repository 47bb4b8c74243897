/// Predicts when each worker will have ended the tasks placed on it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

#include "troupe/ids.hpp"
#include "troupe/units.hpp"

namespace troupe::scheduler {

/// The time stamps of Bleuse et al. (Euro-Par 2014, section 2.3): predicted when tasks are placed, corrected whenever a
/// task starts or ends. A worker starts tasks in the order in which they were placed, except that a task overtakes
/// others whose data arrive later. Execution times are those of a task that has the device to itself. Tasks that run in
/// several slots of a device share it equally, and waiting tasks are assumed to run after them, one after the other.
/// Not thread-safe.
class WorkerLoads {
 public:
  explicit WorkerLoads(std::size_t workers) : workers_(workers) {}

  /// `data_at` is the time when the task's data will have arrived. `guess` is true if `execution` is very uncertain: if
  /// such a task is late by some time, the task is expected to need that time once more. Other late tasks are expected
  /// to end at once.
  void placed(WorkerId worker, TaskId task, Duration execution, TimeStamp data_at, bool guess = false);
  /// Corrects the predicted time of a task that waits or runs on the worker; does nothing if it has ended.
  void predicted(WorkerId worker, TaskId task, Duration execution);
  void started(WorkerId worker, TaskId task, TimeStamp at);
  /// Removes a task that has ended, or that was placed and will never run. Other running tasks keep their remaining
  /// times.
  void ended(WorkerId worker, TaskId task, TimeStamp at);

  /// Returns the predicted time at which all tasks placed on the worker will have ended; `now` if there are none. O(1).
  /// All functions here take O(1) on average if tasks start in the order in which they were placed.
  [[nodiscard]] TimeStamp available(WorkerId worker, TimeStamp now) const;
  /// Returns the predicted time at which the tasks that run on the worker will have ended; `now` if none runs.
  [[nodiscard]] TimeStamp free(WorkerId worker, TimeStamp now) const;
  /// Returns the number of tasks that are placed on the worker and have not started.
  [[nodiscard]] std::size_t queued(WorkerId worker) const;
  /// Returns the last waiting task for which `of(task)` is true; an invalid id if there is none.
  template <class Of>
  [[nodiscard]] TaskId last_queued(WorkerId worker, Of of) const {
    const std::deque<Waiting>& waiting = workers_[worker.index()].waiting;
    const auto found = std::find_if(waiting.rbegin(), waiting.rend(), [&](const Waiting& one) { return of(one.task); });
    return found != waiting.rend() ? found->task : TaskId{};
  }
  [[nodiscard]] bool busy(WorkerId worker) const { return !workers_[worker.index()].running.empty(); }
  /// Returns true if any worker has a placed task.
  [[nodiscard]] bool anything() const;

 private:
  struct Waiting {
    TaskId task;
    Duration execution{};
    TimeStamp data_at{};
    bool guess = false;
  };
  struct Running {
    TaskId task;
    Duration execution{};
    /// The remaining execution time at `since`; zero if the task is later than predicted and `guess` is false.
    Duration left{};
    bool guess = false;
  };
  /// The sum of tasks that run one after the other: if they begin at t, they end at max(t + `sum`, `not_before`).
  struct Line {
    Duration sum{};
    TimeStamp not_before{};

    [[nodiscard]] Line then(const Line& next) const;
  };
  struct Worker {
    std::deque<Waiting> waiting;
    std::vector<Running> running;
    /// The last time at which a task began or ended on this worker.
    TimeStamp since{};
    /// Sums over the first `ahead.size()` waiting tasks: the last element covers all of these, the element before it
    /// covers all but the first, and so on. So removing the first task needs no new sums.
    std::vector<Line> ahead;
    /// The sum over the waiting tasks that `ahead` does not cover.
    Line behind;
  };

  static Line line_of(const Waiting& waiting);
  static void remove(Worker& worker, std::size_t index);
  /// Adds the first `count` waiting tasks in front of those in `ahead`.
  static void add_ahead(Worker& worker, std::size_t count);
  /// Returns a running task's remaining execution time at `at`. Since `since`, all running tasks have shared the
  /// device.
  static Duration left(const Worker& worker, const Running& running, TimeStamp at);
  static void look_at_running(Worker& worker, TimeStamp at);

  std::vector<Worker> workers_;
};

}  // namespace troupe::scheduler
