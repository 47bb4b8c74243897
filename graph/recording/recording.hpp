/// Recordings: tasks whose dependencies are found once, and which can then be run any number of times.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/data/data_record.hpp"
#include "graph/tasks/block_pool.hpp"
#include "graph/tasks/dependency_trace.hpp"
#include "graph/tasks/failure_log.hpp"
#include "graph/tasks/task.hpp"
#include "proto/mutex.hpp"
#include "proto/prefetch.hpp"
#include "proto/spin_lock.hpp"

namespace troupe::graph {

class Recording;
class RecordedOrder;

/// One task of a recording. Its successors are an array instead of a list, and the record is used again in every run:
/// the thread that decrements `pending` to zero gives the task its id for this run, and `pending` is set back when the
/// task begins (`prepare`).
struct RecordedTask : Task {
  static constexpr std::size_t kInlineSuccessors = 4;

  /// A successor; the lowest bit says that the dependency is explicit (`Edge::explicit_dependency`).
  class Link {
   public:
    Link() = default;
    Link(RecordedTask* task, bool is_explicit)
        : bits_(reinterpret_cast<std::uintptr_t>(task) | (is_explicit ? 1 : 0)) {}
    [[nodiscard]] RecordedTask* task() const { return reinterpret_cast<RecordedTask*>(bits_ & ~std::uintptr_t{1}); }
    [[nodiscard]] bool is_explicit() const { return (bits_ & 1) != 0; }

   private:
    std::uintptr_t bits_ = 0;
  };

  // These members have a cache line of their own and are constant once the recording is sealed.
  alignas(64) Recording* recording = nullptr;
  Link* links = nullptr;
  std::uint32_t link_count = 0;
  std::uint32_t predecessors = 0;
  std::uint32_t index = 0;
  std::array<Link, kInlineSuccessors> inline_links;

  [[nodiscard]] std::span<const Link> followers() const { return {links, link_count}; }
  /// Called when the task begins: makes it ready for the next run, and prefetches the memory that its end will access.
  void prepare() {
    pending.store(predecessors, std::memory_order_relaxed);
    for (const Link& link : followers()) {
      prefetch_to_write(link.task());
      __builtin_prefetch(link.task()->inline_accesses.data(), 0);
      __builtin_prefetch(&link.task()->recording, 0);
    }
  }
};
static_assert(sizeof(RecordedTask) == 320);

/// Returns the task that stands for a run of a recording, if `task` or a nested task around it belongs to that run;
/// else null. The task must not have ended.
[[nodiscard]] const Task* run_around(const Task& task);

/// The request for one run, kept by the task that stands for the run.
struct RecordingRun {
  std::shared_ptr<Recording> recording;
  /// The data that the run uses, one entry for each of `Recording::uses`; empty if the run uses the recorded data.
  std::vector<DataRecord*> data;
  /// The id of the run's first task; the ids of its other tasks follow.
  std::uint64_t first_id = 0;
  /// The data whose first use in the run is a reduction, and which have no content when the run begins.
  std::vector<DataRecord*> without_content = {};
  /// Data without content whose first writers must be children of a nested task of the recording.
  struct Unwritten {
    const RecordedTask* nested;
    Handle part;
  };
  std::vector<Unwritten> unwritten = {};
};

/// The state of a task in the current run.
enum class RecordedState : std::uint8_t {
  waiting,
  /// The task is ready or has started.
  ready,
  ended,
};

/// A sequence of tasks with their dependencies. First the recording is *open*: tasks are added under the graph's
/// submission lock. Then it is *sealed* and can be run. Runs never overlap. A task of role `TaskRole::replay`, which
/// uses all data of the recording, stands for each run. Workers that take part in a run change the recording in their
/// threads; the dependencies between the run's tasks order these changes.
class Recording {
 public:
  /// One piece of data that a recording uses, and the accesses that name it.
  struct Use {
    DataRecord* recorded = nullptr;
    HandleId id;
    /// The mode is read if all tasks only read the data, else read-write.
    AccessMode mode = AccessMode::read;
    /// True if some task names this handle in a mode that writes. `mode` is less exact: for a whole it is read-write
    /// even if tasks write only a part of the whole.
    bool written = false;
    /// `inside_another` is true if the recording also uses data that contain these data, `contains_another` if it also
    /// uses parts of these data. Such data cannot be exchanged, and the outermost data alone order the runs.
    bool inside_another = false;
    bool contains_another = false;
    /// True if some task reduces into the data.
    bool reduces = false;
    /// True if a nested task declares the data. The children of a nested task name their data in each run anew, so
    /// these data cannot be exchanged.
    bool in_nested = false;
    /// Used while tasks are added (see `first_accesses`): `is_read` is true if some task so far reads the data,
    /// `is_written` if some task so far writes them.
    bool is_read = false;
    bool is_written = false;
    /// The data that the last run used in place of `recorded`.
    DataRecord* current = nullptr;
    /// The accesses of the recorded tasks to the data.
    std::vector<TaskAccess*> places;
  };

