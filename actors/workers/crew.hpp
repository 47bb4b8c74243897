/// What the workers of one runtime share.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "actors/workers/grouping.hpp"
#include "actors/workers/queues/entry_queue.hpp"
#include "actors/workers/queues/idle_set.hpp"
#include "actors/workers/queues/task_deque.hpp"
#include "actors/workers/shared_pieces.hpp"
#include "actors/workers/shares.hpp"
#include "actors/workers/standing.hpp"
#include "actors/workers/team_counters.hpp"
#include "actors/workers/worker_trace.hpp"
#include "graph/task_graph.hpp"
#include "graph/tasks/failure_log.hpp"
#include "proto/device_kinds.hpp"
#include "proto/mutex.hpp"
#include "proto/spin_lock.hpp"
#include "proto/steal_plan.hpp"
#include "proto/units.hpp"

namespace troupe::workers {

/// What a worker did so far. Written by the worker only; another thread reads consistent numbers once the worker is
/// idle, and recent ones before.
struct WorkerCounters {
  std::atomic<std::uint64_t> tasks{0};
  std::atomic<std::uint64_t> steals{0};
  std::atomic<std::uint64_t> stolen_tasks{0};
  std::atomic<std::uint64_t> failed_steals{0};
  /// Of tasks that others could take part in, and those of them that others had begun.
  std::atomic<std::uint64_t> pieces{0};
  std::atomic<std::uint64_t> stolen_pieces{0};
  /// Tasks that were on the device before those that they wait for had ended.
  std::atomic<std::uint64_t> issued_ahead{0};
  std::atomic<std::uint64_t> parks{0};
  /// Nanoseconds between finding work and running out of it; and since when there has been some, 0: there is none.
  std::atomic<std::int64_t> busy_ns{0};
  std::atomic<TimeStamp::rep> busy_since{0};
  /// Nanoseconds spent looking for work before parking.
  std::atomic<std::int64_t> searching_ns{0};
  /// Nanoseconds in which tasks waited for their data and none ran.
  std::atomic<std::int64_t> data_wait_ns{0};

