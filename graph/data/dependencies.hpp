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

  /// Orders the task after the earlier tasks on the data of `state` for which it must wait, and adds its own access to
  /// `state`.
  ///
  /// | epoch so far | readers since | access       | waits for      | then                                 |
  /// |--------------|---------------|--------------|----------------|--------------------------------------|
  /// | any          | any           | read         | the epoch      | joins the readers                    |
  /// | any          | some          | read_write, write | the readers | begins an epoch                     |
  /// | any          | none          | read_write, write | the epoch   | begins an epoch                     |
  /// | same mode    | none          | commute, reduce | what the epoch waited for | joins the epoch          |
  /// | else         | any           | commute, reduce | readers, or the epoch     | begins an epoch          |
  ///
  /// An open reduction must have been closed before any other access (`close_reduction`). Throws
  /// `std::bad_alloc`; some predecessors may then have been added to the task, but `state` is unchanged.
  void access(DependencyState& state, AccessMode mode);

  /// Adds the task's access to `state` without making the task wait. The mode is read, write or read_write. Call
  /// `make_room_to_declare` for the state before; only that function throws (`std::bad_alloc`).
  void declare(DependencyState& state, AccessMode mode) noexcept;
  void make_room_to_declare(DependencyState& state) const;

  /// Called after `access` for the records that a halo part overlaps. Parts that a kernel has made may be replaced
  /// before the task has begun, so the task becomes a reader of the data around these parts, too: `state_of(record)` is
  /// the state of a record. The thread safety analysis is off because `state_of` may require a lock of the caller.
  template <class StateOf>
  void declare_around(const DataRecord& halo, const StateOf& state_of) TROUPE_NO_THREAD_SAFETY_ANALYSIS {
    for (const DataRecord* part : halo.children) {
      for (; part->made.in.id != 0; part = part->parent) {
        DependencyState& state = state_of(*part->parent);
        if (!state.readers.empty() && state.readers.back().task == &task_) continue;
        make_room_to_declare(state);
        declare(state, AccessMode::read);
      }
    }
  }

  /// Adds an explicit dependency. Returns false if the predecessor has ended already.
  bool after(TaskReference predecessor);
  /// Orders the task after `predecessor` although no data require it. The task also runs if the predecessor fails.
  void follow(TaskReference predecessor) { add_edge(predecessor, Edge::data); }

  /// Ends the submission. Returns true if the task has nothing to wait for: then it is ready, and the caller activates
  /// it.
  bool finish();

 private:
  /// Does the work of `access` for the modes write and read_write.
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
  /// The current block of edges: its begin, its next free edge, and its end.
  Edge* block_begin_;
  Edge* block_next_;
  Edge* block_end_;
  std::uint32_t edges_ = 0;
  DependencyTrace* const trace_;
};

/// Makes room for one more entry in a list. If the list has at least `from` entries, ended tasks are dropped now and
/// then, so that it has at most about twice as many entries as tasks in flight.
void make_room(std::vector<TaskReference>& list, std::size_t from);

/// Returns true if a reduction is open, or if `uses(task)` is true for some task of the state. Called under the
/// submission lock.
template <class Uses>
[[nodiscard]] bool in_use_by(const DependencyState& state, const Uses& uses) {
  return state.open_reduction || std::ranges::any_of(state.before, uses) || std::ranges::any_of(state.writers, uses) ||
         std::ranges::any_of(state.readers, uses);
}

/// Returns true if a reduction is open, or if a task of the state, other than `except`, has not ended. Called under the
/// submission lock.
[[nodiscard]] bool in_use(const DependencyState& state, const Task* except);
/// Returns true if the state of the record, or of a record below it in the tree of parts, is in use.
[[nodiscard]] bool in_use(const DataRecord& record, const Task* except);

}  // namespace troupe::graph
