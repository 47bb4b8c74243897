/// The state of a task graph.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "graph/codelets/known_codelets.hpp"
#include "graph/data/data_registry.hpp"
#include "graph/data/subtree_times.hpp"
#include "graph/graph_host.hpp"
#include "graph/graph_options.hpp"
#include "graph/state/callbacks.hpp"
#include "graph/state/cancelled_tasks.hpp"
#include "graph/state/known_recordings.hpp"
#include "graph/state/late_releases.hpp"
#include "graph/state/own_codelets.hpp"
#include "graph/state/task_ids.hpp"
#include "graph/state/task_memory.hpp"
#include "graph/state/waiting_divisions.hpp"
#include "graph/state/window.hpp"
#include "graph/tasks/completion_counter.hpp"
#include "graph/tasks/failure_log.hpp"
#include "graph/tasks/home_process.hpp"
#include "graph/tasks/light_mutex.hpp"
#include "graph/tasks/task.hpp"
#include "graph/tasks/thread_holds.hpp"
#include "graph/tasks/waiting_threads.hpp"
#include "proto/mutex.hpp"
#include "troupe/handle.hpp"

namespace troupe::graph {

/// The state that the parts of a task graph share. Each part is a header of `graph/` with functions that take the
/// state; programs and workers see `TaskGraph` only.
struct GraphState {
  /// `graph` is the graph that has this state.
  GraphState(const GraphOptions& options, GraphHost& host, TaskGraph& graph);
  GraphState(const GraphState&) = delete;
  GraphState& operator=(const GraphState&) = delete;

  /// The gate that every submission passes: it may be closed, or lead into a recording.
  struct Gate {
    /// True if submissions are refused (`TaskGraph::stop_submissions`).
    std::atomic<bool> stopped{false};
    /// The number of threads that are recording.
    std::atomic<int> recording_threads{0};
  };
  struct Nesting {
    /// True if a nested task has been submitted.
    std::atomic<bool> any{false};
    /// True if some nested task was cancelled, or failed, while it had children.
    std::atomic<bool> any_cancelled{false};
  };
  /// The objects that each worker has of its own. The last entry of each list is for other threads, under
  /// `outside_mutex`.
  struct Workers {
    explicit Workers(std::size_t count) : caches(count + 1), completed(count), callbacks(count) {}
    /// Used by the thread that is the worker alone.
    std::vector<TaskCaches> caches;
    CompletionCounter completed;
    CallbacksInProgress callbacks;
  };
  /// The process in which the graph was made, and the program's threads that wait for tasks or hold data.
  struct Threads {
    const HomeProcess home;
    WaitingThreads waiting;
    ThreadHolds holds;
  };
  struct Data {
    DataRegistry registry;
    std::vector<DataRecord*> open_reductions = {};
    LateReleases late = {};
    WaitingDivisions dividing = {};
  };

  // Every submission and completion reads the next members; they are seldom written.
  const GraphOptions options;
  const TaskOptions* const no_options = &TaskOptions::none();
  /// True if submissions must take the longer way: because of stand-in codelets, restrictions to devices or refused
  /// deadlines, or because the calling process may be a child of the graph's process. Points to `HomeProcess::any_left`
  /// or to a constant.
  const std::atomic<bool>* const adapts;
  GraphHost& host;
  TaskGraph& self;
  /// Null if `GraphOptions::cutoff` is zero.
  const std::unique_ptr<SubtreeTimes> subtree_times;
  CancelledTasks cancelled;
  Gate gate;
  Nesting nesting;
  WindowWaiters waiting;
  Workers workers;

  // Every submission writes the next members, so they have cache lines of their own.
  alignas(64) LightMutex submission_mutex;
  /// Changed under submission_mutex, by the functions below.
  TaskIds ids;
  Window window;
  TaskCaches submission_caches TROUPE_GUARDED_BY(submission_mutex);
  Data data TROUPE_GUARDED_BY(submission_mutex);
  KnownRecordings recordings TROUPE_GUARDED_BY(submission_mutex);

  alignas(64) KnownCodelets codelets;
  const OwnCodelets own_codelets;

  TaskMemory memory;
  alignas(64) Mutex outside_mutex;

  FailingCodelets failing;
  /// The task to which the futures of kernels that were called at once point.
  Task called;
  Threads threads;
  FailureLog failures;

  std::uint64_t take_ids(std::uint64_t count = 1) TROUPE_REQUIRES(submission_mutex) {
    return ids.take(count, options.task_ids);
  }
  std::uint64_t take_mark() TROUPE_REQUIRES(submission_mutex) { return ids.take_mark(); }
  void note_submitted(std::uint64_t tasks = 1) TROUPE_REQUIRES(submission_mutex) { window.note_submitted(tasks); }
};

}  // namespace troupe::graph