  /// Adds to a counter that only the calling thread writes.
  template <class T>
  static void add(std::atomic<T>& counter, T amount) {
    counter.store(counter.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
  }
};

/// What a victim answered, with half of its tasks.
struct StealAnswer {
  WorkerId victim;
  graph::TaskList tasks;
};

/// A task whose data can never be at the worker that asked for them: it may run on workers of these kinds instead, or
/// it has failed, with a cause.
struct Refused {
  graph::Task* task = nullptr;
  KindSet elsewhere = 0;
  graph::FailureLog::Cause cause;
};

/// The part of one worker that outlives its actor: nothing in it is lost when the actor dies.
struct alignas(64) WorkerPort {
  TaskDeque deque;
  WorkerCounters counters;
  /// Of a cluster.
  TeamCounters team_use;
  WorkerTrace trace;
  /// The task that runs on a core device; null between tasks. Lets the supervisor blame it when the actor dies.
  std::atomic<graph::Task*> running{nullptr};
  /// Where several clients share the workers: that task's graph, written before it.
  std::atomic<graph::TaskGraph*> running_graph{nullptr};
  /// The answer to this worker's steal request, where it was given at delivery: in this worker's own thread, which is
  /// the only one that looks at it.
  std::optional<StealAnswer> answer;
  /// Tasks whose data have arrived since the worker looked, and those whose data never will.
  SpinLock arrived_lock;
  std::vector<graph::Task*> arrived TROUPE_GUARDED_BY(arrived_lock);
  std::vector<Refused> refused TROUPE_GUARDED_BY(arrived_lock);
  /// A task that is to be activated again, if it lies here and has not begun; an invalid id: none.
  std::atomic<TaskId> wanted_back{TaskId()};
  /// Since when, of `platform::coarse_now`: a reading of the real clock per task would cost five times as much.
  std::atomic<TimeStamp::rep> running_since{0};
  /// Its device has stopped working: the worker starts nothing any more and sends on what it is given.
  std::atomic<bool> lost{false};
  /// Whether it takes tasks, where cores are grouped (`Crew::grouping`).
  Standing standing;
  /// Of a core: its task of pieces.
  PieceBoard board;
};

/// What a runtime with several memories, or with a scheduler that wants to know, is told of its workers' tasks. Called
/// in the worker's thread, and answered by messages.
class TaskServices {
 public:
  virtual ~TaskServices() = default;
  /// Bring the task's data to the worker's memory node and keep them there. True: they are there already. False: when
  /// they are, the task is put into the worker's `arrived` (or `refused`), and `DataArrived` is sent.
  virtual bool acquire(WorkerId worker, graph::Task& task) = 0;
  /// The data need not be kept any more, as the actor that asked for them has died. Nothing is put into the worker's
  /// `arrived` or `refused` for it from here on.
  virtual void withdraw(WorkerId worker, graph::Task& task) = 0;
  /// The task waits for nothing but tasks that are on the worker's device: is it to be issued there behind them? Then
  /// it is taken to be placed there. Nothing: ask again some time.
  virtual std::optional<bool> may_issue(WorkerId worker, const graph::Task& task) = 0;
  /// The task begins.
  virtual void started(WorkerId worker, const graph::Task& task, TimeStamp at) = 0;
  /// The worker takes part in a task of pieces that another has begun.
  virtual void joined(WorkerId worker) = 0;
  /// It takes part no more in that, or in one that it has begun itself, which goes on with others or has its end told
  /// next.
  virtual void stopped(WorkerId worker, TaskId task, TimeStamp at) = 0;
  /// The task was taken and has left the worker's hands without having run: it was cancelled, failed for want of its
  /// data (`ended`), waits for a commute lock or runs elsewhere. It must not be looked at: it may be gone.
  virtual void left(WorkerId worker, TaskId task, bool ended) = 0;
  /// The task has ended, and is about to be completed. `took`: as `DeviceListener::done` is told. `failed`: that says
  /// nothing of others.
  virtual void ended(WorkerId worker, graph::Task& task, TimeStamp at, Duration took, bool failed) = 0;
  /// A ready task that this worker cannot run any more: it goes to a worker of one of these kinds.
  virtual void send_on(graph::Task& task, KindSet kinds) = 0;
};

/// One per runtime, shared by its workers, its scheduler and submitting threads.
class Crew {
 public:
  /// `kinds`: of each worker's device.
  Crew(graph::TaskGraph& graph, std::vector<DeviceKind> kinds, StealPlan plan)
      : graph(graph),
        plan(std::move(plan)),
        kinds(std::move(kinds)),
        present(all_of(this->kinds)),
        steals(std::any_of(this->plan.victims.begin(), this->plan.victims.end(),
                           [](const VictimRings& rings) { return !rings.empty(); })),
        idle(this->kinds.size()),
        ports(this->kinds.size()),
        several_kinds_(std::popcount(present) > 1),
        mixed_(several_kinds_) {
    for (WorkerPort& port : ports) port.board.use(&tasks_of_pieces);
  }
  /// A crew of cores.
  Crew(graph::TaskGraph& graph, std::size_t workers, StealPlan plan)
      : Crew(graph, std::vector<DeviceKind>(workers, DeviceKind::cpu_core), std::move(plan)) {}

  /// Kinds of device that a worker drives which is not lost; that such a worker drives which may run the task.
  [[nodiscard]] KindSet alive() const { return alive(nullptr); }
  [[nodiscard]] KindSet alive(const graph::Task& task) const;
  /// Of the kinds that there are, those whose devices can run the task.
  [[nodiscard]] KindSet able(const graph::Task& task) const;
  /// Not every worker can run every task: there are several kinds of device, or there have been tasks that only some
  /// workers may run.
  [[nodiscard]] bool mixed() const { return mixed_.load(std::memory_order_seq_cst); }
  /// These workers as tasks name them: the same object every time. From now on the crew is mixed. Any thread. Fails
  /// with `invalid_argument` where there are too many different ones.
  [[nodiscard]] Result<std::shared_ptr<const WorkerSet>> set_of(const std::vector<bool>& members);
  /// In a mixed crew: puts a ready task that only devices of these kinds can run where only workers take it that may.
  void set_aside(graph::Task& task, KindSet kinds);
  /// The oldest of the most urgent tasks of such a queue, or null.
  [[nodiscard]] graph::Task* take_aside(TaskDeque& queue);
  /// For one that was taken and is not to be begun yet.
  void put_back_aside(TaskDeque& queue, graph::Task& task);
  /// In a mixed crew: of the queues of tasks that not every worker can run, the one that this worker may take the most
  /// urgent from, or null where they are empty.
  [[nodiscard]] TaskDeque* restricted_for(WorkerId worker);
  /// In a mixed crew: a queue of tasks that none of the workers that are left can run, or null where there are none.
  [[nodiscard]] TaskDeque* orphans();
  /// In a mixed crew: moves those of the tasks that not every worker can run to where those that can will look.
  void set_restricted_aside(graph::TaskList& ready);
  /// An idle worker that could take such a task, taken out of the idle set; or an invalid id.
  WorkerId take_idle_for_restricted();
  /// Takes those ready tasks out of the list that no worker may simply have: all of them for `activation`, the queue of
  /// a placing policy (null: there is none), or where they have to wait for their turn, else those that not every
  /// worker can run. True: the scheduler has to be told. Never anything where `sets_apart` is false.
  [[nodiscard]] bool set_apart(graph::TaskList& ready, TaskDeque* activation);
  [[nodiscard]] bool sets_apart(const TaskDeque* activation) const {
    return mixed() || shares != nullptr || activation != nullptr;
  }

