/// The children of one nested task, and the order among them.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/data/data_record.hpp"
#include "graph/tasks/failure_log.hpp"
#include "graph/tasks/task.hpp"
#include "proto/mutex.hpp"
#include "troupe/codelet.hpp"
#include "troupe/units.hpp"

namespace troupe::graph {

/// A *domain*: the tasks that the kernel of a nested task, its *parent*, submits. The domain has dependency states of
/// its own, so the children are ordered among themselves, and not behind their parent.
///
/// Life: the parent begins and submits children. When the parent's kernel returns (`over`), the tasks that wait for the
/// parent's data wait for the last children instead of the parent (`hand_over`). The parent ends when the
/// last child ends.
struct Domain {
  explicit Domain(Task& task) : parent(task), id(task.task_id().value()), client_graph(task.client_graph()) {}

  /// The parent's record is not used for another task before the last child has ended.
  Task& parent;
  const std::uint64_t id;
  /// The graph of the client that the tasks belong to; null in graphs that share no workers.
  TaskGraph* const client_graph;
  /// Added to `open` while the parent's kernel blocks until its children have ended.
  static constexpr std::uint32_t kAwaited = 1U << 31U;
  /// The number of children that have not ended, plus one until the parent's kernel has returned, plus `kAwaited` at
  /// times. The decrement to zero acquires what the other decrements have released.
  std::atomic<std::uint32_t> open{1};
  /// True while the parent's kernel waits for tasks of the domain. Only reports for people use this flag.
  std::atomic<bool> awaited{false};
  /// The number of children that the parent's kernel has submitted so far. Changed in that kernel only.
  std::atomic<std::uint64_t> joined{0};
  /// Signalled by the last child if `open` contains `kAwaited`.
  TaskWaiter* waiter = nullptr;
  /// The number of pieces of data that the parent's kernel has acquired. They count as children in `open`.
  std::atomic<std::uint32_t> held{0};
  /// True if no further child may begin, because the parent failed or was cancelled.
  std::atomic<bool> cancelled{false};
  /// True once the parent has submitted a child.
  std::atomic<bool> any_child{false};

  /// True once the parent's kernel has returned, or if the kernel will not run.
  std::atomic<bool> over{false};

  // The next members are guarded by the submission lock.
  /// A child that waits until the parent's kernel has returned, or waits itself (`free_followers`): the
  /// child uses data of this kernel, which must not move to an accelerator meanwhile.
  struct Follower {
    TaskReference task;
    /// The child's codelet; none if the child is a task of the graph's own.
    std::optional<Codelet> codelet;
  };
  std::vector<Follower> followers;
  /// True if all tasks of the domain run on cores (`Task::Nesting::on_cores`).
  bool on_cores = false;
  /// The data of `TaskOptions::weak`.
  std::vector<TaskAccess> weak;
  /// The parts of weak data in mode write that had no content when the parent was submitted: the children have to write
  /// them. A child that divides data anew writes the parts that it replaces.
  std::vector<Handle> unwritten;
  /// Declared data that the parent's kernel has divided. They are whole again when the parent ends, if there are
  /// accelerators (`joins_parts`).
  std::vector<Handle> divided;
  /// True if a task has been submitted that brings the content of `divided` to host memory.
  bool joining = false;
  /// The dependency states of data whose home (`DataRecord::home`) is not this domain, by the ids of their handles.
  /// Data get a state here when the first child uses them.
  std::unordered_map<std::uint64_t, DependencyState> states;

  /// The way in which the parent will end.
  struct Ending {
    TaskStatus status = TaskStatus::succeeded;
    FailureLog::Cause cause;
    FailureLog::Cause origin;
    /// True if the parent itself failed or was cancelled: then no data that it declares to write are valid.
    bool own = false;
  };
  /// Records that the parent failed or was cancelled, or that a child did not succeed. The parent's own outcome counts
  /// first, then the first failure of a child, then the first cancellation.
  void note(const Ending& ending);
  [[nodiscard]] Ending ending() const;

  [[nodiscard]] TaskReference reference() const { return {&parent, id}; }
  /// Returns the state of a record for the tasks of this domain. The first call for a record makes the state: a copy of
  /// the state of the nearest record above it in the tree of parts that has one. Called under the submission lock.
  [[nodiscard]] DependencyState& state_of(DataRecord& record);
  /// Sets the state that a record has before the first child uses it. Called under the submission lock.
  void inherit(const DataRecord& record, const DependencyState& state) { states[key_of(record)] = state; }
  /// Returns the state of a record for the tasks of this domain: its own, or else the state of the nearest record above
  /// it in the tree of parts. Returns null if no task has used any of them. Called under the submission lock.
  [[nodiscard]] const DependencyState* find(const DataRecord& record) const;
  /// Returns the record's own state in `states`; null if there is none. Called under the submission lock.
  [[nodiscard]] const DependencyState* find_own(const DataRecord& record) const;
  /// Returns the access by which the parent declares this record, a record above it in the tree of parts, or a halo
  /// part that overlaps it; null if there is none.
  [[nodiscard]] const TaskAccess* declared(const DataRecord& record) const;
  /// Returns true if children write all data of the record, so that later children may read them. Called under the
  /// submission lock.
  [[nodiscard]] bool children_write(DataRecord& record) const;
  /// Returns true if the parent declares the record as data of its own kernel, and not as weak data.
  [[nodiscard]] bool uses(const DataRecord& record) const;

