#include "graph/nesting/endings.hpp"

#include <atomic>
#include <memory>
#include <new>

#include "graph/cancellation.hpp"
#include "graph/completion.hpp"
#include "graph/nesting/divisions.hpp"
#include "graph/nesting/domains.hpp"
#include "graph/tasks/task_waiter.hpp"
#include "graph/validity.hpp"

namespace troupe::graph {

namespace {

/// When the kernel of a nested task returns, the states in at most this number of domains around it are brought up to
/// date.
constexpr int kLevels = 16;

/// Makes a task that still waits for others wait for `predecessor`, too. Returns false if `predecessor` has ended.
bool add_late_edge(GraphState& graph, Task& waiting, const TaskReference& predecessor)
    TROUPE_REQUIRES(graph.submission_mutex) {
  if (predecessor.ended()) return false;
  EdgeBlock* const block = graph.memory.edges.allocate(graph.submission_caches.edges);
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

/// Does the part of `hand_over` for tasks that are submitted later: in dependency states, the last children replace
/// the parent.
void replace_in_states(GraphState& graph, const Domain& domain) TROUPE_REQUIRES(graph.submission_mutex) {
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
                   [&](DependencyState& state) { replace_parent(state, domain.reference(), inner, graph.called); });
  });
}

/// Does the part of `hand_over` for one task that waits for the parent. Returns false if the task must go on waiting
/// for the parent.
bool wait_for_children(GraphState& graph, Task& task, Domain& domain) TROUPE_REQUIRES(graph.submission_mutex) {
  bool shares_data = false;
  bool divided = false;
  TaskReference added;
  const auto wait = [&](DataRecord& record) TROUPE_REQUIRES(graph.submission_mutex) {
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
      add_late_edge(graph, task, last);
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

/// Makes the tasks that wait for the parent because of data wait for the parent's last children instead. Returns,
/// newest first, the edges to these tasks in the parent's list; the caller releases them.
[[nodiscard]] Edge* hand_over(GraphState& graph, Domain& domain) TROUPE_REQUIRES(graph.submission_mutex) {
  Task& parent = domain.parent;
  const bool gave_up = domain.ending().own;
  try {
    if (!gave_up) replace_in_states(graph, domain);
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
        goes = task.outer_domain() == &domain || (!gave_up && wait_for_children(graph, task, domain));
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

/// A nested task begins without waiting for earlier tasks on its weak data. But when it has ended, other tasks assume
/// that these earlier tasks have ended, too. After the end of its children, the nested task therefore waits for the
/// earlier tasks. Returns true if some have not ended: the nested task then becomes ready once more, and
/// `end_parents` ends it.
bool waits_for_weak(GraphState& graph, Domain& domain) TROUPE_EXCLUDES(graph.submission_mutex) {
  Task& parent = domain.parent;
  const LockGuard lock(graph.submission_mutex);
  // The parent is in no queue, so its counter may be used again.
  parent.pending.store(Task::kSubmitting, std::memory_order_relaxed);
  for (const TaskAccess& access : domain.weak) {
    access.data()->visit_tree([&](DataRecord& record) TROUPE_REQUIRES(graph.submission_mutex) {
      const DependencyState* const inner = domain.find(record);
      if (inner == nullptr) return;
      for (const TaskReference& last : last_tasks(*inner, AccessMode::write)) add_late_edge(graph, parent, last);
    });
  }
  return parent.pending.fetch_sub(Task::kSubmitting, std::memory_order_acq_rel) != Task::kSubmitting;
}

Completion completion_of(const GraphState& graph, const Domain& domain, std::size_t slot, WorkerId worker) {
  const Domain::Ending ending = domain.ending();
  Completion completion{ending.status, ending.cause, ending.origin, slot, worker, !ending.own};
  if (ending.status == TaskStatus::succeeded || ending.own) return completion;
  const bool cancelled = ending.status == TaskStatus::cancelled;
  const Withdrawal reason = why_unwanted(graph, domain.parent);
  if (cancelled && (reason == Withdrawal::told_of_program || reason == Withdrawal::told_of_all)) {
    // The program has cancelled the children with the task, so they are not the reason.
    completion.cause = std::make_shared<Failure>(
        Failure{ErrorCode::cancelled, describe(domain.parent) + " was cancelled: " +
                                          text_of(graph, reason, domain.parent, "all that belongs to it had ended")});
    return completion;
  }
  const FailureLog::Cause& first = ending.origin ? ending.origin : ending.cause;
  completion.cause =
      std::make_shared<Failure>(Failure{cancelled ? ErrorCode::cancelled : ending.cause->code,
                                        describe(domain.parent) + (cancelled ? " was cancelled" : " failed") +
                                            " because a task that belongs to it did not succeed: " + first->message});
  return completion;
}

/// Ends the parent of a domain without open tasks. Returns the domain that the parent belongs to.
Domain* end_parent(GraphState& graph, Domain& domain, std::size_t slot, WorkerId worker, TaskList& ready) {
  domain.states = {};
  Domain* const outer = finish_alone(graph, domain.parent, completion_of(graph, domain, slot, worker), ready);
  // The graph and its budget still exist, because the nested task around the parent has not ended.
  if (outer != nullptr) child_ended(graph);
  return outer;
}

}  // namespace

void kernel_returned(GraphState& graph, Task& parent, WorkerId worker, TaskList& ready) {
  Domain& domain = *parent.own_domain();
  const bool gave_up = domain.ending().own;
  domain.over.store(true, std::memory_order_relaxed);
  if (gave_up) cancel_children(graph, domain);
  // If the nested task has no data, no task waits for its children because of data.
  const bool has_data = parent.access_count > 0 || !domain.weak.empty();
  if ((has_data && domain.any_child.load(std::memory_order_relaxed)) || (!domain.weak.empty() && !gave_up)) {
    Edge* released = nullptr;
    {
      const LockGuard lock(graph.submission_mutex);
      if (!gave_up) poison_unwritten(graph, domain);
      released = hand_over(graph, domain);
    }
    // This call is made without the lock, because one of the released tasks may end a registration.
    release_successors(graph, parent, released, TaskStatus::succeeded, worker.index(), ready);
  }
  leave_domain(graph, domain, worker.index(), worker, ready);
  end_parents(graph, worker.index(), worker, ready);
}

void leave_domain(GraphState& graph, Domain& domain, std::size_t slot, WorkerId worker, TaskList& ready) {
  Domain* left = &domain;
  while (left != nullptr) {
    // Acquire: the last thread that leaves sees the effects of all children. Release: publishes this thread's effects
    // to that thread.
    const std::uint32_t before = left->open.fetch_sub(1, std::memory_order_acq_rel);
    // Only the blocked kernel of the parent is left in `open`. The kernel keeps the domain alive until it is signalled.
    if (before == Domain::kAwaited + 2) left->waiter->signal();
    if (before != 1 || joins_parts(graph, *left, ready) || (!left->weak.empty() && waits_for_weak(graph, *left)))
      return;
    left = end_parent(graph, *left, slot, worker, ready);
  }
}

void end_parents(GraphState& graph, std::size_t slot, WorkerId worker, TaskList& ready) {
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
      Domain* const left = end_parent(graph, *own, slot, worker, ready);
      if (left != nullptr) leave_domain(graph, *left, slot, worker, ready);
      again = true;
    }
  }
}

}  // namespace troupe::graph
