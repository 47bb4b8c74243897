/// Task events: what happens to tasks on workers, and to the workers and data that tasks need.
#pragma once

#include <cstdint>
#include <vector>

#include "proto/memory.hpp"
#include "troupe/ids.hpp"
#include "troupe/units.hpp"

namespace troupe::graph {

/// An event. Only the fields that the comment of the event's kind names have a meaning.
struct TaskEvent {
  enum class Kind : std::uint8_t {
    /// `task` has begun on `worker` at `at`.
    started,
    /// `worker` runs pieces of a task that another worker has begun.
    joined,
    /// No further worker can join `task`, because all its pieces are taken.
    all_taken,
    /// `worker` runs no more pieces of `task`, which this worker or another worker has begun. When no worker runs its
    /// pieces any more, the event for the end of the task follows.
    stopped,
    /// The kernel of `task` waits for other tasks, which `worker` may run meanwhile. The running time of `task` has no
    /// meaning from here on.
    suspended,
    /// `task` has ended without failure at `at`, and is about to be completed. It used its device for `took`, which is
    /// less than its running time if other tasks ran at the same time.
    ended,
    /// `task` has failed at `at`, or was cancelled while it ran, and is about to be completed.
    failed,
    /// `task` has left `worker` without having run there, because it waits for a commute lock, or because it will run
    /// elsewhere or later.
    left,
    /// `task` has left `worker` without having run, and has ended: it was cancelled, or its data could not be made
    /// available. The task's record may no longer exist.
    dropped,
    /// `worker` cannot run anything any more.
    worker_lost,
    /// `worker` has `cores` cores from here on; if `cores` is 0, the worker runs nothing until it has cores again.
    regrouped,
    /// The data of `handle` are in `state` on `node`.
    replica_changed,
  };
  Kind kind = Kind::started;
  memory::ReplicaState state = memory::ReplicaState::invalid;
  WorkerId worker = {};
  NodeId node = {};
  TaskId task = {};
  int cores = 0;
  HandleId handle = {};
  TimeStamp at{};
  Duration took{};

  /// Returns true if a worker may have more room now than before the event.
  [[nodiscard]] bool makes_room() const {
    return kind != Kind::started && kind != Kind::joined && kind != Kind::replica_changed;
  }
  [[nodiscard]] bool ends_task() const { return kind == Kind::ended || kind == Kind::failed || kind == Kind::dropped; }
};

class TaskObserver {
 public:
  virtual ~TaskObserver() = default;
  /// Handles an event. Called in the thread in which the event happens; events of a task happen in its worker's thread.
  virtual void happened(const TaskEvent& event) = 0;
};

/// Passes each event to several observers, one after the other; they outlive this object.
class TaskObservers final : public TaskObserver {
 public:
  void add(TaskObserver& observer) { observers_.push_back(&observer); }
  void happened(const TaskEvent& event) override {
    for (TaskObserver* const observer : observers_) observer->happened(event);
  }

 private:
  std::vector<TaskObserver*> observers_;
};

}  // namespace troupe::graph
