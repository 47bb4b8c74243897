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
  /// Since when, of `platform::coarse_now`: a reading of the real clock per task would cost five times as much.
  std::atomic<TimeStamp::rep> running_since{0};
  /// Its device has stopped working: the worker starts nothing any more and sends on what it is given.
  std::atomic<bool> lost{false};
  /// Whether it takes tasks, where cores are grouped (`Crew::grouping`).
  Standing standing;
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
        mixed(std::popcount(present) > 1),
        steals(std::any_of(this->plan.victims.begin(), this->plan.victims.end(),
                           [](const VictimRings& rings) { return !rings.empty(); })),
        idle(this->kinds.size()),
        ports(this->kinds.size()) {}
  /// A crew of cores.
  Crew(graph::TaskGraph& graph, std::size_t workers, StealPlan plan)
      : Crew(graph, std::vector<DeviceKind>(workers, DeviceKind::cpu_core), std::move(plan)) {}

  /// Kinds of device that a worker drives which is not lost.
  [[nodiscard]] KindSet alive() const;
  /// Of the kinds that there are, those whose devices can run the task.
  [[nodiscard]] KindSet able(const graph::Task& task) const;
  /// In a mixed crew: ready tasks that only devices of these kinds can run lie where no other worker takes them.
  [[nodiscard]] TaskDeque& only(KindSet kinds) { return only_[kinds]; }
  /// In a mixed crew: of the queues of tasks that not every worker can run, the one that this kind may take the most
  /// urgent from, or null where they are empty.
  [[nodiscard]] TaskDeque* restricted_for(DeviceKind kind);
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
    return mixed || shares != nullptr || activation != nullptr;
  }

  /// The graph that a task belongs to.
  [[nodiscard]] graph::TaskGraph& graph_of(const graph::Task& task) const {
    return shares != nullptr && task.graph != nullptr ? *task.graph : graph;
  }
  /// Several clients share the workers. Before there is any. `activation`: of a placing policy, or null.
  void share_workers(TaskDeque* activation = nullptr) { shares = std::make_unique<Shares>(ports.size(), activation); }

  /// The least worker to wake for new work, removed from the idle set; an invalid id where all are awake.
  WorkerId take_idle(WorkerId near) { return idle.take(near.valid() ? near.index() : 0); }

  /// The runtime's own.
  graph::TaskGraph& graph;
  /// Null where all tasks are of one program.
  std::unique_ptr<Shares> shares;
  const StealPlan plan;
  /// By worker.
  const std::vector<DeviceKind> kinds;
  /// The kinds of device that there are.
  const KindSet present;
  /// There are several.
  const bool mixed;
  /// Some worker may steal from another.
  const bool steals;
  /// Ready tasks that no worker owns: submitted by other threads, or all of them with a shared queue.
  EntryQueue entry;
  IdleSet idle;
  std::vector<WorkerPort> ports;
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

  std::array<TaskDeque, kKindSets> only_;
};

}  // namespace troupe::workers
