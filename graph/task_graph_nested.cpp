/// The functions of the task graph for nested tasks.
#include <utility>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/codelets/execution_scope.hpp"
#include "graph/data/domain.hpp"
#include "graph/data/usable.hpp"
#include "graph/submission_checks.hpp"
#include "graph/task_graph.hpp"

namespace troupe::graph {

namespace {

Failure refused(const Codelet& codelet, const std::string& why) {
  return {ErrorCode::invalid_argument, quoted(codelet) + ": " + why};
}

/// Returns true if the record is this whole or a part of it.
bool contains(const DataRecord& whole, const DataRecord& part) {
  const DataRecord* record = &part;
  while (record != nullptr && record != &whole) record = record->parent;
  return record != nullptr;
}

}  // namespace

const Task* TaskGraph::nesting_task_here() const {
  const Task* const here = ExecutionScope::task_here(this);
  if (here == nullptr || (here->own_domain() == nullptr && !here->is_child)) return nullptr;
  // What callbacks submit follows the outermost nested task: the tasks around the child may be over.
  const bool may_be_callback = here->extras && here->extras->callback;
  return may_be_callback && in_callback(*here) ? nullptr : here;
}

Domain* TaskGraph::domain_here() const {
  const Task* const here = nesting_task_here();
  if (here == nullptr) return nullptr;
  return here->own_domain() != nullptr ? here->own_domain() : here->outer_domain();
}

Result<Domain*> TaskGraph::open_domain_here() {
  const Task* const here = nesting_task_here();
  if (here == nullptr || here->own_domain() != nullptr) return here != nullptr ? here->own_domain() : nullptr;
  if (here->has_commute || here->codelet->pieces != nullptr) {
    return Failure{ErrorCode::invalid_argument,
                   describe(*here) +
                       " belongs to a nested task, and submits a task itself, which tasks that commute "
                       "and tasks made of pieces cannot: submit it in the kernel of the nested task"};
  }
  // The cast is allowed because the task belongs to this graph; the task is const only for the code that runs it.
  Task& task = const_cast<Task&>(*here);
  if (!task.extras) task.extras = std::make_unique<TaskExtras>();
  task.has_more = true;
  task.extras->domain = std::make_unique<Domain>(task);
  cure_written(task);
  return task.extras->domain.get();
}

std::uint64_t TaskGraph::home_here() const {
  if (!nesting_.any.load(std::memory_order_relaxed)) return 0;
  const Domain* const domain = domain_here();
  return domain != nullptr ? domain->id : 0;
}

Result<void> TaskGraph::check_belongs(DataRecord& record, AccessMode mode, const Domain* domain,
                                      const std::string& what) {
  const std::uint64_t here = domain != nullptr ? domain->id : 0;
  if (record.home == here) return {};
  const TaskAccess* const declared = domain != nullptr ? domain->declared(record) : nullptr;
  if (declared != nullptr) {
    if (!writes(mode) || writes(declared->mode())) return {};
    return Failure{ErrorCode::invalid_argument, what + " is used in mode " + to_string(mode) + ", but " +
                                                    describe(domain->parent) +
                                                    ", which it belongs to, declares it in mode read"};
  }
  DataRecord* whole = &record;
  while (whole->parent != nullptr) whole = whole->parent;
  // Temporary data of a nested task may be handed on when no task uses them.
  if (record.home != 0 && !in_use(*whole, nullptr)) {
    whole->visit_tree([here](DataRecord& part) { part.home = here; });
    return {};
  }
  if (domain == nullptr) {
    return Failure{ErrorCode::invalid_argument,
                   what +
                       " was registered in the kernel of a nested task whose children still use it: wait for the "
                       "nested task first"};
  }
  return Failure{ErrorCode::invalid_argument,
                 what + " is not among the data that " + describe(domain->parent) +
                     ", which the task belongs to, declares: add it to the data of the nested task, or to "
                     "TaskOptions::weak if only its children use it"};
}

Result<void> TaskGraph::check_nesting(const TaskSpecification& specification, const Domain* domain) {
  if (auto valid = check_nested(specification, options_.nests); !valid) return valid;
  const auto name_of = [&](const DataRecord& record) {
    return quoted(specification.codelet) + ": " + describe(record);
  };
  for (std::size_t i = 0; i < specification.accesses.size(); ++i) {
    const auto mode = mode_of(specification.codelet, specification.accesses[i], i);
    DataRecord& record = *specification.accesses[i].handle.record();
    if (auto belongs = check_belongs(record, mode.value(), domain, name_of(record)); !belongs) return belongs;
  }
  for (const Future& future : specification.options.after) {
    if (domain == nullptr || TaskReference{future.task(), future.id().value()}.ended()) continue;
    if (may_follow(*future.task(), *domain)) continue;
    return refused(specification.codelet, "it is to run after " + describe(*future.task()) +
                                              ", which is, or may wait for, the nested task that it belongs to: name "
                                              "that dependency when the nested task is submitted");
  }
  // The data of the kernel were marked with the last mark.
  const std::uint64_t mark = specification.accesses.empty() ? take_mark() : ids_.last_mark;
  for (const Access& access : specification.options.weak) {
    const auto found = data_.registry.find(access.handle, domain);
    if (!found)
      return Failure{found.failure().code, quoted(specification.codelet) + ": weak data: " + found.failure().message};
    DataRecord& record = *found.value();
    if (!access.mode || *access.mode == AccessMode::commute || *access.mode == AccessMode::reduce) {
      return refused(specification.codelet, describe(record) +
                                                " is weak and needs a mode of read, write or read_write: "
                                                "read(x), write(x) or read_write(x)");
    }
    if (auto usable = check_usable(record, *access.mode); !usable) {
      return refused(specification.codelet, "weak data: " + usable.failure().message);
    }
    if (!record.mark(mark, *access.mode)) {
      return Failure{ErrorCode::conflicting_access,
                     name_of(record) + " is weak, and is the same data as, or part of, another handle of the task"};
    }
    if (auto belongs = check_belongs(record, *access.mode, domain, name_of(record)); !belongs) return belongs;
  }
  return {};
}

void TaskGraph::open_domain(Task& task, const TaskOptions& options) {
  task.extras->domain = std::make_unique<Domain>(task);
  for (const Access& access : options.weak) {
    task.extras->domain->weak.emplace_back(access.handle.record(), access.mode.value_or(AccessMode::read));
  }
  nesting_.any.store(true, std::memory_order_relaxed);
}

void TaskGraph::order_nested(Task& task, DependencyBuilder& builder, TaskList& ready) {
  Domain* const outer = task.outer_domain();
  Domain* const own = task.own_domain();
  const auto state_of = [&](DataRecord& record) TROUPE_REQUIRES(submission_mutex_) -> DependencyState& {
    if (outer != nullptr) return outer->state_of(record);
    if (record.dependencies.open_reduction) close_reduction(record, ready);
    return record.dependencies;
  };
  // A state that a part takes over from its whole must not have this task yet.
  const auto prepare = [&](DataRecord& record) TROUPE_REQUIRES(submission_mutex_) { (void)state_of(record); };
  for (const TaskAccess& access : task.data()) access.data()->visit_tree(prepare);
  if (own != nullptr) {
    for (const TaskAccess& access : own->weak) access.data()->visit_tree(prepare);
  }
  for (const TaskAccess& access : task.data()) {
    access.data()->visit_tree([&](DataRecord& record) TROUPE_REQUIRES(submission_mutex_) {
      builder.access(state_of(record), access.mode());
      // On a device with memory of its own, the data must not move while the kernel of the parent uses them.
      const bool moves = outer != nullptr && (options_.device_kinds & ~kOnCores) != 0;
      if (moves && !outer->over.load(std::memory_order_relaxed) && outer->uses(record)) {
        builder.follow({&outer->parent, outer->id});
      }
    });
  }
  if (own == nullptr) return;
  for (const TaskAccess& access : own->weak) {
    access.data()->visit_tree([&](DataRecord& record) TROUPE_REQUIRES(submission_mutex_) {
      DependencyState& state = state_of(record);
      own->states[&record] = state;
      builder.declare(state, access.mode());
    });
  }
}

void TaskGraph::join(Domain& domain) {
  domain.any_child.store(true, std::memory_order_relaxed);
  // Relaxed: the kernel of the parent, or a child, is still counted meanwhile.
  domain.open.fetch_add(1, std::memory_order_relaxed);
}

void TaskGraph::cancel_children(Domain& domain) {
  domain.cancelled.store(true, std::memory_order_relaxed);
  nesting_.any_cancelled.store(true, std::memory_order_relaxed);
}

void TaskGraph::cure_written(const Task& parent) {
  for (const TaskAccess& access : parent.data()) {
    if (access.mode() != AccessMode::write) continue;
    access.data()->visit_tree([&](DataRecord& part) {
      if (!part.poisoned.load(std::memory_order_relaxed) || part.abandoned.load(std::memory_order_relaxed)) return;
      part.poisoned.store(false, std::memory_order_relaxed);
      failures_.cure(part.handle_id());
    });
  }
}

void TaskGraph::kernel_returned(Task& parent, WorkerId worker, TaskList& ready) {
  Domain& domain = *parent.own_domain();
  const bool gave_up = domain.ending().own;
  domain.over.store(true, std::memory_order_relaxed);
  if (gave_up) cancel_children(domain);
  if (domain.any_child.load(std::memory_order_relaxed) || (!domain.weak.empty() && !gave_up)) {
    Edge* released = nullptr;
    {
      const LockGuard lock(submission_mutex_);
      released = hand_over(parent, domain);
    }
    // Without the lock, because the end of a registration may be among what was waiting.
    release_successors(parent, released, TaskStatus::succeeded, worker.index(), ready);
  }
  leave(domain, worker, ready);
}

bool TaskGraph::add_late_edge(Task& waiting, const TaskReference& predecessor) {
  if (predecessor.ended()) return false;
  EdgeBlock* const block = pools_.edges.allocate(submission_caches_.edges);
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

Edge* TaskGraph::hand_over(Task& parent, Domain& domain) {
  const bool gave_up = domain.ending().own;
  const TaskReference self{&parent, domain.id};
  Domain* const outer = parent.outer_domain();
  const auto for_each_data = [&](const auto& visit) {
    for (const TaskAccess& access : parent.data()) access.data()->visit_tree(visit);
    for (const TaskAccess& access : domain.weak) access.data()->visit_tree(visit);
  };
  if (!gave_up) {
    for_each_data([&](DataRecord& record) {
      DependencyState& around = outer != nullptr ? outer->state_of(record) : record.dependencies;
      replace_parent(around, self, domain.find(record));
    });
  }
  // Makes `task` wait for the children that use its data. Returns true if the parent's data are among them.
  const auto wait_for_children = [&](Task& task) TROUPE_REQUIRES(submission_mutex_) {
    bool shares_data = false;
    for_each_data([&](DataRecord& record) TROUPE_REQUIRES(submission_mutex_) {
      for (const TaskAccess& access : task.data()) {
        if (!contains(*access.data(), record)) continue;
        shares_data = true;
        const DependencyState* const inner = domain.find(record);
        if (inner == nullptr) continue;
        for (const TaskReference& last : last_tasks(*inner, access.mode())) add_late_edge(task, last);
      }
    });
    return shares_data;
  };
  // All who add edges hold the lock, so the list may be taken and put back in parts.
  Edge* edge = parent.successors.exchange(nullptr, std::memory_order_acq_rel);
  Edge* released = nullptr;
  Edge* kept = nullptr;
  while (edge != nullptr) {
    Edge* const next = edge->next_edge();
    bool goes = false;
    if (edge->kind() == Edge::data) {
      Task& task = *edge->task();
      goes = task.outer_domain() == &domain || (!gave_up && wait_for_children(task));
    }
    Edge*& list = goes ? released : kept;
    edge->link(list);
    list = edge;
    edge = next;
  }
  // The lists are in the order of submission now; they have to be newest first.
  const auto reversed = [](Edge* list) {
    Edge* newest = nullptr;
    while (list != nullptr) {
      Edge* const next = list->next_edge();
      list->link(newest);
      newest = list;
      list = next;
    }
    return newest;
  };
  parent.successors.store(reversed(kept), std::memory_order_release);
  return reversed(released);
}

bool TaskGraph::waits_for_weak(Task& parent, Domain& domain) {
  const LockGuard lock(submission_mutex_);
  // The parent is in no queue, so its counter is free to be used again.
  parent.pending.store(Task::kSubmitting, std::memory_order_relaxed);
  parent.withdrawn.store(Withdrawal::by_program, std::memory_order_relaxed);
  for (const TaskAccess& access : domain.weak) {
    access.data()->visit_tree([&](DataRecord& record) TROUPE_REQUIRES(submission_mutex_) {
      const DependencyState* const inner = domain.find(record);
      if (inner == nullptr) return;
      for (const TaskReference& last : last_tasks(*inner, AccessMode::write)) add_late_edge(parent, last);
    });
  }
  return parent.pending.fetch_sub(Task::kSubmitting, std::memory_order_acq_rel) != Task::kSubmitting;
}

TaskGraph::Completion TaskGraph::completion_of(const Domain& domain, WorkerId worker) const {
  const Domain::Ending ending = domain.ending();
  Completion completion{ending.status, ending.cause, ending.origin, worker.index(), worker, !ending.own};
  if (ending.status == TaskStatus::succeeded || ending.own) return completion;
  const bool cancelled = ending.status == TaskStatus::cancelled;
  const FailureLog::Cause& first = ending.origin ? ending.origin : ending.cause;
  completion.cause =
      std::make_shared<Failure>(Failure{cancelled ? ErrorCode::cancelled : ending.cause->code,
                                        describe(domain.parent) + (cancelled ? " was cancelled" : " failed") +
                                            " because a task that belongs to it did not succeed: " + first->message});
  return completion;
}

void TaskGraph::leave(Domain& domain, WorkerId worker, TaskList& ready) {
  Domain* left = &domain;
  // Acquire: the last to leave sees the effects of all children. Release: publishes the own effects to the last.
  while (left != nullptr && left->open.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    Task& parent = left->parent;
    const bool gave_up = left->ending().own;
    if (gave_up && !left->weak.empty() && waits_for_weak(parent, *left)) return;
    left = finish_alone(parent, completion_of(*left, worker), ready);
  }
}

Result<std::vector<Handle>> TaskGraph::partition_inside(const Handle& handle, std::span<const Block> blocks) {
  std::vector<Handle> handles;
  TaskList ready;
  {
    const LockGuard lock(submission_mutex_);
    const auto opened = open_domain_here();
    if (!opened) return opened.failure();
    const Domain& domain = *opened.value();
    const auto found = data_.registry.find(handle, &domain);
    if (!found) return found.failure();
    DataRecord& record = *found.value();
    if ((options_.device_kinds & ~kOnCores) != 0) {
      return Failure{ErrorCode::wait_in_kernel,
                     describe(record) +
                         " cannot be partitioned in a kernel where accelerators take part: call "
                         "partition in the program, before the nested task"};
    }
    if (auto belongs = check_belongs(record, AccessMode::read_write, &domain, describe(record)); !belongs) {
      return belongs.failure();
    }
    const TaskAccess* const declared = domain.declared(record);
    DataRecord* undisturbed = declared != nullptr ? declared->data() : &record;
    while (declared == nullptr && undisturbed->parent != nullptr) undisturbed = undisturbed->parent;
    bool used = declared != nullptr && !domain.uses(record);
    undisturbed->visit_tree([&](const DataRecord& part) {
      const DependencyState* const state = domain.find(part);
      used = used || (state != nullptr && in_use(*state, nullptr));
    });
    if (used) {
      return Failure{ErrorCode::wait_in_kernel,
                     describe(record) +
                         " cannot be partitioned while tasks may use it, and a kernel cannot wait for "
                         "them: call partition before the children are submitted, and in a nested task "
                         "whose kernel itself declares the data"};
    }
    if (auto added = add_parts(record, blocks, handles, ready); !added) return added.failure();
  }
  if (!ready.empty()) host_.activate(ready, WorkerId{});
  return handles;
}

}  // namespace troupe::graph
