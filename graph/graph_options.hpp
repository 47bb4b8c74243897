/// The options of a task graph.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "graph/codelets/restrictions.hpp"
#include "graph/submission_observer.hpp"
#include "graph/tasks/dependency_trace.hpp"
#include "graph/tasks/nesting_budget.hpp"
#include "graph/tasks/task_endings.hpp"
#include "troupe/devices.hpp"
#include "troupe/units.hpp"

namespace troupe::graph {

/// The rules for what kernels may submit.
struct NestingRules {
  /// True if tasks may be nested.
  bool tasks = true;
  /// True if kernels are called with their data. If not, only kernels of nested tasks are called, and these must have
  /// no data but weak data.
  bool with_data = true;
  /// True if calls that return values and coroutines run: every kernel is called, and takes the time that it takes.
  bool calls = true;
  /// Bounds what kernels take; outlives the graph. Null if there are no bounds.
  NestingBudget* budget = nullptr;

  /// Returns what kernels may submit in the own graph of a runtime whose workers several clients share: nothing that
  /// belongs to their tasks.
  static constexpr NestingRules none() { return {false, false, false}; }
  /// Returns what kernels may submit in the graph of one of several clients.
  static constexpr NestingRules of_client(NestingBudget* budget = nullptr) { return {true, true, false, budget}; }
};

struct GraphOptions {
  /// The number of workers that complete tasks; their ids are 0 … workers - 1.
  std::size_t workers = 1;
  /// The kinds of device that at least one worker drives.
  KindSet device_kinds = kind_set(DeviceKind::cpu_core);
  /// The number of tasks that may be in flight before `submit` blocks. A larger window shows policies more future
  /// tasks, and takes about 250 bytes a task. Submissions from kernels and callbacks are not bounded. At least 1.
  std::size_t window = 65536;
  /// Restrictions that hold in addition to each task's own options.
  Restrictions restrictions = {};
  /// The largest number of pairs of a codelet and a set of devices, given by number or name, in all submissions
  /// together.
  std::size_t most_named_devices = std::numeric_limits<std::size_t>::max();
  /// True if the host names a codelet to run in place of each submitted codelet (`GraphHost::stand_in`).
  bool stand_ins = false;
  NestingRules nesting = {};
  /// A nested task that is known to take no longer than this, with the tasks inside it, calls the kernels that it
  /// submits. If zero, this is never done, and no times are learned for it.
  Duration cutoff{};
  /// True if tasks keep the priorities that they are submitted with; otherwise all have the default priority.
  bool priorities = true;
  /// True if tasks may have deadlines, because the run uses the same clock as the program.
  bool deadlines = true;
  /// Records which task waited for which; outlives the graph. If null, nothing is recorded.
  DependencyTrace* dependency_trace = nullptr;
  /// The observers that see tasks before they are ready, called in this order; they outlive the graph.
  std::vector<SubmissionObserver*> observers = {};
  /// True if the workers run tasks of other graphs too, and find the graph of each in `Task::client`.
  bool shares_workers = false;
  /// A pointer for the workers' code, which reads it through a task's graph; the graph itself does not use it.
  void* owner = nullptr;
  /// The object that is notified of the end of every task; outlives the graph. Used with `shares_workers` only; may be
  /// null.
  TaskEndings* endings = nullptr;
  /// The first task's id.
  std::uint64_t first_id = 1;
  /// Counters from which the ids of tasks and handles are taken, so that the ids of several graphs differ; they outlive
  /// the graph. If null, task ids count from `first_id`, handle ids from 0. A graph takes many task ids at a time.
  std::atomic<std::uint64_t>* task_ids = nullptr;
  std::atomic<std::uint64_t>* handle_ids = nullptr;
  /// A bound on the bytes of memory, owned by the runtime, whose registrations have ended while tasks still use the
  /// memory. A release that would exceed the bound waits for the last use, if its thread may wait. With a larger bound,
  /// releases of temporary data block less often; with a smaller bound, a program that makes temporary data faster than
  /// tasks use them takes less memory.
  std::uint64_t late_bytes = std::uint64_t{1} << 30U;
  /// A bound on the parts that `TaskGraph::repartition` has replaced while tasks still use them; each counts once for
  /// each new part that it overlaps. A call that would exceed the bound waits for the tasks on the former parts. With a
  /// larger bound such calls block less often; each unit takes up to 2 KB.
  std::uint64_t late_divisions = std::uint64_t{1} << 17U;
};

}  // namespace troupe::graph
