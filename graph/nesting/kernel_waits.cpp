#include "graph/nesting/kernel_waits.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "graph/cancellation.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "graph/codelets/execution_scope.hpp"
#include "graph/data/domain.hpp"
#include "graph/data/usable.hpp"
#include "graph/here.hpp"
#include "graph/holds/hold_checks.hpp"
#include "graph/holds/holds.hpp"
#include "graph/holds/waits.hpp"
#include "graph/nesting/checks.hpp"
#include "graph/nesting/domains.hpp"
#include "graph/new_tasks.hpp"
#include "graph/submission_checks.hpp"
#include "graph/task_graph.hpp"
#include "graph/tasks/kernel_wait.hpp"
#include "graph/tasks/nesting_budget.hpp"
#include "graph/tasks/uncancellable.hpp"

namespace troupe::graph {

namespace {

Failure cannot_wait(const Task& task, const std::string& why) {
  return {ErrorCode::wait_in_kernel, describe(task) + " waited in its kernel, " + why};
}

Failure wait_never_ends(const Task& task, const std::string& why) {
  return {ErrorCode::invalid_argument, "the wait in the kernel of " + describe(task) + " would never end: " + why};
}

/// Returns true if several threads run the task's kernel.
bool is_shared(const Task& task) { return task.codelet->pieces != nullptr || task.codelet->team.kernel != nullptr; }

/// Returns true if other tasks wait for the task's data until its kernel has returned, though they do not depend on it.
bool locks_data(const Task& task) {
  const auto reduces = [](const TaskAccess& access) { return access.mode() == AccessMode::reduce; };
  return task.commute.wants || std::ranges::any_of(task.data(), reduces);
}

bool may_be_suspended(const Task& task) { return !is_shared(task) && !locks_data(task); }

/// One wait that counts in the budget, from `take` to the destructor.
class WaitRoom {
 public:
  explicit WaitRoom(NestingBudget* budget) : budget_(budget) {}
  ~WaitRoom() {
    if (taken_) budget_->end_wait();
  }
  WaitRoom(const WaitRoom&) = delete;
  WaitRoom& operator=(const WaitRoom&) = delete;
  /// Fails if the budget has no room.
  Result<void> take() {
    if (budget_ == nullptr) return {};
    auto allowed = budget_->begin_wait();
    taken_ = allowed.ok();
    return allowed;
  }

