/// When each worker will have ended what was placed on it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <vector>

#include "troupe/ids.hpp"
#include "troupe/units.hpp"

namespace troupe::scheduler {

/// The time stamps of the paper (`000`, 2.3): predicted when tasks are placed, corrected whenever one starts or ends.
/// A worker starts tasks in the order in which they were placed, but for those that overtake others whose data come
/// later. Execution times are those of a task that has the device to itself: those that run in several slots of one
/// share it equally, and those that wait are taken to run one after the other behind them. Not thread-safe.
class WorkerLoads {
 public:
  explicit WorkerLoads(std::size_t workers) : workers_(workers) {}

  /// `data_at`: when its data will be there. `guess`: nobody knows well how long it takes. While it is late, it is
  /// expected to be as late again; others may end at any time then.
  void placed(WorkerId worker, TaskId task, Duration execution, TimeStamp data_at, bool guess = false);
  /// It is now predicted to take so long, running or not; nothing happens where it has ended.
  void predicted(WorkerId worker, TaskId task, Duration execution);
  void started(WorkerId worker, TaskId task, TimeStamp at);
  /// Also for one that was placed and will never run, whenever that is. Those that run on stay with what they have
  /// left.
  void ended(WorkerId worker, TaskId task, TimeStamp at);

  /// When all that was placed will have ended; `now` where nothing was. O(1), as everything here is on average where
  /// tasks start in the order in which they were placed.
  [[nodiscard]] TimeStamp available(WorkerId worker, TimeStamp now) const;
  /// When all that runs there will have ended.
  [[nodiscard]] TimeStamp free(WorkerId worker, TimeStamp now) const;
  /// Placed and not started.
  [[nodiscard]] std::size_t queued(WorkerId worker) const;
  /// The last of those of which `of(task)` is true; an invalid id where there is none.
  template <class Of>
  [[nodiscard]] TaskId last_queued(WorkerId worker, Of of) const {
    const std::deque<Waiting>& waiting = workers_[worker.index()].waiting;
    const auto found = std::find_if(waiting.rbegin(), waiting.rend(), [&](const Waiting& one) { return of(one.task); });
    return found != waiting.rend() ? found->task : TaskId{};
  }
  [[nodiscard]] bool busy(WorkerId worker) const { return !workers_[worker.index()].running.empty(); }
  /// Returns true if any task is placed anywhere.
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
    /// The rest of its execution, at `since`; zero if it takes longer than predicted.
    Duration left{};
    bool guess = false;
  };
  /// Tasks one after the other: if they begin at t, they end at max(t + `sum`, `not_before`).
  struct Line {
    Duration sum{};
    TimeStamp not_before{};

    [[nodiscard]] Line then(const Line& next) const;
  };
  struct Worker {
    std::deque<Waiting> waiting;
    std::vector<Running> running;
    /// When one of those that run has last begun or ended.
    TimeStamp since{};
    /// The last: of the first `ahead.size()` that wait; those before it: of the same without the first, and so on. So
    /// the first can leave without the others being added up.
    std::vector<Line> ahead;
    /// The line of the other waiting tasks.
    Line behind;
  };

  static Line line_of(const Waiting& waiting);
  static void remove(Worker& worker, std::size_t index);
  /// Adds up the first `count` that wait, in front of those in `ahead`.
  static void add_ahead(Worker& worker, std::size_t count);
  /// Returns the rest of the execution of one of its tasks, which had its share of the time since `since`.
  static Duration left(const Worker& worker, const Running& running, TimeStamp at);
  static void look_at_running(Worker& worker, TimeStamp at);

  std::vector<Worker> workers_;
};

}  // namespace troupe::scheduler
