/// The functions of the task graph that turn a call into a task with its predecessors.
#include <algorithm>
#include <cstring>
#include <utility>

#include "graph/cancellation.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "graph/codelets/execution_scope.hpp"
#include "graph/data/domain.hpp"
#include "graph/here.hpp"
#include "graph/holds/named_parts.hpp"
#include "graph/holds/waits.hpp"
#include "graph/nesting/checks.hpp"
#include "graph/nesting/domains.hpp"
#include "graph/nesting/rules.hpp"
#include "graph/new_tasks.hpp"
#include "graph/ordering.hpp"
#include "graph/recorded_tasks.hpp"
#include "graph/submission_checks.hpp"
#include "graph/task_graph.hpp"

namespace troupe::graph {

Result<DevicesHere> GraphHost::find_devices(const DeviceSet& devices) {
  if (devices.choices().empty()) return DevicesHere{devices.kinds(), nullptr};
  return Failure{ErrorCode::invalid_argument, "the workers have neither numbers nor names here"};
}

Result<Future> TaskGraph::submit(const TaskSpecification& specification) {
  if (state_.adapts->load(std::memory_order_relaxed) || !specification.options.devices.all()) [[unlikely]]
    return submit_adapted(specification);
  return submit_unrestricted(specification);
}

Result<Future> TaskGraph::submit_adapted(const TaskSpecification& specification) {
  if (auto here = state_.threads.home.check(); !here) return here.failure();
  if (!state_.options.deadlines && specification.options.deadline)
    return deadline_in_virtual_time(specification.codelet);
  if (!state_.options.stand_ins) return submit_restricted(specification);
  if (specification.may_nest) {
    if (auto valid = check_nested(specification, state_.options.nesting); !valid) return valid.failure();
  }
  const auto codelet = state_.host.stand_in(specification.codelet, specification.options.nested);
  if (!codelet) {
    const LockGuard lock(state_.submission_mutex);
    return Failure{codelet.failure().code, quoted(specification.codelet) +
                                               sizes_of(specification.accesses, state_.data.registry) + ": " +
                                               codelet.failure().message};
  }
  return submit_restricted(specification.with(*codelet.value()));
}

Result<Future> TaskGraph::submit_restricted(const TaskSpecification& specification) {
  const DeviceSet* devices = &specification.options.devices;
  DeviceSet both;
  if (specification.restricted) {
    const auto found = state_.options.restrictions.find(specification.codelet.name());
    if (found != state_.options.restrictions.end()) {
      both = *devices & found->second;
      devices = &both;
    }
  }
  const bool nests = specification.may_nest || specification.options.nested;
  if (nests && has_stand_ins_for_cores(state_.options.device_kinds) && devices->choices().empty()) {
    // Where such a device runs a core's kernel, the kernel's data are copies, which its children cannot use, and its
    // device may have queued later tasks behind it.
    const DeviceSet others = *devices & DeviceSet::of_kinds(kEveryKind & ~kStandInsForCores);
    if ((others.kinds() & state_.options.device_kinds & specification.codelet.definition().kinds()) != 0) {
      both = others;
      devices = &both;
    }
  }
  if (devices->all()) return submit_unrestricted(specification);
  const auto codelet = state_.codelets.only_on(specification.codelet, *devices, state_.options.most_named_devices,
                                               [&] { return state_.host.find_devices(*devices); });
  if (!codelet) return codelet.failure();
  return submit_unrestricted(specification.with(*codelet.value()));
}

Result<void> TaskGraph::check(const TaskSpecification& specification) {
  const bool known = state_.codelets.knows(specification.codelet.definition());
  auto fits = known ? check_counts(specification) : check_signature(specification, state_.options.device_kinds);
  if (!fits) return fits;
  if (auto valid = check_after(specification, *this); !valid) return valid;
  for (const Future& future : specification.options.after) {
    if (future.task() == nullptr && recording_here(state_) == nullptr)
      return recorded_dependency(specification.codelet);
  }
  return known ? Result<void>{} : state_.codelets.add(specification.codelet);
}

void TaskGraph::fill_and_order(Task& task, const TaskSpecification& specification, DependencyBuilder& builder,
                               TaskList& ready) {
  try {
    fill_task(state_, task, specification);
    if (task.nesting.is_child) [[unlikely]]
      inherit_limits(task);
    if (state_.subtree_times != nullptr) [[unlikely]]
      learn_time(task, specification);
    if (task.nesting.is_child || (has_options(state_, specification) && specification.options.nested)) [[unlikely]] {
      order_nested(state_, task, specification.options, &specification.codelet, builder, ready);
    } else {
      order_by_data(state_, task, builder, ready);
    }
    if (!has_options(state_, specification)) return;
    if (const Future* before = specification.resumes_after; before != nullptr && before->valid()) {
      builder.follow({before->task(), before->id().value()});
    }
    bool follows_failure = specification.follows_failure;
    for (const Future& predecessor : specification.options.after) {
      if (predecessor.task() == &state_.called) continue;
      if (builder.after({predecessor.task(), predecessor.id().value()})) continue;
      follows_failure = follows_failure || status_of(state_, predecessor) != TaskStatus::succeeded;
    }
    if (follows_failure) task.withdrawn.store(Withdrawal::by_predecessor, std::memory_order_relaxed);
    if (specification.options.nested) declare_weak(state_, task, builder);
  } catch (...) {
    // There was no memory for the task. Combining tasks that were submitted for its sake stay.
    make_no_child(state_, task);
    give_up_task(state_, task, builder, ready);
    throw;
  }
}

Result<void> TaskGraph::check_data(const TaskSpecification& specification, const Domain* domain) {
  auto valid =
      check_accesses(specification, state_.data.registry, state_.ids.take_mark(), state_.options.device_kinds, domain);
  return valid && state_.data.registry.any_to_check() ? check_usable(specification, domain) : valid;
}

Result<Future> TaskGraph::submit_unrestricted(const TaskSpecification& specification) {
  const CodeletDefinition& definition = specification.codelet.definition();
  if (!state_.codelets.knows(definition) || !is_simple(specification, definition, *this)) [[unlikely]] {
    if (auto valid = check(specification); !valid) return valid.failure();
  }
  if (state_.subtree_times != nullptr) [[unlikely]] {
    if (const auto called = call_at_once(specification)) return *called;
  }
  if (Recording* recording = recording_here(state_)) [[unlikely]]
    return specification.may_nest || specification.resumes_after != nullptr
               ? call_in_recording(specification.codelet)
               : record_task(state_, *recording, specification);
  if (!state_.window.surely_has_room()) [[unlikely]] {
    if (auto room = wait_for_room(state_); !room) return room.failure();
  }
  TaskList ready;
  Future future;
  {
    const LockGuard lock(state_.submission_mutex);
    if (state_.stopped.load(std::memory_order_relaxed)) [[unlikely]] {
      return takes_no_tasks(specification.codelet);
    }
    const bool nests = state_.nesting.any.load(std::memory_order_relaxed) || specification.may_nest ||
                       (has_options(state_, specification) && speaks_of_nesting(specification.options));
    Domain* domain = nullptr;
    if (nests) [[unlikely]] {
      const auto opened = open_domain_here(state_);
      if (!opened) return opened.failure();
      domain = opened.value();
    }
    bool looks_closer = false;
    if (!specification.accesses.empty() || specification.options.nested) {
      looks_closer = state_.data.registry.any_to_check();
      if (looks_closer || !mark_simple_accesses(specification, *this, state_.ids.take_mark())) [[unlikely]] {
        if (auto usable = check_data(specification, domain); !usable) return usable.failure();
      }
    }
    if (nests) [[unlikely]] {
      if (auto allowed = check_nesting(state_, specification, domain); !allowed) return allowed.failure();
      if (domain != nullptr) {
        if (auto room = check_budget(state_); !room) return room.failure();
      }
    }
    Task& task = allocate_task(state_, &definition, specification.accesses.size());
    DependencyBuilder builder(task, state_.memory.edges, state_.submission_caches.edges,
                              state_.options.dependency_trace);
    if (domain != nullptr) [[unlikely]] {
      make_child(state_, task, *domain);
    } else if (specification.may_nest) [[unlikely]] {
      allow_nesting(state_, task);
    }
    fill_and_order(task, specification, builder, ready);
    if (nests) [[unlikely]]
      note_names(task);
    if (domain != nullptr) [[unlikely]]
      join_domain(state_, *domain);
    if (looks_closer) [[unlikely]] {
      const auto note = [&](const TaskAccess& access) TROUPE_REQUIRES(state_.submission_mutex) {
        if (!is_checked(domain, *access.data())) note_written(state_.data.registry, *access.data(), access.mode());
      };
      for (const TaskAccess& access : task.data()) note(access);
      if (const Domain* own = task.own_domain()) {
        for (const TaskAccess& access : own->weak) note(access);
      }
    }
    future = {this, &task, task.task_id()};
    state_.window.note_submitted(1);
    for (SubmissionObserver* observer : state_.options.observers) observer->submitted(task);
    if (builder.finish()) ready.push_back(&task);
  }
  if (!ready.empty()) {
    const ExecutionScope::Place* scope = ExecutionScope::find(this);
    state_.host.activate(ready, scope != nullptr ? scope->worker() : WorkerId{});
  }
  return future;
}

}  // namespace troupe::graph
