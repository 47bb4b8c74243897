/// The functions of the task graph for nested tasks.
#include <algorithm>
#include <utility>

#include "graph/cancellation.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "graph/codelets/execution_scope.hpp"
#include "graph/data/domain.hpp"
#include "graph/data/usable.hpp"
#include "graph/here.hpp"
#include "graph/nesting/domains.hpp"
#include "graph/ordering.hpp"
#include "graph/submission_checks.hpp"
#include "graph/task_graph.hpp"
#include "graph/validity.hpp"

namespace troupe::graph {

namespace {

/// When the kernel of a nested task returns, the states in at most this number of domains around it are brought up to
/// date.
constexpr int kLevels = 16;

}  // namespace

void TaskGraph::kernel_returned(Task& parent, WorkerId worker, TaskList& ready) {
  Domain& domain = *parent.own_domain();
  const bool gave_up = domain.ending().own;
  domain.over.store(true, std::memory_order_relaxed);
  if (gave_up) cancel_children(state_, domain);
  // If the nested task has no data, no task waits for its children because of data.
  const bool has_data = parent.access_count > 0 || !domain.weak.empty();
  if ((has_data && domain.any_child.load(std::memory_order_relaxed)) || (!domain.weak.empty() && !gave_up)) {
    Edge* released = nullptr;
    {
      const LockGuard lock(state_.submission_mutex);
      if (!gave_up) poison_unwritten(state_, domain);
      released = hand_over(domain);
    }
    // This call is made without the lock, because one of the released tasks may end a registration.
    release_successors(parent, released, TaskStatus::succeeded, worker.index(), ready);
  }
  leave(domain, worker.index(), worker, ready);
  end_parents(worker.index(), worker, ready);
}

bool TaskGraph::add_late_edge(Task& waiting, const TaskReference& predecessor) {
  if (predecessor.ended()) return false;
  EdgeBlock* const block = state_.memory.edges.allocate(state_.submission_caches.edges);
  block->next = waiting.more_edges;
  waiting.more_edges = block;
  waiting.has_more = true;
  Edge& edge = block->edges[0];
  edge.set(&waiting, Edge::data);
  // The task cannot become ready meanwhile: it still waits for the parent.
  waiting.pending.fetch_add(1, std::memory_order_relaxed);
  Task& other = *predecessor.task;
  Edge* head = other.successors.load(std::memory_order_acquire);
  while (head != Task::closed()) {
    edge.link(head);
    // The release order publishes the edge to the worker that completes `other`, as in `DependencyBuilder::add_edge`.
    if (other.successors.compare_exchange_weak(head, &edge, std::memory_order_release, std::memory_order_acquire)) {
      return true;
    }
  }
  waiting.pending.fetch_sub(1, std::memory_order_acquire);
  return false;
}

void TaskGraph::replace_in_states(const Domain& domain) {
  // `for_each_state` visits the states of a record that may contain the parent. The first is the state in the domain to
  // which the parent belongs. If the kernel of that domain's own parent P has returned (`over`), the last tasks of the
  // domain have replaced P in the state one domain further out. The parent may be one of these last tasks, so the outer
  // state is visited, too, and so on outwards, over at most `kLevels` domains. Tasks in domains beyond these wait until
  // the parent has ended.
  const auto for_each_state = [&](DataRecord& record, const auto& visit) {
    Domain* around = domain.parent.outer_domain();
    for (int level = 0; level < kLevels; ++level) {
      // In the states of data that the parent has divided itself, the parent stays until it has ended.
      if (!is_seen_around(domain, around, record) || has_unseen_parts(domain, around, record)) return;
      visit(state_in(around, record));
      const bool at_home = around == nullptr || record.home.id == around->id;
      if (at_home || !around->over.load(std::memory_order_relaxed)) return;
      around = around->parent.outer_domain();
    }
  };
  // This first pass makes the missing states of parts, as copies of the states of their wholes. The second pass removes
  // the parent from all states.
  visit_declared(domain, [&](DataRecord& record) { for_each_state(record, [](DependencyState&) {}); });
  visit_declared(domain, [&](DataRecord& record) {
    const DependencyState* const inner = domain.find(record);
    for_each_state(record,
                   [&](DependencyState& state) { replace_parent(state, domain.reference(), inner, state_.called); });
  });
}

bool TaskGraph::wait_for_children(Task& task, Domain& domain) {
  bool shares_data = false;
  bool divided = false;
  TaskReference added;
  const auto wait = [&](DataRecord& record) TROUPE_REQUIRES(state_.submission_mutex) {
    if (divided || domain.declared(record) == nullptr) return;
    const Domain* const around = task.outer_domain();
    divided = !is_seen_around(domain, around, record) || has_unseen_parts(domain, around, record);
    if (divided) return;
    shares_data = true;
    const DependencyState* const inner = domain.find(record);
    if (inner == nullptr) return;
    // Even a task that only reads has to wait for children that only read, because later writers wait for this task
    // alone.
    for (const TaskReference& last : last_tasks(*inner, AccessMode::write)) {
      if (last.task == added.task && last.id == added.id) continue;
      add_late_edge(task, last);
      added = last;
    }
  };
  for (const TaskAccess& access : task.data()) access.data()->visit_tree(wait);
  // A nested task whose kernel has returned waits because of its weak data (`waits_for_weak`).
  const Domain* const own = task.own_domain();
  if (own != nullptr && own->over.load(std::memory_order_relaxed)) {
    for (const TaskAccess& access : own->weak) access.data()->visit_tree(wait);
  }
  return shares_data && !divided;
}

Edge* TaskGraph::hand_over(Domain& domain) {
  Task& parent = domain.parent;
  const bool gave_up = domain.ending().own;
  try {
    if (!gave_up) replace_in_states(domain);
  } catch (const std::bad_alloc&) {
    // There was no memory, so the parent stays in some dependency states: later tasks that find it there wait until it
    // has ended.
  }
  // Every thread that adds edges holds the lock. So this thread may take the whole list and put some of the edges back.
  Edge* edge = parent.successors.exchange(nullptr, std::memory_order_acq_rel);
  Edge* released = nullptr;
  Edge* kept = nullptr;
  while (edge != nullptr) {
    Edge* const next = edge->next_edge();
    bool goes = false;
    if (edge->kind() == Edge::data) {
      Task& task = *edge->task();
      try {
        goes = task.outer_domain() == &domain || (!gave_up && wait_for_children(task, domain));
      } catch (const std::bad_alloc&) {
        // There was no memory, so the task waits until the parent has ended.
      }
    }
    Edge*& list = goes ? released : kept;
    edge->link(list);
    list = edge;
    edge = next;
  }
  // The loop has reversed the order of the edges. Both lists have to be newest first.
  parent.successors.store(reversed(kept), std::memory_order_release);
  return reversed(released);
}

bool TaskGraph::waits_for_weak(Domain& domain) {
  Task& parent = domain.parent;
  const LockGuard lock(state_.submission_mutex);
  // The parent is in no queue, so its counter may be used again.
  parent.pending.store(Task::kSubmitting, std::memory_order_relaxed);
  for (const TaskAccess& access : domain.weak) {
    access.data()->visit_tree([&](DataRecord& record) TROUPE_REQUIRES(state_.submission_mutex) {
      const DependencyState* const inner = domain.find(record);
      if (inner == nullptr) return;
      for (const TaskReference& last : last_tasks(*inner, AccessMode::write)) add_late_edge(parent, last);
    });
  }
  return parent.pending.fetch_sub(Task::kSubmitting, std::memory_order_acq_rel) != Task::kSubmitting;
}

TaskGraph::Completion TaskGraph::completion_of(const Domain& domain, std::size_t slot, WorkerId worker) const {
  const Domain::Ending ending = domain.ending();
  Completion completion{ending.status, ending.cause, ending.origin, slot, worker, !ending.own};
  if (ending.status == TaskStatus::succeeded || ending.own) return completion;
  const bool cancelled = ending.status == TaskStatus::cancelled;
  const Withdrawal reason = why_unwanted(state_, domain.parent);
  if (cancelled && (reason == Withdrawal::told_of_program || reason == Withdrawal::told_of_all)) {
    // The program has cancelled the children with the task, so they are not the reason.
    completion.cause = std::make_shared<Failure>(
        Failure{ErrorCode::cancelled, describe(domain.parent) + " was cancelled: " +
                                          text_of(state_, reason, domain.parent, "all that belongs to it had ended")});
    return completion;
  }
  const FailureLog::Cause& first = ending.origin ? ending.origin : ending.cause;
  completion.cause =
      std::make_shared<Failure>(Failure{cancelled ? ErrorCode::cancelled : ending.cause->code,
                                        describe(domain.parent) + (cancelled ? " was cancelled" : " failed") +
                                            " because a task that belongs to it did not succeed: " + first->message});
  return completion;
}

Domain* TaskGraph::end_parent(Domain& domain, std::size_t slot, WorkerId worker, TaskList& ready) {
  domain.states = {};
  Domain* const outer = finish_alone(domain.parent, completion_of(domain, slot, worker), ready);
  // The graph and its budget still exist, because the nested task around the parent has not ended.
  if (outer != nullptr) child_ended(state_);
  return outer;
}

void TaskGraph::leave(Domain& domain, std::size_t slot, WorkerId worker, TaskList& ready) {
  Domain* left = &domain;
  while (left != nullptr) {
    // Acquire: the last thread that leaves sees the effects of all children. Release: publishes this thread's effects
    // to that thread.
    const std::uint32_t before = left->open.fetch_sub(1, std::memory_order_acq_rel);
    // Only the blocked kernel of the parent is left in `open`. The kernel keeps the domain alive until it is signalled.
    if (before == Domain::kAwaited + 2) left->waiter->signal();
    if (before != 1 || joins_parts(*left, ready) || (!left->weak.empty() && waits_for_weak(*left))) return;
    left = end_parent(*left, slot, worker, ready);
  }
}

void TaskGraph::end_parents(std::size_t slot, WorkerId worker, TaskList& ready) {
  // The loop repeats because a task that ends here may be the last task for which another nested task has waited.
  for (bool again = true; again;) {
    again = false;
    TaskList tasks;
    tasks.append(ready);
    while (!tasks.empty()) {
      Task& task = *tasks.pop_front();
      Domain* const own = task.own_domain();
      if (own == nullptr || !own->over.load(std::memory_order_relaxed)) {
        ready.push_back(&task);
        continue;
      }
      Domain* const left = end_parent(*own, slot, worker, ready);
      if (left != nullptr) leave(*left, slot, worker, ready);
      again = true;
    }
  }
}

}  // namespace troupe::graph