 private:
  NestingBudget* const budget_;
  bool taken_ = false;
};

/// Waits in the kernel that the worker runs. The wait already counts in the budget.
Result<void> wait_on(WorkerId worker, GraphHost& host, KernelWait& wait) {
  if (wait.done()) return {};
  struct Awaited {
    explicit Awaited(Domain& one) : domain(one) { domain.awaited.store(true, std::memory_order_relaxed); }
    ~Awaited() { domain.awaited.store(false, std::memory_order_relaxed); }
    Domain& domain;
  };
  const Awaited awaited(*wait.domain());
  return host.wait_inside(worker, wait);
}

/// Restricts the children that wait for the parent's kernel to cores, where they may use its data while the kernel
/// waits, and no longer keeps them waiting. Appends those that are ready to `ready`. Fails with `invalid_argument`
/// if one of them cannot run there. Called when nothing else refuses the wait.
Result<void> free_followers(GraphState& graph, Domain& domain, TaskList& ready)
    TROUPE_REQUIRES(graph.submission_mutex) {
  std::vector<std::pair<Task*, const CodeletDefinition*>> freed;
  for (const Domain::Follower& one : domain.followers) {
    if (one.task.ended()) continue;
    const CodeletDefinition* const on_cores = one.codelet ? on_cores_only(graph, *one.codelet) : nullptr;
    if (on_cores == nullptr) {
      return wait_never_ends(
          domain.parent,
          describe(*one.task.task) +
              " uses data of this kernel and cannot run on cores, so it waits until the kernel returns, as "
              "data must not move to an accelerator while a kernel uses them: give it an implementation "
              "for cores that no restriction leaves out, or declare the data in TaskOptions::weak");
    }
    freed.emplace_back(one.task.task, on_cores);
  }
  domain.followers.clear();
  if (freed.empty()) return {};
  for (const auto& [child, on_cores] : freed) {
    child->codelet = on_cores;
    child->nesting.on_cores = true;
    if (Domain* const own = child->own_domain()) own->on_cores = true;
    for (SubmissionObserver* observer : graph.options.observers) observer->restricted(*child);
  }
  // The parent's kernel runs, so its list of successors is open, and grows under the submission lock only.
  Edge* before = nullptr;
  for (Edge* edge = domain.parent.successors.load(std::memory_order_acquire); edge != nullptr;) {
    Edge* const next = edge->next_edge();
    if (edge->kind() != Edge::data || edge->task()->outer_domain() != &domain) {
      before = edge;
    } else {
      if (before == nullptr) {
        domain.parent.successors.store(next, std::memory_order_release);
      } else {
        before->link(next);
      }
      Task& child = *edge->task();
      if (child.pending.fetch_sub(1, std::memory_order_acq_rel) == 1) ready.push_back(&child);
    }
    edge = next;
  }
  return {};
}

/// Returns the domain whose tasks the calling kernel may wait for; null if the kernel has submitted no task. Fails if
/// the kernel must not wait.
Result<Domain*> domain_to_wait_for(GraphState& graph) TROUPE_REQUIRES(graph.submission_mutex) {
  const auto here = check_waits_inside(graph);
  if (!here) return here.failure();
  return here.value()->own_domain();
}

/// Activates ready tasks at the worker whose kernel the calling thread runs.
void activate_here(GraphState& graph, TaskList& ready) {
  if (!ready.empty()) graph.host.activate(ready, ExecutionScope::find(&graph.self)->worker());
}

/// Returns the domain as `domain_to_wait_for` does. Also fails if the future's task has not ended and belongs to
/// another domain.
Result<Domain*> domain_to_wait_for_task(GraphState& graph, const Future& future)
    TROUPE_EXCLUDES(graph.submission_mutex) {
  TaskList ready;
  const auto find = [&]() TROUPE_REQUIRES(graph.submission_mutex) -> Result<Domain*> {
    const auto found = domain_to_wait_for(graph);
    const Task& task = *future.task();
    const bool ended = task.task_id() != future.id() || task.ended();
    if (!found || ended) return found;
    Domain* const own = found.value();
    const bool ends_coroutine =
        own != nullptr && task.role == TaskRole::host && task.extras && task.extras->begun_in == own->id;
    if (!ends_coroutine && (own == nullptr || !is_inside(task, *own))) {
      return cannot_wait(*nesting_task_here(graph),
                         "for " + describe(task) +
                             ", which does not belong to it, so the wait might never end: submit "
                             "a task that depends on what you wait for");
    }
    if (auto freed = free_followers(graph, *own, ready); !freed) return freed.failure();
    return found;
  };
  Result<Domain*> found = nullptr;
  {
    const LockGuard lock(graph.submission_mutex);
    found = find();
  }
  activate_here(graph, ready);
  return found;
}

/// Waits, while the worker of the calling kernel runs other tasks, until `wait` is over.
Result<void> wait_inside(GraphState& graph, KernelWait& wait) {
  if (wait.done()) return {};
  WaitRoom room(graph.options.nesting.budget);
  if (auto allowed = room.take(); !allowed) return allowed;
  return wait_on(ExecutionScope::find(&graph.self)->worker(), graph.host, wait);
}

/// Copies to the program's memory the content of the data that the kernel of the domain's parent has registered.
Result<void> bring_home_from_children(GraphState& graph, const Domain& domain) TROUPE_EXCLUDES(graph.submission_mutex) {
  if ((graph.options.device_kinds & ~kOnCores) == 0) return {};
  std::vector<DataRecord*> own;
  {
    const LockGuard lock(graph.submission_mutex);
    graph.data.registry.visit_wholes([&](DataRecord& record) {
      if (record.home.id == domain.id && !record.hidden) own.push_back(&record);
    });
  }
  // No lock is needed: only the calling kernel could end the registrations of these data, and no task uses them.
  for (const DataRecord* record : own) {
    if (auto home = graph.host.bring_home(*record, AccessMode::read); !home) return home;
  }
  return {};
}

/// Waits for a task in the domain of the calling kernel, or in a domain inside it.
Result<void> wait_for_task_of(GraphState& graph, Domain& domain, const Future& future) {
  class OneTask final : public KernelWait {
   public:
    OneTask(GraphState& graph, Domain& domain, const Future& future)
        : KernelWait(domain.parent, &domain), graph_(graph), future_(future) {}
    bool done() noexcept override { return TaskReference{future_.task(), future_.id().value()}.ended(); }
    void block() override {
      TaskWaiter waiter;
      EdgeBlock* const edge = hear_of_end(graph_, future_, waiter);
      if (edge == nullptr) return;
      const WaitingThreads::Note note(graph_.threads.waiting, WaitKind::task, future_.id());
      waiter.wait();
      stop_hearing(graph_, edge);
    }

   private:
    GraphState& graph_;
    const Future& future_;
  };
  OneTask wait(graph, domain, future);
  return wait_inside(graph, wait);
}

}  // namespace

Result<const Task*> check_waits_inside(const GraphState& graph) {
  const Task& here = *nesting_task_here(graph);
  if (recording_here(graph) != nullptr) return waits_in_recording();
  if (is_shared(here)) {
    return cannot_wait(here,
                       "which kernels made of pieces or for teams of cores cannot: wait in the kernel of a task "
                       "around it, or submit a task that depends on what you wait for");
  }
  if (locks_data(here)) {
    return cannot_wait(here,
                       "which tasks that commute or reduce cannot, as others wait for their data meanwhile: use "
                       "mode read_write, or submit a task that depends on what you wait for");
  }
  const ExecutionScope::Place* const place = ExecutionScope::find(&graph.self);
  if (place == nullptr || !place->worker().valid()) {
    return cannot_wait(here, "in a thread that helps its worker: wait in the thread that the kernel was called in");
  }
  if (auto allowed = graph.host.may_wait_inside(place->worker()); !allowed) {
    return Failure{allowed.failure().code, describe(here) + ": " + allowed.failure().message};
  }
  return &here;
}

Result<void> wait_for_children_here(GraphState& graph) {
  const Uncancellable uncancellable;
  Domain* own = nullptr;
  TaskList ready;
  {
    const LockGuard lock(graph.submission_mutex);
    const auto found = domain_to_wait_for(graph);
    if (!found) return found.failure();
    own = found.value();
    if (own == nullptr) return {};
    if (own->held.load(std::memory_order_relaxed) != 0) {
      return wait_never_ends(own->parent,
                             "the kernel holds data that it has acquired, which counts as a child: give them "
                             "back before (HostAccess::give_back, or the end of its scope)");
    }
    if (auto freed = free_followers(graph, *own, ready); !freed) return freed;
  }
  activate_here(graph, ready);
  Domain& domain = *own;
  class AllChildren final : public KernelWait {
   public:
    AllChildren(GraphState& graph, Domain& domain)
        : KernelWait(domain.parent, &domain), graph_(graph), domain_(domain) {}
    bool done() noexcept override { return domain_.open.load(std::memory_order_acquire) == 1; }
    void block() override {
      const WaitingThreads::Note note(graph_.threads.waiting, WaitKind::children, domain_.parent.task_id());
      TaskWaiter waiter;
      domain_.waiter = &waiter;
      if (domain_.open.fetch_add(Domain::kAwaited, std::memory_order_acq_rel) != 1) waiter.wait();
      domain_.open.fetch_sub(Domain::kAwaited, std::memory_order_acq_rel);
    }

   private:
    GraphState& graph_;
    Domain& domain_;
  };
  AllChildren wait(graph, domain);
  if (auto waited = wait_inside(graph, wait); !waited) return waited;
  if (const Domain::Ending ending = domain.ending(); ending.status != TaskStatus::succeeded) {
    graph.failures.told(ending.origin);
    // If the children were cancelled with the task, the failure of the wait tells its kernel so.
    if (ending.status == TaskStatus::cancelled) (void)tell_if_cancelled(graph, domain.parent);
    return *ending.cause;
  }
  return bring_home_from_children(graph, domain);
}

Result<void> wait_for_child(GraphState& graph, const Future& future) {
  if (future.task() == nullptr) return recorded_task_waited_for();
  const bool waits = status_of(graph, future) == TaskStatus::pending;
  if (waits) {
    const auto found = domain_to_wait_for_task(graph, future);
    if (!found) return found.failure();
    if (auto ends = check_may_wait(graph, future); !ends) return ends;
    if (found.value() != nullptr) {
      if (auto waited = wait_for_task_of(graph, *found.value(), future); !waited) return waited;
    }
  }
  if (status_of(graph, future) == TaskStatus::succeeded) return {};
  if (waits && status_of(graph, future) == TaskStatus::cancelled)
    (void)tell_if_cancelled(graph, *nesting_task_here(graph));
  return graph.failures.failure_of(future.id());
}

Result<Task*> acquire_inside(GraphState& graph, const Handle& handle, AccessMode mode) {
  TaskWaiter waiter;
  TaskList ready;
  Task* hold = nullptr;
  Domain* domain = nullptr;
  bool immediately = false;
  WaitRoom room_to_wait(graph.options.nesting.budget);
  {
    const LockGuard lock(graph.submission_mutex);
    if (const auto allowed = domain_to_wait_for(graph); !allowed) return allowed.failure();
    const auto opened = open_domain_here(graph);
    if (!opened) return opened.failure();
    domain = opened.value();
    const auto found = graph.data.registry.find(handle, domain);
    if (!found) return found.failure();
    DataRecord& record = *found.value();
    const bool checked = is_checked(domain, record);
    if (auto usable = checked ? check_writable(record, mode) : check_usable(record, mode); !usable) {
      return usable.failure();
    }
    std::vector<DataRecord*> moves;
    if (auto belongs = check_belongs(graph, record, mode, domain, moves); !belongs) return belongs.failure();
    if ((graph.options.device_kinds & ~kOnCores) != 0 && domain->uses(record)) {
      return wait_never_ends(domain->parent, describe(record) +
                                                 " is used by this kernel itself, which tasks on it wait for: use the "
                                                 "kernel's own view, or declare it in TaskOptions::weak");
    }
    if (auto ends = check_may_wait(graph, record, mode, domain); !ends) return ends.failure();
    if (auto room = check_budget(graph); !room) return room.failure();
    // This check comes before the hold is submitted, because a wait for a submitted hold must not be refused.
    if (auto allowed = room_to_wait.take(); !allowed) return allowed.failure();
    if (auto freed = free_followers(graph, *domain, ready); !freed) return freed.failure();
    move_home(moves, domain);
    hold = &allocate_hold(graph, record, mode);
    make_child(graph, *hold, *domain);
    hold->extras->ready_waiter = &waiter;
    DependencyBuilder builder(*hold, graph.memory.edges, graph.submission_caches.edges);
    try {
      order_nested(graph, *hold, TaskOptions::none(), nullptr, builder, ready);
    } catch (...) {
      make_no_child(graph, *hold);
      give_up_task(graph, *hold, builder, ready);
      throw;
    }
    join_domain(graph, *domain);
    // `joined` counts submitted tasks only (`end_call`), so a hold must not count there.
    domain->joined.fetch_sub(1, std::memory_order_relaxed);
    domain->held.fetch_add(1, std::memory_order_relaxed);
    immediately = builder.finish();
    if (!checked) note_acquired(graph, *hold, record, mode);
  }
  activate_here(graph, ready);
  if (immediately) {
    hold->extras->held_since.store(WaitingThreads::now().count(), std::memory_order_relaxed);
    return hold;
  }
  class OwnData final : public KernelWait {
   public:
    OwnData(GraphState& graph, Domain& domain, const Task& hold, TaskWaiter& waiter)
        : KernelWait(domain.parent, &domain), graph_(graph), hold_(hold), waiter_(waiter) {}
    bool done() noexcept override { return waiter_.done(); }
    void block() override {
      const WaitingThreads::Note note(graph_.threads.waiting, WaitKind::data, hold_.task_id());
      waiter_.wait();
    }

   private:
    GraphState& graph_;
    const Task& hold_;
    TaskWaiter& waiter_;
  };
  OwnData wait(graph, *domain, *hold, waiter);
  const Result<void> waited = wait_on(ExecutionScope::find(&graph.self)->worker(), graph.host, wait);
  hold->extras->held_since.store(WaitingThreads::now().count(), std::memory_order_relaxed);
  if (waited) return hold;
  // The wait fails only in a single-threaded run. The hold's last predecessor then ends it.
  hold->extras->ready_waiter = nullptr;
  domain->held.fetch_sub(1, std::memory_order_relaxed);
  return waited.failure();
}

void block_in_kernel(const GraphState& graph, WorkerId worker, const Task& task, BlockingWait& wait) {
  class Elsewhere final : public KernelWait {
   public:
    Elsewhere(Task& task, BlockingWait& wait) : KernelWait(task, nullptr), wait_(wait) {}
    bool done() noexcept override { return wait_.done(); }
    void block() override { wait_.block(); }

   private:
    BlockingWait& wait_;
  };
  // Clients' threads are limited, and only waits for their own tasks count.
  const bool of_client = task.client_graph() != nullptr;
  if (!of_client && !in_callback(graph, task) && may_be_suspended(task) && graph.host.may_wait_inside(worker)) {
    // Only the worker that runs the kernel changes the task.
    Elsewhere elsewhere(const_cast<Task&>(task), wait);  // NOLINT(cppcoreguidelines-pro-type-const-cast)
    if (graph.host.wait_inside(worker, elsewhere)) return;
  }
  wait.block();
}

}  // namespace troupe::graph
