/// The crew: what the workers of one runtime have in common.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "actors/workers/grouping.hpp"
#include "actors/workers/queues/entry_queue.hpp"
#include "actors/workers/queues/idle_set.hpp"
#include "actors/workers/queues/task_deque.hpp"
#include "actors/workers/restricted_queues.hpp"
#include "actors/workers/shared_pieces.hpp"
#include "actors/workers/shares.hpp"
#include "actors/workers/standing.hpp"
#include "actors/workers/team_counters.hpp"
#include "actors/workers/worker_trace.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "graph/task_graph.hpp"
#include "graph/tasks/failure_log.hpp"
#include "graph/tasks/graph_snapshot.hpp"
#include "graph/tasks/task_event.hpp"
#include "proto/spin_lock.hpp"
#include "proto/steal_plan.hpp"
#include "troupe/devices.hpp"
#include "troupe/units.hpp"

namespace troupe::workers {

/// The counts and times of one worker. Only the worker writes these fields. Another thread reads exact numbers while
/// the worker is idle, and recent numbers while the worker works.
struct WorkerCounters {
  std::atomic<std::uint64_t> tasks{0};
  std::atomic<std::uint64_t> steals{0};
  std::atomic<std::uint64_t> stolen_tasks{0};
  std::atomic<std::uint64_t> failed_steals{0};
  /// `pieces` is the number of pieces that this worker ran (of tasks that several workers can run together).
  /// `stolen_pieces` is the number of those pieces whose task another worker had begun.
  std::atomic<std::uint64_t> pieces{0};
  std::atomic<std::uint64_t> stolen_pieces{0};
  /// The number of tasks that the device was given early, while they still waited for other tasks on the device.
  std::atomic<std::uint64_t> issued_ahead{0};
  std::atomic<std::uint64_t> parks{0};
  /// `busy_ns` is the time in which the worker had work, in nanoseconds. `busy_since` is the time at which the worker
  /// found its present work; 0 if it has none.
  std::atomic<std::int64_t> busy_ns{0};
  std::atomic<TimeStamp::rep> busy_since{0};
  /// Nanoseconds spent looking for work before the worker slept.
  std::atomic<std::int64_t> searching_ns{0};
  /// Nanoseconds in which tasks waited for their data and no task ran.
  std::atomic<std::int64_t> data_wait_ns{0};

  /// Returns the time in which the worker had work, up to `now`: `busy_ns` grows only when the worker becomes idle.
  [[nodiscard]] Duration busy(TimeStamp now) const {
    const auto since = busy_since.load(std::memory_order_relaxed);
    const Duration counted(busy_ns.load(std::memory_order_relaxed));
    return since == 0 ? counted : counted + std::max(Duration{}, now - TimeStamp(since));
  }

  /// Adds to a counter that only the calling thread writes.
  template <class T>
  static void add(std::atomic<T>& counter, T amount) {
    counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
};

/// A victim's answer to a steal request: half of the victim's tasks. A victim is a worker from which another worker
/// steals.
struct StealAnswer {
  WorkerId victim;
  graph::TaskList tasks;
};

/// A task whose data can never be brought to the worker that asked for the data. The task may run on workers of the
/// kinds in `elsewhere`. If there are no such kinds, the task has failed, and `cause` says why.
struct Refused {
  graph::Task* task = nullptr;
  KindSet elsewhere = 0;
  graph::FailureLog::Cause cause;
};

/// The interface through which a waiting kernel calls the worker that runs the kernel.
class KernelWaits {
 public:
  virtual ~KernelWaits() = default;
  /// Called in the thread that runs the kernel. Runs tasks of the kernel's own nested task, or lets another thread be
  /// the worker, until the wait is over. Fails if the kernel cannot wait.
  virtual Result<void> wait(graph::KernelWait& wait) = 0;
};

/// The tasks whose kernels wait. Thread-safe.
class SuspendedTasks {
 public:
  /// `outside` is the time at which the kernel began to wait for another runtime; empty if it waits for its own
  /// children.
  void add(const graph::Task& task, const graph::TaskGraph& graph, std::optional<TimeStamp> outside) {
    const LockGuard lock(lock_);
    tasks_.push_back({&task, &graph, outside});
  }
  void remove(const graph::Task& task) {
    const LockGuard lock(lock_);
    // The search begins at the end of the list, because the newest of nested waits ends first.
    const auto found =
        std::find_if(tasks_.rbegin(), tasks_.rend(), [&task](const Entry& one) { return one.task == &task; });
    tasks_.erase(std::next(found).base());
  }
  /// Returns the tasks of one graph.
  [[nodiscard]] std::vector<const graph::Task*> of(const graph::TaskGraph& graph) const {
    const LockGuard lock(lock_);
    std::vector<const graph::Task*> tasks;
    for (const Entry& one : tasks_) {
      if (one.graph == &graph) tasks.push_back(one.task);
    }
    return tasks;
  }
  /// Appends the tasks of all graphs whose kernels wait for another runtime. `worker` is the worker of these kernels.
  void append_outside(WorkerId worker, std::vector<graph::RunningTask>& tasks) const {
    const LockGuard lock(lock_);
    for (const Entry& one : tasks_) {
      if (one.outside) tasks.push_back({.task = one.task, .worker = worker, .since = *one.outside, .outside = true});
    }
  }

