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
  /// True if kernels are called and their data have memory. If false, only the kernels of nested tasks are called, and
  /// nested tasks must declare all their data as weak.
  bool with_data = true;
  /// True if calls that return values (`Runtime::async`) and coroutines are allowed. Both need kernels that really run.
  bool calls = true;
  /// Limits the children and waits of kernels; outlives the graph. Null if there are no limits.
  NestingBudget* budget = nullptr;

  /// Returns the rules for a service's own graph, beside the graphs of the clients that share its workers: no nested
  /// tasks, and no calls.
  static constexpr NestingRules none() { return {false, false, false}; }
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
  /// The limit for pairs of a codelet and a set of devices that names devices by number or name. All submissions to the
  /// graph count together.
  std::size_t most_named_devices = std::numeric_limits<std::size_t>::max();
  /// True if the graph asks the host for each submitted codelet which codelet to run in its place
  /// (`GraphHost::stand_in`).
  bool stand_ins = false;
  NestingRules nesting = {};
  /// The limit for small tasks: the kernel of a nested task that is known to take no longer, with the tasks inside it,
  /// calls other kernels instead of submitting them. If zero, kernels always submit, and no times are learned.
  Duration cutoff{};
  /// True if tasks keep the priorities of their submissions; if false, all tasks have the default priority.
  bool priorities = true;
  /// True if tasks may have deadlines. False in virtual time, where tasks do not follow the program's clock.
  bool deadlines = true;
  /// Records which task waited for which; outlives the graph. If null, nothing is recorded.
  DependencyTrace* dependency_trace = nullptr;
  /// The observers that see tasks before they are ready, called in this order; they outlive the graph.
  std::vector<SubmissionObserver*> observers = {};
  /// True if the workers also run tasks of other graphs. They then find the graph of each task in `Task::client`.
  bool shares_workers = false;
  /// A pointer for the workers' code, which reads it through a task's graph; the graph itself does not use it.
  void* owner = nullptr;
  /// The object that is notified of the end of every task; outlives the graph. Used only if `shares_workers` is true;
  /// may be null.
  TaskEndings* endings = nullptr;
  /// The id of the first task if `task_ids` is null.
  std::uint64_t first_id = 1;
  /// Counters from which the ids of tasks and handles are taken, so that the ids of several graphs differ; they outlive
  /// the graph. Without these counters, task ids count from `first_id`, and handle ids from 0. A graph takes many task
  /// ids at a time.
  std::atomic<std::uint64_t>* task_ids = nullptr;
  std::atomic<std::uint64_t>* handle_ids = nullptr;
  /// A limit for the bytes of the runtime's memory whose registrations have ended but which tasks still use. A release
  /// that would exceed the limit waits for the last use, if its thread may wait.
  std::uint64_t late_bytes = std::uint64_t{1} << 30U;
  /// Where such data take more bytes than this, and are more than so many pieces for each worker, a release waits until
  /// they are half as much, as long as tasks end meanwhile. So a program that makes temporary data faster than its
  /// tasks use them takes little memory, and its data stay in the caches.
  std::uint64_t late_bytes_at_ease = std::uint64_t{16} << 20U;
  std::uint64_t late_pieces_at_ease = 32;
  /// A bound on the parts that `TaskGraph::repartition` has replaced while tasks still use them; each counts once for
  /// each new part that it overlaps. A call that would exceed the bound waits for the tasks on the former parts. With a
  /// larger bound such calls block less often; each unit takes up to 2 KB.
  std::uint64_t late_divisions = std::uint64_t{1} << 17U;
};

}  // namespace troupe::graph
