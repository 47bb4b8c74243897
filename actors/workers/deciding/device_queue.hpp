/// Device queue: the tasks that a worker has given to a device that can queue tasks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "actors/workers/deciding/codelet_times.hpp"
#include "graph/tasks/task.hpp"
#include "troupe/units.hpp"

namespace troupe::workers {

/// The device runs `slots` tasks at a time. The others are *ahead*: they wait on the device for a slot, or for tasks
/// that are on the device, too. If the device does not queue tasks (`most_ahead` is 0), the queue stays empty. Used by
/// one thread.
class DeviceQueue {
 public:
  struct Limits {
    std::size_t slots = 1;
    /// The limits for tasks that are ahead: their number (the caller keeps to it), and the time that they may take
    /// together, as estimated from earlier tasks of their codelets.
    std::size_t most_ahead = 0;
    Duration work_ahead{};
  };

  /// `most` tasks have room.
  DeviceQueue(const Limits& limits, std::size_t most);

  /// Returns true if the device can queue tasks.
  [[nodiscard]] bool queues() const { return limits_.most_ahead > 0; }
  [[nodiscard]] bool empty() const { return tasks_.empty(); }
  /// Returns true if one more task may be ahead: the time of its codelet is known, and is short enough.
  [[nodiscard]] bool fits_ahead(const graph::Task& task) const;

  /// Called when the device gets a task, after those that are on the device. `begun` is true if `TaskGraph::begin` has
  /// been called for the task.
  void add(graph::Task& task, bool ahead, bool begun);
  /// Called when a task leaves the device, because it has ended or will start again. The next task that is ahead gets
  /// the slot that has become free. Returns true if `TaskGraph::begin` has been called for the task.
  bool remove(const graph::Task& task);
  /// Notes that a task has used the device for this time.
  void note_time(const graph::Task& task, Duration took) { times_.note(task, took); }

  /// Returns the tasks on the device for which `task` waits; none if the task also waits for another task, or for none.
  /// The result is valid until the next call.
  [[nodiscard]] std::span<graph::Task* const> predecessors(const graph::Task& task);
  /// Returns the tasks that wait only for tasks on the device, the most urgent ones and then the oldest ones first. The
  /// result is valid until the next call.
  [[nodiscard]] std::span<graph::Task* const> followers();

 private:
  struct OnDevice {
    graph::Task* task = nullptr;
    /// The time that the task will probably take; zero if it is not known.
    Duration expected{};
    bool ahead = false;
    bool begun = true;
  };

  const Limits limits_;
  /// The tasks on the device, in the order in which it got them.
  std::vector<OnDevice> tasks_;
  CodeletTimes times_;
  // The results of `predecessors` and `followers` are members only to save allocations.
  std::vector<graph::Task*> predecessors_;
  std::vector<graph::Task*> followers_;
};

}  // namespace troupe::workers