  /// One of the accesses of the recorded tasks.
  struct Access {
    /// The index in `uses`.
    std::size_t use = 0;
    AccessMode mode = AccessMode::read;
    /// The nested task that declares the data as weak; null if the kernel of the accessing task uses the data.
    const RecordedTask* weak_in = nullptr;
  };

  explicit Recording(std::string name) : name_(std::move(name)) {}
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  // The next functions are used while the recording is open; all require the submission lock.
  RecordedTask& add();
  /// Records the data that a task uses; the task's accesses must be known.
  void note_uses(RecordedTask& task);
  /// Returns the state of a record for the recorded tasks. The first call for a record makes the state: a copy of the
  /// state of the nearest record above it that has one, as kernels of nested tasks may divide data meanwhile.
  [[nodiscard]] DependencyState& dependencies_of(const DataRecord& record);
  /// Returns true if some task so far uses this data.
  [[nodiscard]] bool orders(const DataRecord& record) const { return states_.contains(&record); }
  /// Returns true if some task so far uses a part of the record, or a halo part of a part of the record.
  [[nodiscard]] bool uses_inside(const DataRecord& record) const;
  /// Called before the parts of the record are deleted. `uses_inside(record)` must be false.
  void forget_inside(const DataRecord& record);
  [[nodiscard]] std::vector<DataRecord*>& open_reductions() { return open_reductions_; }
  /// Returns the task with this id; null if the recording has no such task.
  [[nodiscard]] RecordedTask* find(TaskId id);
  void seal(BlockPool<EdgeBlock>& pool, BlockPool<EdgeBlock>::Cache& cache);

  // The next functions are used when the recording is sealed.
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t size() const { return tasks_.size(); }
  [[nodiscard]] std::span<const Use> uses() const { return uses_; }
  /// Returns the accesses that decide whether a run reads data without content, in the order of submission. For each of
  /// `uses` these are the first access that reads, if no earlier access writes, and the first access that writes.
  [[nodiscard]] std::span<const Access> first_accesses() const { return first_accesses_; }
  /// Returns the task that stands for the run that was submitted last. Guarded by the submission lock.
  [[nodiscard]] TaskReference& last_run() { return last_run_; }
  /// Returns the index of the handle in `uses()`, or `uses().size()` if it is not used.
  [[nodiscard]] std::size_t use_of(const Handle& handle) const;
  [[nodiscard]] const std::deque<RecordedTask>& tasks() const { return tasks_; }

  // Workers call the next functions while the recording runs, in the order that the dependencies give.
  /// Begins the run for which `run_task` stands: appends the tasks without predecessors to `ready`.
  void begin_run(Task& run_task, TaskList& ready);
  struct Ended {
    /// The reason why the task did not succeed, or null.
    const FailureLog::Cause& cause;
    /// The worker's index, and the trace for dependencies, which may be null.
    std::size_t slot = 0;
    DependencyTrace* trace = nullptr;
  };
  /// Releases the successors of an ended task, and appends those that became ready to `ready`. Returns true if the run
  /// has ended. The task must not be used afterwards. If the run has not ended, the recording must not be used either.
  bool task_ended(RecordedTask& task, const Ended& ended, TaskList& ready);
  /// Returns the task that stands for the current run; null between runs.
  [[nodiscard]] Task* run_task() const { return run_task_.load(std::memory_order_acquire); }
  /// Ends the run, and returns the task that stands for it.
  Task& end_run() { return *run_task_.exchange(nullptr, std::memory_order_acq_rel); }
  /// Returns the id that the task has in the current run, even if it is not ready yet.
  [[nodiscard]] std::uint64_t id_of(const RecordedTask& task) const {
    return first_id_.load(std::memory_order_relaxed) + task.index;
  }
  [[nodiscard]] RecordedState state_of(const RecordedTask& task) const {
    // The acquire load pairs with `make_ready`, which stores the status before the id.
    if (task.id.load(std::memory_order_acquire) != id_of(task)) return RecordedState::waiting;
    return task.status.load(std::memory_order_relaxed) == TaskStatus::pending ? RecordedState::ready
                                                                              : RecordedState::ended;
  }
  /// Returns and forgets why the run did not succeed; null if it did.
  [[nodiscard]] FailureLog::Cause take_cause();

