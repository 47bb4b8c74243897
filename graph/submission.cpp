#include "graph/submission.hpp"

#include "graph/cancellation.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "graph/codelets/execution_scope.hpp"
#include "graph/data/dependencies.hpp"
#include "graph/data/domain.hpp"
#include "graph/here.hpp"
#include "graph/holds/parts.hpp"
#include "graph/holds/waits.hpp"
#include "graph/nesting/calls.hpp"
#include "graph/nesting/checks.hpp"
#include "graph/nesting/domains.hpp"
#include "graph/nesting/rules.hpp"
#include "graph/new_tasks.hpp"
#include "graph/recordings.hpp"
#include "graph/submission_checks.hpp"
#include "graph/task_graph.hpp"

namespace troupe::graph {

namespace {

/// Submits a task of exactly this codelet; restrictions to devices apply.
Result<Future> submit_restricted(GraphState& graph, const TaskSpecification& specification) {
  const DeviceSet* devices = &specification.options.devices;
  DeviceSet both;
  if (specification.restricted) {
    const auto found = graph.options.restrictions.find(specification.codelet.name());
    if (found != graph.options.restrictions.end()) {
      both = *devices & found->second;
      devices = &both;
    }
  }
  const bool nests = specification.may_nest || specification.options.nested;
  if (nests && has_stand_ins_for_cores(graph.options.device_kinds) && devices->choices().empty()) {
    // Where such a device runs a core's kernel, the kernel's data are copies, which its children cannot use, and its
    // device may have queued later tasks behind it.
    const DeviceSet others = *devices & DeviceSet::of_kinds(kEveryKind & ~kStandInsForCores);
    if ((others.kinds() & graph.options.device_kinds & specification.codelet.definition().kinds()) != 0) {
      both = others;
      devices = &both;
    }
  }
  if (devices->all()) return submit_unrestricted(graph, specification);
  const auto codelet = graph.codelets.only_on(specification.codelet, *devices, graph.options.most_named_devices,
                                              [&] { return graph.host.find_devices(*devices); });
  if (!codelet) return codelet.failure();
  return submit_unrestricted(graph, specification.with(*codelet.value()));
}

/// Submits a task of this codelet, or of the codelet that `GraphHost::stand_in` names in its place. Restrictions to
/// devices apply.
Result<Future> submit_adapted(GraphState& graph, const TaskSpecification& specification) {
  if (auto here = graph.threads.home.check(); !here) return here.failure();
  if (!graph.options.deadlines && specification.options.deadline)
    return deadline_in_virtual_time(specification.codelet);
  if (!graph.options.stand_ins) return submit_restricted(graph, specification);
  if (specification.may_nest) {
    if (auto valid = check_nested(specification, graph.options.nesting); !valid) return valid.failure();
  }
  const auto codelet = graph.host.stand_in(specification.codelet, specification.options.nested);
  if (!codelet) {
    const LockGuard lock(graph.submission_mutex);
    return Failure{codelet.failure().code, quoted(specification.codelet) +
                                               sizes_of(specification.accesses, graph.data.registry) + ": " +
                                               codelet.failure().message};
  }
  return submit_restricted(graph, specification.with(*codelet.value()));
}

/// Makes all checks that do not need the submission lock.
Result<void> check_submission(GraphState& graph, const TaskSpecification& specification) {
  const bool known = graph.codelets.knows(specification.codelet.definition());
  auto fits = known ? check_counts(specification) : check_signature(specification, graph.options.device_kinds);
  if (!fits) return fits;
  if (auto valid = check_after(specification, graph.self); !valid) return valid;
  for (const Future& future : specification.options.after) {
    if (future.task() == nullptr && recording_here(graph) == nullptr) return recorded_dependency(specification.codelet);
  }
  return known ? Result<void>{} : graph.codelets.add(specification.codelet);
}

/// Checks the data of accesses for which `mark_simple_accesses` returned false.
Result<void> check_data(GraphState& graph, const TaskSpecification& specification, const Domain* domain)
    TROUPE_REQUIRES(graph.submission_mutex) {
  auto valid =
      check_accesses(specification, graph.data.registry, graph.take_mark(), graph.options.device_kinds, domain);
  return valid && graph.data.registry.any_to_check() ? check_usable(specification, domain) : valid;
}

/// Fills the task, and orders it after its explicit predecessors and by its data. If this function throws, no trace
/// of the task is left.
void fill_and_order(GraphState& graph, Task& task, const TaskSpecification& specification, DependencyBuilder& builder,
                    TaskList& ready) TROUPE_REQUIRES(graph.submission_mutex) {
  try {
    fill_task(graph, task, specification);
    if (task.nesting.is_child) [[unlikely]]
      inherit_limits(task);
    if (graph.subtree_times != nullptr) [[unlikely]]
      learn_time(graph, task, specification);
    if (task.nesting.is_child || (has_options(graph, specification) && specification.options.nested)) [[unlikely]] {
      order_nested(graph, task, specification.options, &specification.codelet, builder, ready);
    } else {
      order_by_data(graph, task, builder, ready);
    }
    if (!has_options(graph, specification)) return;
    if (const Future* before = specification.resumes_after; before != nullptr && before->valid()) {
      builder.follow({before->task(), before->id().value()});
    }
    bool follows_failure = specification.follows_failure;
    for (const Future& predecessor : specification.options.after) {
      if (predecessor.task() == &graph.called) continue;
      if (builder.after({predecessor.task(), predecessor.id().value()})) continue;
      follows_failure = follows_failure || status_of(graph, predecessor) != TaskStatus::succeeded;
    }
    if (follows_failure) task.withdrawn.store(Withdrawal::by_predecessor, std::memory_order_relaxed);
    if (specification.options.nested) declare_weak(graph, task, builder);
  } catch (...) {
    // There was no memory for the task. Combining tasks that were submitted for its sake stay.
    make_no_child(graph, task);
    give_up_task(graph, task, builder, ready);
    throw;
  }
}

}  // namespace

Result<Future> submit(GraphState& graph, const TaskSpecification& specification) {
  if (graph.adapts->load(std::memory_order_relaxed) || !specification.options.devices.all()) [[unlikely]]
    return submit_adapted(graph, specification);
  return submit_unrestricted(graph, specification);
}

Result<Future> submit_unrestricted(GraphState& graph, const TaskSpecification& specification) {
  const CodeletDefinition& definition = specification.codelet.definition();
  if (!graph.codelets.knows(definition) || !is_simple(specification, definition, graph.self)) [[unlikely]] {
    if (auto valid = check_submission(graph, specification); !valid) return valid.failure();
  }
  if (graph.subtree_times != nullptr) [[unlikely]] {
    if (const auto called = call_at_once(graph, specification)) return *called;
  }
  if (Recording* recording = recording_here(graph)) [[unlikely]]
    return specification.may_nest || specification.resumes_after != nullptr
               ? call_in_recording(specification.codelet)
               : record_task(graph, *recording, specification);
  if (!graph.window.surely_has_room()) [[unlikely]] {
    if (auto room = wait_for_room(graph); !room) return room.failure();
  }
  TaskList ready;
  Future future;
  {
    const LockGuard lock(graph.submission_mutex);
    if (graph.gate.stopped.load(std::memory_order_relaxed)) [[unlikely]] {
      return takes_no_tasks(specification.codelet);
    }
    const bool nests = graph.nesting.any.load(std::memory_order_relaxed) || specification.may_nest ||
                       (has_options(graph, specification) && speaks_of_nesting(specification.options));
    Domain* domain = nullptr;
    if (nests) [[unlikely]] {
      const auto opened = open_domain_here(graph);
      if (!opened) return opened.failure();
      domain = opened.value();
    }
    bool looks_closer = false;
    if (!specification.accesses.empty() || specification.options.nested) {
      looks_closer = graph.data.registry.any_to_check();
      if (looks_closer || !mark_simple_accesses(specification, graph.self, graph.take_mark())) [[unlikely]] {
        if (auto usable = check_data(graph, specification, domain); !usable) return usable.failure();
      }
    }
    if (nests) [[unlikely]] {
      if (auto allowed = check_nesting(graph, specification, domain); !allowed) return allowed.failure();
      if (domain != nullptr) {
        if (auto room = check_budget(graph); !room) return room.failure();
      }
    }
    Task& task = allocate_task(graph, &definition, specification.accesses.size());
    DependencyBuilder builder(task, graph.memory.edges, graph.submission_caches.edges, graph.options.dependency_trace);
    if (domain != nullptr) [[unlikely]] {
      make_child(graph, task, *domain);
    } else if (specification.may_nest) [[unlikely]] {
      allow_nesting(graph, task);
    }
    fill_and_order(graph, task, specification, builder, ready);
    if (nests) [[unlikely]]
      note_names(task);
    if (domain != nullptr) [[unlikely]]
      join_domain(graph, *domain);
    if (looks_closer) [[unlikely]] {
      const auto note = [&](const TaskAccess& access) TROUPE_REQUIRES(graph.submission_mutex) {
        if (!is_checked(domain, *access.data())) note_written(graph.data.registry, *access.data(), access.mode());
      };
      for (const TaskAccess& access : task.data()) note(access);
      if (const Domain* own = task.own_domain()) {
        for (const TaskAccess& access : own->weak) note(access);
      }
    }
    future = {&graph.self, &task, task.task_id()};
    graph.note_submitted();
    for (SubmissionObserver* observer : graph.options.observers) observer->submitted(task);
    if (builder.finish()) ready.push_back(&task);
  }
  if (!ready.empty()) {
    const ExecutionScope::Place* scope = ExecutionScope::find(&graph.self);
    graph.host.activate(ready, scope != nullptr ? scope->worker() : WorkerId{});
  }
  return future;
}

}  // namespace troupe::graph
