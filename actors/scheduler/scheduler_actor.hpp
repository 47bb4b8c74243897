/// The actor around `SchedulerCore`. It runs only under a placing policy.
#pragma once

#include <atomic>
#include <caf/all.hpp>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "actors/scheduler/cluster_chooser.hpp"
#include "actors/scheduler/scheduler_core.hpp"
#include "actors/scheduler/scheduler_news.hpp"
#include "graph/tasks/task.hpp"
#include "proto/messages_actor.hpp"
#include "proto/mutex.hpp"

namespace troupe::scheduler {

/// The interface through which the scheduler uses the workers' queues, so that it need not know the workers.
class WorkerQueues {
 public:
  virtual ~WorkerQueues() = default;
  /// Takes the oldest task of the activation queue; returns null if there is none.
  virtual graph::Task* next_activated() = 0;
  /// Moves the events since the last call to `out`, oldest first.
  virtual void take_events(std::vector<TaskEvent>& out) = 0;
  /// Puts a task into a worker's deque and notifies the worker. If `first` is true, the task goes before all tasks that
  /// were pushed without `first`; otherwise it goes behind all tasks.
  virtual void push(graph::Task* task, WorkerId worker, bool first) = 0;
  /// Takes a task from this worker's deque and activates it again. Has no effect if the task has begun.
  virtual void take_back(TaskId task, WorkerId worker) = 0;
  /// Asks the memory manager, if there is one, to copy the data that the task reads to a node.
  virtual void prefetch(NodeId node, const graph::Task& task, std::span<const memory::Use> uses) = 0;
  [[nodiscard]] virtual TimeStamp now() const = 0;
  /// Groups the cores into other clusters; `grouping` is an index in the chooser's list of groupings.
  virtual void regroup(std::size_t grouping) = 0;
  /// Returns true while the cores are being regrouped: `SchedulerCore` may then know only some of the changes.
  [[nodiscard]] virtual bool regroups() const = 0;
  /// Reports that the policy failed. Its tasks have been placed without the policy.
  virtual void policy_failed(const std::string& what) = 0;
};

struct SchedulerState {
  SchedulerState(std::shared_ptr<WorkerQueues> queues, SchedulerCore core,
                 std::shared_ptr<SubmittedTasks> submitted = nullptr)
      : queues(std::move(queues)), core(std::move(core)), submitted(std::move(submitted)) {}

  /// Takes the tasks that were activated and the events since the last call; then decides.
  SchedulerCore::Decision look() TROUPE_REQUIRES(mutex);
  /// Carries out a decision. Returns true if the ends of tasks wake the scheduler from now on (`ends_count`). Tasks
  /// that ended earlier may not have woken the scheduler, so the caller then has to look for events once more.
  bool perform(const SchedulerCore::Decision& decision) TROUPE_REQUIRES(mutex);
  /// Calls `look` and `perform`. Returns true if the caller has to send `Decide` to the actor.
  bool decide() TROUPE_REQUIRES(mutex);
  /// The message that the caller must send to the actor for the remaining work: none, `TasksActivated` or `Decide`.
  enum class Left : std::uint8_t { nothing, activated, decide };
  /// Does what the actor does for `TasksActivated`, unless another thread is deciding. It runs in a worker's thread,
  /// which would otherwise have to wait until the actor's thread wakes up. Never throws: an exception that would have
  /// ended the actor is kept, and the actor throws it later.
  [[nodiscard]] Left try_to_decide() noexcept;
  /// Works like `try_to_decide`, but decides only if no other task is under way. It runs in the thread of a program
  /// that has submitted a task. A program that waits for each of its tasks would otherwise wait until the actor's
  /// thread wakes up. If other tasks are under way, the actor decides instead: then workers have work meanwhile, and
  /// the policy sees several tasks at a time.
  [[nodiscard]] Left try_to_decide_alone() noexcept;
  /// The task waits only for tasks on this worker's device. Returns true if the policy would place it on this worker;
  /// the task then counts as placed there. Returns nothing if another thread is deciding.
  [[nodiscard]] std::optional<bool> may_issue(WorkerId worker, const graph::Task& task) noexcept;
  /// Called after the actor has died: places all tasks in `undecided` and in the activation queue. A new actor may then
  /// continue with this state.
  void rescue(const std::string& reason);
  /// Returns the predicted and the measured times up to now, by codelet and kind of device. Returns nothing while the
  /// policy takes longer than 0.1 s to decide. May be called from any thread.
  [[nodiscard]] std::vector<PredictionReport> predictions();
  /// Returns true if the chooser's next look is due, even if no task has become ready. May be called from any thread
  /// after `choose_clusters_by` was called.
  [[nodiscard]] bool wants_to_look() const TROUPE_NO_THREAD_SAFETY_ANALYSIS { return clusters->due(queues->now()); }
  /// From now on, a `ClusterChooser` with these options regroups the cores. Called before the first task.
  void choose_clusters_by(ClusterChooser::Options options);
  /// Returns the number of tasks that the actor has taken and not placed. May be called from any thread.
  [[nodiscard]] std::size_t undecided_count() const { return undecided_count_.load(std::memory_order_relaxed); }