 private:
  [[nodiscard]] static std::uint64_t key_of(const DataRecord& record) { return record.handle_id().value(); }

  mutable Mutex mutex_;
  Ending ending_ TROUPE_GUARDED_BY(mutex_);
};

/// Returns the state of a record for the tasks of a domain, or of the program if `domain` is null. Called under the
/// submission lock.
[[nodiscard]] inline DependencyState& state_in(Domain* domain, DataRecord& record) {
  return domain != nullptr ? domain->state_of(record) : record.dependencies;
}

/// Returns true if the parent of the domain declares the record, so that the content was checked when the parent was
/// submitted. Later marks (`DataRecord::Content`) come from submissions that follow the children. `domain` may be null.
[[nodiscard]] inline bool is_checked(const Domain* domain, const DataRecord& record) {
  return domain != nullptr && domain->declared(record) != nullptr;
}

/// Returns the value of `DataRecord::home` for data of this domain, or for data of the program if `domain` is null.
[[nodiscard]] inline TaskReference home_in(const Domain* domain) {
  return domain != nullptr ? domain->reference() : TaskReference{};
}

/// Sets the `home` of temporary data to the domain, or to the program if `domain` is null. Called under the submission
/// lock.
void move_home(const std::vector<DataRecord*>& wholes, const Domain* domain);

/// Returns true if tasks of the outer domain `around` (null for the program) on this part wait for the last children of
/// `inner` as soon as the kernel of the parent of `inner` has returned. If false, such tasks wait for the parent, as
/// for a task that uses the whole. The result is false for parts made by the parent, by a task inside it, or by a
/// nested task around it that has not ended and does not contain `around`: tasks of outer domains rarely use such
/// parts, and states of all parts in all outer domains would take too much memory. Called under the submission lock.
[[nodiscard]] bool is_seen_around(const Domain& inner, const Domain* around, const DataRecord& part);

/// Returns true if `is_seen_around` is false for some part of the record.
[[nodiscard]] bool has_unseen_parts(const Domain& inner, const Domain* around, const DataRecord& record);

/// Calls `visit(record)` for all records that the parent of the domain declares. The thread safety analysis is off
/// because `visit` may require a lock of the caller that cannot be named here.
template <class Visit>
void visit_declared(const Domain& domain, const Visit& visit) TROUPE_NO_THREAD_SAFETY_ANALYSIS {
  for (const TaskAccess& access : domain.parent.data()) access.data()->visit_tree(visit);
  for (const TaskAccess& access : domain.weak) access.data()->visit_tree(visit);
}

/// Returns true if the task belongs to the domain, or to a domain inside it.
[[nodiscard]] inline bool is_inside(const Task& task, const Domain& domain) {
  const Domain* one = task.outer_domain();
  while (one != nullptr && one != &domain) one = one->parent.outer_domain();
  return one != nullptr;
}

/// Returns true if the task must not begin because of a nested task around it: because that nested task failed or was
/// cancelled, or has an id below `below` (all tasks with ids below `below` were cancelled).
[[nodiscard]] bool parent_gave_up(const Task& task, std::uint64_t below);

/// Returns true if a new child in this domain may wait for `task`, which has not ended. Returns false if `task` is a
/// nested task around the child, or may wait for such a nested task: the child would then never begin. Called under the
/// submission lock.
[[nodiscard]] bool may_follow(const Task& task, const Domain& domain);

/// Replaces the parent in `state`, a state of an outer domain, by the last children in `inner`, the state of the same
/// data in the parent's domain (null if no child has used the data). Later tasks then wait for these children. If this
/// function throws `std::bad_alloc`, the state is unchanged, and later tasks wait for the parent. If all writers have
/// ended, `ended`, which is no task of the graph, stands in the state with the id of the parent.
void replace_parent(DependencyState& state, const TaskReference& parent, const DependencyState* inner, Task& ended);

/// Returns the tasks of a state for which a later access has to wait; `mode` is read, write or read_write.
[[nodiscard]] const std::vector<TaskReference>& last_tasks(const DependencyState& state, AccessMode mode);

}  // namespace troupe::graph
