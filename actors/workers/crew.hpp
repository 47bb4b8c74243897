/// What the workers of one runtime share.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "actors/workers/entry_queue.hpp"
#include "actors/workers/idle_set.hpp"
#include "actors/workers/task_deque.hpp"
#include "actors/workers/worker_trace.hpp"
#include "graph/task_graph.hpp"
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
  /// Since when, of `platform::coarse_now`: a reading of the real clock per task would cost five times as much.
  std::atomic<TimeStamp::rep> running_since{0};
};

/// One per runtime, shared by its workers, its scheduler and submitting threads.
class Crew {
 public:
  Crew(graph::TaskGraph& graph, std::size_t workers, StealPlan plan)
      : graph(graph),
        plan(std::move(plan)),
        steals(std::any_of(this->plan.victims.begin(), this->plan.victims.end(),
                           [](const VictimRings& rings) { return !rings.empty(); })),
        idle(workers),
        ports(workers) {}

  /// The least worker to wake for new work, removed from the idle set; an invalid id where all are awake.
  WorkerId take_idle(WorkerId near) { return idle.take(near.valid() ? near.index() : 0); }

  graph::TaskGraph& graph;
  const StealPlan plan;
  /// Some worker may steal from another.
  const bool steals;
  /// Ready tasks that no worker owns: submitted by other threads, or all of them with a shared queue.
  EntryQueue entry;
  IdleSet idle;
  std::vector<WorkerPort> ports;
  /// Record what workers do in their `trace`.
  bool trace = false;
};

}  // namespace troupe::workers