 private:
  struct Entry {
    const graph::Task* task;
    const graph::TaskGraph* graph;
    std::optional<TimeStamp> outside;
  };
  mutable SpinLock lock_;
  std::vector<Entry> tasks_ TROUPE_GUARDED_BY(lock_);
};

/// The state of one worker that outlives the worker's actor: nothing in this struct is lost when the actor dies.
struct alignas(64) WorkerPort {
  TaskDeque deque;
  WorkerCounters counters;
  /// The core time that a cluster was offered and used; for the leaders of clusters only.
  TeamCounters team_use;
  WorkerTrace trace;
  /// The task that runs on a core device; null between tasks. If the actor dies, the supervisor fails this task.
  std::atomic<graph::Task*> running{nullptr};
  /// The graph of the task in `running`, stored before `running`. Used only if several clients share the workers.
  std::atomic<graph::TaskGraph*> running_graph{nullptr};
  /// The answer to this worker's steal request, if the victim answered while the request was being sent. Only this
  /// worker's own thread writes and reads the answer.
  std::optional<StealAnswer> answer;
  /// Guards `arrived`, the tasks whose data have arrived since the worker last looked, and `refused`, the tasks whose
  /// data will never arrive.
  SpinLock arrived_lock;
  std::vector<graph::Task*> arrived TROUPE_GUARDED_BY(arrived_lock);
  std::vector<Refused> refused TROUPE_GUARDED_BY(arrived_lock);
  /// A task that the scheduler wants to take back and place again, if this worker has the task and the task has not
  /// begun. An invalid id if there is no such task.
  std::atomic<TaskId> wanted_back{TaskId()};
  /// The time at which the task in `running` began, read from `platform::coarse_now`: reading the real clock for each
  /// task would cost five times as much.
  std::atomic<TimeStamp::rep> running_since{0};
  /// True if the worker's device has stopped working: the worker starts no tasks any more and sends every task that it
  /// receives to another worker.
  std::atomic<bool> lost{false};
  /// Says whether the worker takes tasks; changes only if cores are regrouped (`Crew::grouping`).
  Standing standing;
  /// The task of pieces that this worker has begun and that other workers can join. Only cores use the board.
  PieceBoard board;
  /// The worker's actor, for kernels that wait; set before the first task runs.
  KernelWaits* waits = nullptr;
  SuspendedTasks suspended;
};

/// Brings the data of tasks to the workers whose devices cannot access all memory. The functions are called in the
/// worker's thread; answers come as messages.
class DataProvider {
 public:
  virtual ~DataProvider() = default;
  /// Brings the task's data to the worker's memory node and keeps them there. Returns true if they are there already.
  /// Otherwise the task is put into the worker's `arrived` when the data have arrived, or into `refused` if they never
  /// will; in both cases the worker then gets a message `DataArrived`.
  virtual bool acquire(WorkerId worker, graph::Task& task) = 0;
  /// Ends the request for the data: the task leaves the worker, or the actor that asked for the data has died. After
  /// this call the task is not put into the worker's `arrived` or `refused`.
  virtual void withdraw(WorkerId worker, graph::Task& task) = 0;
};

/// The state that the workers of one runtime, its scheduler and submitting threads have in common.
class Crew {
 public:
  /// `kinds` holds the kind of each worker's device.
  Crew(graph::TaskGraph& graph, std::vector<DeviceKind> kinds, StealPlan plan)
      : graph(graph),
        plan(std::move(plan)),
        kinds(std::move(kinds)),
        present(all_of(this->kinds)),
        steals(std::any_of(this->plan.victims.begin(), this->plan.victims.end(),
                           [](const VictimRings& rings) { return !rings.empty(); })),
        idle(this->kinds.size()),
        ports(this->kinds.size()),
        restricted(this->kinds, present) {
    for (WorkerPort& port : ports) port.board.use(&tasks_of_pieces);
  }
  /// Makes a crew whose workers are all cores.
  Crew(graph::TaskGraph& graph, std::size_t workers, StealPlan plan)
      : Crew(graph, std::vector<DeviceKind>(workers, DeviceKind::cpu_core), std::move(plan)) {}

