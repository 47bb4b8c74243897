#include "graph/data/dependencies.hpp"

#include <algorithm>

namespace troupe::graph {

namespace {
constexpr std::size_t kPruneFrom = 32;
/// While a trace is recorded, only lists of at least this length lose their ended tasks, because the trace also needs
/// predecessors that have ended. Without such a limit, data that are only read would need ever more memory. A list of
/// this length takes 1 MiB.
constexpr std::size_t kPruneTracedFrom = 65536;
/// The length from which `DependencyState::before` loses its ended tasks while a trace is recorded. It is lower than
/// `kPruneTracedFrom`, because every member of an epoch reads the whole list.
constexpr std::size_t kPruneTracedBeforeFrom = 1024;

EpochKind epoch_of(AccessMode mode) {
  switch (mode) {
    case AccessMode::commute: return EpochKind::commute;
    case AccessMode::reduce: return EpochKind::reduce;
    default: return EpochKind::write;
  }
}
}  // namespace

void make_room(std::vector<TaskReference>& list, std::size_t from) {
  if (list.size() < list.capacity()) return;
  // Before the list grows, drop its ended tasks. If less than half the capacity becomes free, the list grows all the
  // same, because it would soon be searched again.
  if (list.size() >= from) {
    std::erase_if(list, [](const TaskReference& reference) { return reference.ended(); });
    if (list.size() <= list.capacity() / 2 && list.size() < list.capacity()) return;
  }
  list.reserve(std::max<std::size_t>(1, 2 * list.capacity()));
}

bool in_use(const DependencyState& state, const Task* except) {
  return in_use_by(state, [except](const TaskReference& task) { return task.task != except && !task.ended(); });
}

bool in_use(const DataRecord& record, const Task* except) {
  bool found = false;
  record.visit_tree([&](const DataRecord& part) { found = found || in_use(part.dependencies, except); });
  return found;
}

DependencyBuilder::DependencyBuilder(Task& task, BlockPool<EdgeBlock>& pool, BlockPool<EdgeBlock>::Cache& cache,
                                     DependencyTrace* trace)
    : task_(task),
      pool_(pool),
      cache_(cache),
      block_begin_(task.inline_edges.data()),
      block_next_(block_begin_),
      block_end_(block_begin_ + task.inline_edges.size()),
      trace_(trace) {
  task.pending.store(Task::kSubmitting, std::memory_order_relaxed);
}

Edge& DependencyBuilder::next_edge() {
  if (block_next_ == block_end_) {
    EdgeBlock* block = pool_.allocate(cache_);
    block->next = task_.more_edges;
    task_.more_edges = block;
    task_.has_more = true;
    block_begin_ = block_next_ = block->edges.data();
    block_end_ = block_begin_ + EdgeBlock::kEdges;
  }
  return *block_next_;
}

bool DependencyBuilder::add_edge(TaskReference predecessor, Edge::Kind kind) {
  // While the submission lock is held, no task's memory is used for another task, so an id that matches keeps matching.
  if (predecessor.task->id.load(std::memory_order_relaxed) != predecessor.id) return false;
  Task& other = *predecessor.task;
  // A task that reads a halo part and writes data that the halo part overlaps finds itself among the predecessors.
  if (&other == &task_) [[unlikely]]
    return true;
  Edge* head = other.successors.load(std::memory_order_acquire);
  if (head == Task::closed()) return false;
  // If the two tasks have several handles in common, the newest edge in the predecessor's list may belong to this task:
  // then no further edge is needed. Only the addresses are compared, because the edge may belong to a task that ends
  // meanwhile.
  if (kind == Edge::data && head >= block_begin_ && head < block_next_) return true;
  Edge& edge = next_edge();
  edge.set(&task_, kind);
  do {
    if (head == Task::closed()) return false;
    edge.link(head);
    // The release order publishes the edge to the worker that completes `other`: it takes the list with an acquire
    // exchange.
  } while (!other.successors.compare_exchange_weak(head, &edge, std::memory_order_release, std::memory_order_acquire));
  ++block_next_;
  ++edges_;
  return true;
}

void DependencyBuilder::add_edges(const std::vector<TaskReference>& predecessors) {
  for (const TaskReference& predecessor : predecessors) {
    if (!add_edge(predecessor, Edge::data)) note_ended(predecessor);
  }
}

bool DependencyBuilder::after(TaskReference predecessor) {
  if (add_edge(predecessor, Edge::explicit_dependency)) return true;
  note_ended(predecessor, true);
  return false;
}

void DependencyBuilder::note_ended(TaskReference predecessor, bool whole) {
  if (trace_ != nullptr) trace_->had_ended(TaskId(predecessor.id), task_.task_id(), whole);
}

std::size_t DependencyBuilder::prune_from() const { return trace_ == nullptr ? kPruneFrom : kPruneTracedFrom; }

void DependencyBuilder::access(DependencyState& state, AccessMode mode) {
  // In each branch, all calls that can throw come before the changes of the state.
  if (mode == AccessMode::read) {
    make_room(state.readers, prune_from());
    add_edges(state.writers);
    state.readers.push_back(self());
    return;
  }
  if (mode == AccessMode::write || mode == AccessMode::read_write) return write(state);
  const EpochKind kind = epoch_of(mode);
  const bool joins = kind == state.kind && state.readers.empty();
  if (joins) {
    make_room(state.writers, prune_from());
    add_edges(state.before);
  } else {
    // The readers have waited for the epoch themselves, so a new epoch waits for them alone.
    std::vector<TaskReference>& last = state.readers.empty() ? state.writers : state.readers;
    // The swap below may exchange the memory of the two lists, so both get room for one entry now.
    state.before.reserve(1);
    state.writers.reserve(1);
    add_edges(last);
    state.before.clear();
    state.before.swap(last);
    state.writers.clear();
    state.readers.clear();
    state.kind = kind;
  }
  state.writers.push_back(self());
  if (joins && state.before.size() >= (trace_ == nullptr ? kPruneFrom : kPruneTracedBeforeFrom)) {
    std::erase_if(state.before, [](const TaskReference& reference) { return reference.ended(); });
  }
}

inline void DependencyBuilder::begin_epoch(DependencyState& state) {
  state.before.clear();
  state.readers.clear();
  state.writers.clear();
  state.kind = EpochKind::write;
  state.writers.push_back(self());
}

void DependencyBuilder::write(DependencyState& state) {
  if (state.writers.capacity() == 0) state.writers.reserve(1);
  // The readers have waited for the epoch themselves, so it is enough to wait for them.
  add_edges(state.readers.empty() ? state.writers : state.readers);
  begin_epoch(state);
}

void DependencyBuilder::make_room_to_declare(DependencyState& state) const {
  state.writers.reserve(1);
  make_room(state.readers, prune_from());
}

void DependencyBuilder::declare(DependencyState& state, AccessMode mode) noexcept {
  if (writes(mode)) return begin_epoch(state);
  state.readers.push_back(self());
}

bool DependencyBuilder::finish() {
  if (edges_ == 0) {
    task_.pending.store(0, std::memory_order_relaxed);
    return true;
  }
  // Predecessors that ended meanwhile have decremented `pending`. Acquire: the task sees the effects of these
  // predecessors. Release: publishes the task's contents to the thread that makes the last decrement.
  const std::uint32_t change = edges_ - Task::kSubmitting;
  return task_.pending.fetch_add(change, std::memory_order_acq_rel) + change == 0;
}

}  // namespace troupe::graph