  /// A task that has not been placed, with the list of its data to which its `ReadyTask` refers.
  struct Undecided {
    graph::Task* task = nullptr;
    std::vector<memory::Use> uses;
  };

  std::shared_ptr<WorkerQueues> queues;
  /// The actor holds this mutex while it works; other threads hold it to read the state.
  TimedMutex mutex;
  SchedulerCore core TROUPE_GUARDED_BY(mutex);
  /// Empty if the cores are never regrouped, or only when the program requests it.
  std::optional<ClusterChooser> clusters TROUPE_GUARDED_BY(mutex);
  /// If null, working sets and size classes are not computed.
  std::shared_ptr<SubmittedTasks> submitted;
  /// Tasks that the policy has not decided about, by id. The map is never iterated over for a decision.
  std::unordered_map<TaskId, Undecided> undecided TROUPE_GUARDED_BY(mutex);
  /// Points to a flag that is true while the core holds tasks back: a thread that ends a task then has to wake the
  /// scheduler. If the pointer is null, every end of a task wakes the scheduler.
  std::atomic<bool>* ends_count = nullptr;
  /// The working sets of tasks that were placed without asking the policy. They are kept in memory because a policy
  /// with `keeps` may still refer to them. Empty unless the policy failed or the actor died.
  std::vector<std::vector<memory::Use>> taken_away TROUPE_GUARDED_BY(mutex);
  std::vector<TaskEvent> events TROUPE_GUARDED_BY(mutex);

 private:
  ReadyTask take(graph::Task* task) TROUPE_REQUIRES(mutex);
  /// Returns the task as the policy sees it; `uses` must outlive the returned task.
  [[nodiscard]] ReadyTask described(const graph::Task& task, std::span<const memory::Use> uses) const
      TROUPE_REQUIRES(mutex);
  void perform(const Placed& placed, bool first) TROUPE_REQUIRES(mutex);
  /// Calls `look` and `perform`, and keeps an exception for the actor.
  Left decide_here() noexcept TROUPE_REQUIRES(mutex);
  /// Passes the events since the last call to the core.
  void take_events() TROUPE_REQUIRES(mutex);
  /// Regroups the cores if the chooser decides so. Called before `tasks`, which are ready, are placed.
  void choose_clusters(std::span<const ReadyTask> tasks) TROUPE_REQUIRES(mutex);

  /// An exception caught in a worker's thread. The actor then ends with this exception, so that a new actor replaces
  /// it, and the undecided tasks are placed.
  std::exception_ptr failed_ TROUPE_GUARDED_BY(mutex);
  /// True if a worker may have room, and the core has not yet been asked what to place there.
  bool made_room_ TROUPE_GUARDED_BY(mutex) = false;

 public:
  /// A copy of `undecided.size()`, for threads that do not hold the mutex.
  std::atomic<std::size_t> undecided_count_{0};

 private:
  /// The number of tasks under way at the last decision; some may have ended since.
  std::atomic<std::size_t> under_way_{0};
};

/// Returns the behaviour, which handles `TasksActivated`, `Decide` and `Stop`.
caf::behavior scheduler_behavior(caf::event_based_actor* self, std::shared_ptr<SchedulerState> state);

}  // namespace troupe::scheduler