  /// The graph that a task belongs to.
  [[nodiscard]] graph::TaskGraph& graph_of(const graph::Task& task) const {
    return shares != nullptr && task.graph != nullptr ? *task.graph : graph;
  }
  /// Several clients share the workers. Before there is any. `activation`: of a placing policy, or null.
  void share_workers(TaskDeque* activation = nullptr) { shares = std::make_unique<Shares>(ports.size(), activation); }

  /// The least worker to wake for new work, removed from the idle set; an invalid id where all are awake.
  WorkerId take_idle(WorkerId near) { return idle.take(near.valid() ? near.index() : 0); }

  /// Of another worker: a task of pieces of which this one can take some, or null. A hint.
  [[nodiscard]] SharedPieces* pieces_for(WorkerId worker) const;
  /// An idle worker that could take pieces of this task, taken out of the idle set; or an invalid id.
  WorkerId take_idle_for(const SharedPieces& shared, WorkerId near);

  /// The runtime's own.
  graph::TaskGraph& graph;
  /// Null where all tasks are of one program.
  std::unique_ptr<Shares> shares;
  const StealPlan plan;
  /// By worker.
  const std::vector<DeviceKind> kinds;
  /// The kinds of device that there are.
  const KindSet present;
  /// Some worker may steal from another.
  const bool steals;
  /// Ready tasks that no worker owns: submitted by other threads, or all of them with a shared queue.
  EntryQueue entry;
  IdleSet idle;
  /// That may have pieces left, see `WorkerPort::board`.
  /// Apart from what all look at all the time.
  alignas(64) std::atomic<std::uint32_t> tasks_of_pieces{0};
  alignas(64) std::vector<WorkerPort> ports;
  /// Record what workers do in their `trace`.
  bool trace = false;
  /// Null where cores work together as they did at the start.
  std::unique_ptr<Grouping> grouping;
  /// Null where data need no fetching and nobody is told of tasks. Outlives the crew's actors.
  TaskServices* services = nullptr;

 private:
  static KindSet all_of(const std::vector<DeviceKind>& kinds) {
    KindSet all = 0;
    for (const DeviceKind kind : kinds) all = static_cast<KindSet>(all | kind_set(kind));
    return all;
  }

  /// Ready tasks that not every worker can run, by the kinds of device that can.
  using ByKinds = std::array<TaskDeque, kKindSets>;
  /// Those that only some workers may run besides.
  struct Group {
    std::shared_ptr<const WorkerSet> workers;
    ByKinds only;
  };
  static constexpr std::size_t kMostGroups = 1024;

  /// `workers`: null for all.
  [[nodiscard]] KindSet alive(const WorkerSet* workers) const;
  /// Calls `look(workers, queue, kinds)` for each queue of `ByKinds`, `workers` null where all may take from it.
  template <class Look>
  void for_each_queue(Look look);

  const bool several_kinds_;
  /// Set once. Sequentially consistent, as `TaskDeque::size` is: who declares itself idle either sees it, or is seen by
  /// whoever pushes the first such task.
  std::atomic<bool> mixed_;
  ByKinds only_;
  Mutex groups_mutex_;
  /// The first `groups_` of them are there: stored under the mutex, sequentially consistent like `mixed_`.
  std::array<std::unique_ptr<Group>, kMostGroups> group_;
  std::atomic<std::size_t> groups_{0};
  /// Of so many groups each, their tasks: counted before they are pushed and until they have been popped, so that
  /// nobody who looks for some misses any. Sequentially consistent, as `TaskDeque::size` is.
  static constexpr std::size_t kCountedTogether = 64;
  std::array<std::atomic<std::uint32_t>, kMostGroups / kCountedTogether> set_aside_{};
};

}  // namespace troupe::workers