  /// Return the kinds of device that have a worker which is not lost. The second function considers only the workers
  /// that may run the task.
  [[nodiscard]] KindSet alive() const { return alive(nullptr); }
  [[nodiscard]] KindSet alive(const graph::Task& task) const;
  /// Returns the kinds among `present` whose devices can run the task.
  [[nodiscard]] KindSet able(const graph::Task& task) const;
  /// Returns true if not every worker can run every task: there are several kinds of device, or there have been tasks
  /// that only some workers may run.
  [[nodiscard]] bool mixed() const { return restricted.mixed(); }
  /// For workers of several kinds: returns a queue of tasks that no remaining worker can run; null if there is none.
  [[nodiscard]] TaskDeque* orphans() {
    return restricted.find_queue(
        [this](const WorkerSet* workers, KindSet kinds) { return (kinds & alive(workers)) == 0; });
  }
  /// Moves tasks from the list to the restricted queues, if not every worker can or may run them.
  void set_restricted_aside(graph::TaskList& ready);
  /// Takes out of the idle set a worker that could run a task in the restricted queues; returns an invalid id if there
  /// is none.
  WorkerId take_idle_for_restricted();
  /// Takes out of the list the ready tasks that must not go to just any worker. Under a local policy (`activation` is
  /// null), tasks that not every worker can run go to the restricted queues. If several clients have work, all other
  /// tasks wait for their turns. Otherwise, under a placing policy, all tasks go to its queue `activation`. Returns
  /// true if the scheduler has to be notified. Moves nothing if `sets_apart` is false.
  [[nodiscard]] bool set_apart(graph::TaskList& ready, TaskDeque* activation);
  [[nodiscard]] bool sets_apart(const TaskDeque* activation) const {
    return mixed() || shares != nullptr || activation != nullptr;
  }

  /// Returns the graph that a task belongs to.
  [[nodiscard]] graph::TaskGraph& graph_of(const graph::Task& task) const {
    return shares != nullptr && task.client.graph != nullptr ? *task.client.graph : graph;
  }
  /// Lets several clients share the workers. Must be called before there is any client. `activation` is the queue of a
  /// placing policy, or null.
  void share_workers(TaskDeque* activation = nullptr) { shares = std::make_unique<Shares>(ports.size(), activation); }

  /// Takes out of the idle set the worker to wake for new work: the first worker at or after `near`. Returns an invalid
  /// id if all workers are awake.
  WorkerId take_idle(WorkerId near) { return idle.take(near.valid() ? near.index() : 0); }

  /// Returns a task of pieces that another worker has begun and that this worker can help with; null if there is none.
  /// The answer may be out of date.
  [[nodiscard]] SharedPieces* pieces_for(WorkerId worker) const;
  /// Takes out of the idle set a worker that could run pieces of this task; returns an invalid id if there is
  /// none.
  WorkerId take_idle_for(const SharedPieces& shared, WorkerId near);

  void tell(const graph::TaskEvent& event) const {
    if (observer != nullptr) observer->happened(event);
  }

  /// The runtime's own graph.
  graph::TaskGraph& graph;
  /// Null if all tasks belong to one program.
  std::unique_ptr<Shares> shares;
  const StealPlan plan;
  /// The kind of each worker's device, by worker.
  const std::vector<DeviceKind> kinds;
  /// The set of all kinds of device in `kinds`.
  const KindSet present;
  /// True if some worker may steal from another.
  const bool steals;
  /// Ready tasks that no worker owns: tasks that other threads submitted or, if the workers share one queue, all ready
  /// tasks.
  EntryQueue entry;
  IdleSet idle;
  /// The number of tasks of pieces that other workers can join (`WorkerPort::board`). The number has a cache line of
  /// its own, because every idle worker reads it.
  alignas(64) std::atomic<std::uint32_t> tasks_of_pieces{0};
  alignas(64) std::vector<WorkerPort> ports;
  /// True if workers record their activity in their `trace`.
  bool trace = false;
  /// Null if the clusters of cores never change.
  std::unique_ptr<Grouping> grouping;
  /// Receives the events of tasks; null if there is no observer. Outlives the crew's actors.
  graph::TaskObserver* observer = nullptr;
  /// Null if data need no fetching. Outlives the crew's actors.
  DataProvider* data = nullptr;
  /// Ready tasks that not every worker can run.
  RestrictedQueues restricted;

 private:
  static KindSet all_of(const std::vector<DeviceKind>& kinds) {
    KindSet all = 0;
    for (const DeviceKind kind : kinds) all = static_cast<KindSet>(all | kind_set(kind));
    return all;
  }

  /// Returns the kinds of the workers in `workers` that are not lost; null stands for all workers.
  [[nodiscard]] KindSet alive(const WorkerSet* workers) const;
};

}  // namespace troupe::workers
