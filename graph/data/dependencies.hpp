/// Turns access modes into edges between tasks (sequential task flow).
#pragma once

#include <algorithm>
#include <cstdint>

#include "graph/data/data_record.hpp"
#include "graph/tasks/block_pool.hpp"
#include "graph/tasks/dependency_trace.hpp"
#include "graph/tasks/task.hpp"

namespace troupe::graph {

/// Adds the predecessors of one task that is being submitted. The caller holds the submission lock from the task's
/// allocation to `finish`.
class DependencyBuilder {
 public:
  /// `trace` records predecessors that have ended already; may be null.
  DependencyBuilder(Task& task, BlockPool<EdgeBlock>& pool, BlockPool<EdgeBlock>::Cache& cache,
                    DependencyTrace* trace = nullptr);

  /// Orders the task after the earlier tasks that it must wait for on this record, and records its own access.
  ///
  /// | epoch so far | readers since | access       | waits for      | then                                 |
  /// |--------------|---------------|--------------|----------------|--------------------------------------|
  /// | any          | any           | read         | the epoch      | joins the readers                    |
  /// | any          | some          | read_write, write | the readers | begins an epoch                     |
  /// | any          | none          | read_write, write | the epoch   | begins an epoch                     |
  /// | same mode    | none          | commute, reduce | what the epoch waited for | joins the epoch          |
  /// | else         | any           | commute, reduce | readers, or the epoch     | begins an epoch          |
  ///
  /// An open reduction must have been closed before any other access (`TaskGraph::close_reduction`). Throws
  /// `std::bad_alloc`; the task may then have some of its predecessors already, but `state` is unchanged.
  void access(DependencyState& state, AccessMode mode);

  /// Records the task's access in the state, without making the task wait. The mode is read, write or read_write.
  /// `make_room_to_declare` must have been called for the state; it throws `std::bad_alloc`.
  void declare(DependencyState& state, AccessMode mode) noexcept;
  void make_room_to_declare(DependencyState& state) const;

  /// Adds an explicit dependency. Returns false if the predecessor has ended already.
  bool after(TaskReference predecessor);
  /// Orders the task after `predecessor` although no data require it. The task also runs if the predecessor fails.
  void follow(TaskReference predecessor) { add_edge(predecessor, Edge::data); }

  /// Ends the submission. Returns true if nothing is left to wait for: the task is ready, and the caller activates it.
  bool finish();

 private:
  /// The part of `access` for a task that begins a new epoch by itself.
  void write(DependencyState& state);
  void begin_epoch(DependencyState& state);
  bool add_edge(TaskReference predecessor, Edge::Kind kind);
  void add_edges(const std::vector<TaskReference>& predecessors);
  void note_ended(TaskReference predecessor, bool whole = false);
  Edge& next_edge();
  [[nodiscard]] std::size_t prune_from() const;
  [[nodiscard]] TaskReference self() const { return {&task_, task_.id.load(std::memory_order_relaxed)}; }

  Task& task_;
  BlockPool<EdgeBlock>& pool_;
  BlockPool<EdgeBlock>::Cache& cache_;
  /// The current block of edges: its begin, the next free edge and its end.
  Edge* block_begin_;
  Edge* block_next_;
  Edge* block_end_;
  std::uint32_t edges_ = 0;
  DependencyTrace* const trace_;
};

/// Makes room for one more entry in a list in which only the tasks in flight matter. From length `from` on, ended tasks
/// are dropped now and then, so that the list stays within twice the number of tasks in flight.
void make_room(std::vector<TaskReference>& list, std::size_t from);

/// Returns true if `uses(task)` is true for some task of the state, or if a reduction is open. Called under the
/// submission lock.
template <class Uses>
[[nodiscard]] bool in_use_by(const DependencyState& state, const Uses& uses) {
  return state.open_reduction || std::ranges::any_of(state.before, uses) || std::ranges::any_of(state.writers, uses) ||
         std::ranges::any_of(state.readers, uses);
}

/// Returns true if some task other than `except` that uses data in this state has not ended. Called under the
/// submission lock.
[[nodiscard]] bool in_use(const DependencyState& state, const Task* except);
/// Returns true if such a task uses the record or a record below it in the tree of parts.
[[nodiscard]] bool in_use(const DataRecord& record, const Task* except);

}  // namespace troupe::graph
