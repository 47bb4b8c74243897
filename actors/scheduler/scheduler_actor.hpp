/// The actor around `SchedulerCore`. Runs only under a placing policy.
#pragma once

#include <atomic>
#include <caf/all.hpp>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/scheduler/scheduler_core.hpp"
#include "graph/task.hpp"
#include "proto/messages_actor.hpp"

namespace troupe::scheduler {

/// What the scheduler needs of the workers, which it does not know.
class WorkerQueues {
 public:
  virtual ~WorkerQueues() = default;
  /// Takes the oldest task of the activation queue, or null.
  virtual graph::Task* next_activated() = 0;
  /// Ready tasks in each worker's deque.
  virtual void queued(std::vector<std::size_t>& out) const = 0;
  /// Puts a task into a worker's deque and tells the worker.
  virtual void push(graph::Task* task, WorkerId worker) = 0;
  /// The policy did not do its part; the tasks have been placed without it.
  virtual void policy_failed(const std::string& what) = 0;
};

struct SchedulerState {
  SchedulerState(std::shared_ptr<WorkerQueues> queues, SchedulerCore core)
      : queues(std::move(queues)), core(std::move(core)) {}

  void perform(const SchedulerCore::Decision& decision);
  /// After the actor has died, in place of it: nothing lies with it or in the activation queue any more, and another
  /// actor may go on with this state.
  void rescue(const std::string& reason);
  /// Tasks that the actor has taken and not placed. Any thread.
  [[nodiscard]] std::size_t undecided_count() const { return undecided_count_.load(std::memory_order_relaxed); }

  std::shared_ptr<WorkerQueues> queues;
  SchedulerCore core;
  /// Tasks that a policy in rounds has not decided about, by id; looked up only.
  std::unordered_map<TaskId, graph::Task*> undecided;
  std::vector<std::size_t> lengths;

  /// `undecided.size()`, for who looks from outside.
  std::atomic<std::size_t> undecided_count_{0};
};

/// Hears `TasksActivated`, `Decide`, `Stop`.
caf::behavior scheduler_behavior(caf::event_based_actor* self, std::shared_ptr<SchedulerState> state);

}  // namespace troupe::scheduler
