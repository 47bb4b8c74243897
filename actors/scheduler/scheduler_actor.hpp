/// The actor around `SchedulerCore`. Runs only under a placing policy.
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

/// The scheduler's view of the workers' queues; it does not know the workers.
class WorkerQueues {
 public:
  virtual ~WorkerQueues() = default;
  /// Takes the oldest task of the activation queue, or null.
  virtual graph::Task* next_activated() = 0;
  /// Takes out what has happened since the last call, oldest first.
  virtual void take_events(std::vector<TaskEvent>& out) = 0;
  /// Puts a task into a worker's deque, behind the others or before all but those that came so, and tells the worker.
  virtual void push(graph::Task* task, WorkerId worker, bool first) = 0;
  /// A task that lies with this worker and has not begun is to be activated again.
  virtual void take_back(TaskId task, WorkerId worker) = 0;
  /// Asks the memory manager, if there is one, to bring what the task reads to a node.
  virtual void prefetch(NodeId node, const graph::Task& task, std::span<const memory::Use> uses) = 0;
  [[nodiscard]] virtual TimeStamp now() const = 0;
  /// Groups the cores otherwise: as the chooser's grouping of that number says.
  virtual void regroup(std::size_t grouping) = 0;
  /// They are about to be grouped otherwise: what the core knows of them may be half of it.
  [[nodiscard]] virtual bool regroups() const = 0;
  /// The policy did not do its part; the tasks have been placed without it.
  virtual void policy_failed(const std::string& what) = 0;
};

struct SchedulerState {
  SchedulerState(std::shared_ptr<WorkerQueues> queues, SchedulerCore core,
                 std::shared_ptr<SubmittedTasks> submitted = nullptr)
      : queues(std::move(queues)), core(std::move(core)), submitted(std::move(submitted)) {}

  /// Takes what was activated, and what else has happened; then decides.
  SchedulerCore::Decision look() TROUPE_REQUIRES(mutex);
  /// True: from now on ends count (`ends_count`), and one that came before may have been told to nobody, so the caller
  /// looks once more.
  bool perform(const SchedulerCore::Decision& decision) TROUPE_REQUIRES(mutex);
  /// Both. True: send `Decide`.
  bool decide() TROUPE_REQUIRES(mutex);
  /// The message that the actor is to be sent, because this was not done here: none, `TasksActivated` or `Decide`.
  enum class Left : std::uint8_t { nothing, activated, decide };
  /// Does what the actor does about `TasksActivated`, unless another thread is at it. It runs in a worker's thread,
  /// which would otherwise have to wait until the actor's wakes up. Never throws: an exception that would have ended
  /// the actor is kept for it.
  [[nodiscard]] Left try_to_decide() noexcept;
  /// Does the same in the thread of a program that has submitted a task, if no other task is under way: a program that
  /// waits for each of its tasks would have to wait until the actor's thread wakes up, too. If there are other tasks
  /// the program does not wait like that, and the policy is to see more than one task at a time.
  [[nodiscard]] Left try_to_decide_alone() noexcept;
  /// Returns true if the policy would place the task on this worker, whose device runs all that the task still waits
  /// for; the task is then placed there. Returns nothing if another thread is deciding.
  [[nodiscard]] std::optional<bool> may_issue(WorkerId worker, const graph::Task& task) noexcept;
  /// After the actor has died, in place of it: nothing lies with it or in the activation queue any more, and another
  /// actor may go on with this state.
  void rescue(const std::string& reason);
  /// Returns the predicted and the measured times up to now, by codelet and kind of device. Returns nothing while the
  /// policy takes longer than 0.1 s to decide. Any thread.
  [[nodiscard]] std::vector<PredictionReport> predictions();
  /// The chooser wants to look though nothing may have become ready. Any thread, once `choose_clusters_by` was called.
  [[nodiscard]] bool wants_to_look() const TROUPE_NO_THREAD_SAFETY_ANALYSIS { return clusters->due(queues->now()); }
  /// Before the first task: from now on the cores are grouped as suits what is left to do.
  void choose_clusters_by(ClusterChooser::Options options);
  /// Tasks that the actor has taken and not placed. Any thread.
  [[nodiscard]] std::size_t undecided_count() const { return undecided_count_.load(std::memory_order_relaxed); }

  /// A task that has not been placed, with what the core's `ReadyTask` refers to.
  struct Undecided {
    graph::Task* task = nullptr;
    std::vector<memory::Use> uses;
  };

  std::shared_ptr<WorkerQueues> queues;
  /// The actor works while others look.
  TimedMutex mutex;
  SchedulerCore core TROUPE_GUARDED_BY(mutex);
  /// Nothing where the cores stay as they are, or the program says when they change.
  std::optional<ClusterChooser> clusters TROUPE_GUARDED_BY(mutex);
  /// Null: working sets and size classes are not looked at.
  std::shared_ptr<SubmittedTasks> submitted;
  /// Tasks that the policy has not decided about, by id; looked up only.
  std::unordered_map<TaskId, Undecided> undecided TROUPE_GUARDED_BY(mutex);
  /// Set while the core holds tasks: then whoever ends a task has to say so. Null: they always do.
  std::atomic<bool>* ends_count = nullptr;
  /// Working sets of tasks that were placed without a policy that keeps tasks: it may still look at them. There are any
  /// only where it failed or the actor died.
  std::vector<std::vector<memory::Use>> taken_away TROUPE_GUARDED_BY(mutex);
  std::vector<TaskEvent> events TROUPE_GUARDED_BY(mutex);

 private:
  ReadyTask take(graph::Task* task) TROUPE_REQUIRES(mutex);
  /// Returns the task as the policy sees it; `uses` have to outlive that.
  [[nodiscard]] ReadyTask described(const graph::Task& task, std::span<const memory::Use> uses) const
      TROUPE_REQUIRES(mutex);
  void perform(const Placed& placed, bool first) TROUPE_REQUIRES(mutex);
  /// `look` and `perform`; what is thrown is kept for the actor.
  Left decide_here() noexcept TROUPE_REQUIRES(mutex);
  /// Tells the core what has happened.
  void take_events() TROUPE_REQUIRES(mutex);
  /// Before these tasks, which are ready, are placed.
  void choose_clusters(std::span<const ReadyTask> tasks) TROUPE_REQUIRES(mutex);

  /// The exception of a worker's thread. The actor is to end with it, so that it is replaced and the tasks that lie
  /// here are placed.
  std::exception_ptr failed_ TROUPE_GUARDED_BY(mutex);
  /// A worker may have room, and the core has not been asked what follows.
  bool made_room_ TROUPE_GUARDED_BY(mutex) = false;

 public:
  /// `undecided.size()`, for who looks from outside.
  std::atomic<std::size_t> undecided_count_{0};

 private:
  /// The number of tasks under way at the last decision; some may have ended since.
  std::atomic<std::size_t> under_way_{0};
};

/// Hears `TasksActivated`, `Decide`, `Stop`.
caf::behavior scheduler_behavior(caf::event_based_actor* self, std::shared_ptr<SchedulerState> state);

}  // namespace troupe::scheduler
