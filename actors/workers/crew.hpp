/// What the workers of one runtime share.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "actors/workers/entry_queue.hpp"
#include "actors/workers/idle_set.hpp"
#include "actors/workers/task_deque.hpp"
#include "actors/workers/worker_trace.hpp"
#include "graph/failure_log.hpp"
#include "graph/spin_lock.hpp"
#include "graph/task_graph.hpp"
#include "proto/access.hpp"
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
  std::atomic<std::uint64_t> parks{0};
  /// Nanoseconds between finding work and running out of it.
  std::atomic<std::int64_t> busy_ns{0};
  /// Nanoseconds spent looking for work before parking.
  std::atomic<std::int64_t> searching_ns{0};

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

/// A task whose data can never be at the worker that asked for them. Without a cause it may run on a core instead.
struct Refused {
  graph::Task* task = nullptr;
  graph::FailureLog::Cause cause;
};

/// The part of one worker that outlives its actor: nothing in it is lost when the actor dies.
struct alignas(64) WorkerPort {
  TaskDeque deque;
  WorkerCounters counters;
  WorkerTrace trace;
  /// The task that runs on a core device; null between tasks. Lets the supervisor blame it when the actor dies.
  std::atomic<graph::Task*> running{nullptr};
  /// The answer to this worker's steal request, where it was given at delivery: in this worker's own thread, which is
  /// the only one that looks at it.
  std::optional<StealAnswer> answer;
  /// Tasks whose data have arrived since the worker looked, and those whose data never will.
  SpinLock arrived_lock;
  std::vector<graph::Task*> arrived;  // guarded by arrived_lock
  std::vector<Refused> refused;       // guarded by arrived_lock
  /// Since when, of `platform::coarse_now`: a reading of the real clock per task would cost five times as much.
  std::atomic<TimeStamp::rep> running_since{0};
};

/// What a runtime with several memories, or with a scheduler that wants to know, is told of its workers' tasks. Called
/// in the worker's thread, and answered by messages.
class TaskServices {
 public:
  virtual ~TaskServices() = default;
  /// Bring the task's data to the worker's memory node and keep them there; then put the task into the worker's
  /// `arrived` (or `refused`) and send `DataArrived`.
  virtual void acquire(WorkerId worker, graph::Task& task) = 0;
  /// The data need not be kept any more, as the actor that asked for them has died.
  virtual void withdraw(WorkerId worker, graph::Task& task) = 0;
  /// The task begins.
  virtual void started(WorkerId worker, const graph::Task& task) = 0;
  /// The task was taken and has left the worker's hands without having run: it was cancelled, failed for want of its
  /// data (`ended`), waits for a commute lock or runs elsewhere. It must not be looked at: it may be gone.
  virtual void left(WorkerId worker, TaskId task, bool ended) = 0;
  /// The task has ended, and is about to be completed. `failed`: its times say nothing of others.
  virtual void ended(WorkerId worker, graph::Task& task, TimeStamp start, TimeStamp end, bool failed) = 0;
};

/// One per runtime, shared by its workers, its scheduler and submitting threads.
class Crew {
 public:
  /// `kinds`: of each worker's device.
  Crew(graph::TaskGraph& graph, std::vector<DeviceKind> kinds, StealPlan plan)
      : graph(graph),
        plan(std::move(plan)),
        kinds(std::move(kinds)),
        mixed(std::any_of(this->kinds.begin(), this->kinds.end(),
                          [this](DeviceKind kind) { return kind != this->kinds.front(); })),
        steals(std::any_of(this->plan.victims.begin(), this->plan.victims.end(),
                           [](const VictimRings& rings) { return !rings.empty(); })),
        idle(this->kinds.size()),
        ports(this->kinds.size()) {}
  /// A crew of cores.
  Crew(graph::TaskGraph& graph, std::size_t workers, StealPlan plan)
      : Crew(graph, std::vector<DeviceKind>(workers, DeviceKind::cpu_core), std::move(plan)) {}

  /// Ready tasks that only devices of this kind can run, in a mixed crew: they lie where no other worker takes them.
  [[nodiscard]] TaskDeque& only(DeviceKind kind) { return only_[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] const TaskDeque& only(DeviceKind kind) const { return only_[static_cast<std::size_t>(kind)]; }
  /// In a mixed crew: moves those of the tasks that not every worker can run to where those that can will look.
  void set_restricted_aside(graph::TaskList& ready);
  /// An idle worker that could take such a task, taken out of the idle set; or an invalid id.
  WorkerId take_idle_for_restricted();

  /// The least worker to wake for new work, removed from the idle set; an invalid id where all are awake.
  WorkerId take_idle(WorkerId near) { return idle.take(near.valid() ? near.index() : 0); }

  graph::TaskGraph& graph;
  const StealPlan plan;
  /// By worker.
  const std::vector<DeviceKind> kinds;
  /// There are devices of several kinds.
  const bool mixed;
  /// Some worker may steal from another.
  const bool steals;
  /// Ready tasks that no worker owns: submitted by other threads, or all of them with a shared queue.
  EntryQueue entry;
  IdleSet idle;
  std::vector<WorkerPort> ports;
  /// Record what workers do in their `trace`.
  bool trace = false;
  /// Null where data need no fetching and nobody is told of tasks. Outlives the crew's actors.
  TaskServices* services = nullptr;

 private:
  std::array<TaskDeque, kDeviceKinds> only_;
};

}  // namespace troupe::workers