 private:
  void link(const RecordedOrder& order);
  void find_containing();
  void bind(const RecordingRun& run);
  void make_ready(RecordedTask& task, TaskList& ready);
  void note_cause(const FailureLog::Cause& cause);

  const std::string name_;
  std::deque<RecordedTask> tasks_;
  std::vector<std::unique_ptr<RecordedTask::Link[]>> more_links_;
  std::vector<RecordedTask*> roots_;
  /// The number of tasks for which no other task waits. The run ends when all these tasks have ended.
  std::uint32_t sinks_ = 0;
  /// The uses, in the order of their first use.
  std::vector<Use> uses_;
  std::vector<Access> first_accesses_;
  std::unordered_map<const DataRecord*, std::size_t> use_numbers_;  // used for look-ups only

  // The next three members are used while the recording is open; the two maps are for look-ups only.
  std::unordered_map<const DataRecord*, DependencyState> states_;
  std::unordered_map<std::uint64_t, RecordedTask*> by_id_;
  std::vector<DataRecord*> open_reductions_;

  TaskReference last_run_;

  // The next members belong to the current run.
  std::atomic<Task*> run_task_{nullptr};
  /// Atomic for `TaskGraph::inspect`, which reads it while a run may begin.
  std::atomic<std::uint64_t> first_id_{0};
  alignas(64) std::atomic<std::uint32_t> sinks_left_{0};
  SpinLock cause_lock_;
  FailureLog::Cause cause_ TROUPE_GUARDED_BY(cause_lock_);
};

inline void Recording::make_ready(RecordedTask& task, TaskList& ready) {
  task.status.store(TaskStatus::pending, std::memory_order_relaxed);
  task.id.store(id_of(task), std::memory_order_release);
  ready.push_back(&task);
}

inline bool Recording::task_ended(RecordedTask& task, const Ended& ended, TaskList& ready) {
  if (ended.cause) [[unlikely]]
    note_cause(ended.cause);
  // This value is read now, because another worker may end the run and destroy the recording once the task's last
  // follower is released.
  const bool is_sink = task.link_count == 0;
  task.withdrawn.store(Withdrawal::none, std::memory_order_relaxed);
  task.status.store(ended.cause ? TaskStatus::failed : TaskStatus::succeeded, std::memory_order_relaxed);
  for (const RecordedTask::Link& link : task.followers()) {
    RecordedTask& follower = *link.task();
    if (ended.trace != nullptr) [[unlikely]] {
      const bool whole = task.role == TaskRole::recorded_nested;
      ended.trace->released(ended.slot, task.task_id(), TaskId(id_of(follower)), whole);
    }
    if (ended.cause && link.is_explicit()) {
      follower.withdrawn.store(Withdrawal::by_predecessor, std::memory_order_relaxed);
    }
    // Release publishes this task's effects. Acquire makes the last predecessor see the effects of all predecessors.
    if (follower.pending.fetch_sub(1, std::memory_order_acq_rel) == 1) make_ready(follower, ready);
  }
  // Release publishes this task's effects. Acquire makes the last task see the effects of all others, so that they come
  // before the tasks that wait for the run.
  return is_sink && sinks_left_.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

/// While a `RecordingScope` lives, the submissions of its thread to `owner` are recorded.
class RecordingScope {
 public:
  RecordingScope(const TaskOwner* owner, Recording* recording);
  ~RecordingScope();
  RecordingScope(const RecordingScope&) = delete;
  RecordingScope& operator=(const RecordingScope&) = delete;

  /// Returns the recording of `owner` that the calling thread makes, or null.
  [[nodiscard]] static Recording* find(const TaskOwner* owner);

 private:
  const TaskOwner* owner_;
  Recording* recording_;
  const RecordingScope* outer_;
};

}  // namespace troupe::graph
