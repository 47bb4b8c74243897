#include "graph/nesting/checks.hpp"

#include <algorithm>

#include "graph/codelets/execution_scope.hpp"
#include "graph/data/measured_kernel.hpp"
#include "graph/data/usable.hpp"
#include "graph/nesting/domains.hpp"
#include "graph/nesting/rules.hpp"
#include "graph/submission_checks.hpp"
#include "graph/task_graph.hpp"
#include "graph/tasks/call_place.hpp"

namespace troupe::graph {

namespace {

/// Returns true if no task of the domain that is the data's home (`DataRecord::home`) has used them.
bool never_used(const DataRecord& whole) {
  bool unused = true;
  whole.visit_tree([&unused](const DataRecord& part) {
    const DependencyState& state = part.dependencies;
    unused = unused && state.writers.empty() && state.readers.empty() && state.before.empty();
  });
  return unused;
}

/// Returns true if all tasks of the data's home that have used them have ended.
bool no_longer_used(const DataRecord& whole) {
  bool ended = true;
  whole.visit_tree([&ended](const DataRecord& part) {
    const DependencyState& state = part.dependencies;
    const auto have_ended = [](const auto& tasks) {
      return std::ranges::all_of(tasks, [](const TaskReference& one) { return one.ended(); });
    };
    ended = ended && have_ended(state.writers) && have_ended(state.readers) && have_ended(state.before) &&
            !state.open_reduction;
  });
  return ended;
}

/// Returns the failure of a call that uses data of others. Calls have no data of their own to declare.
Failure not_of_call(const DataRecord& record) {
  return {ErrorCode::invalid_argument, describe(record) +
                                           " is used in a function that async calls, but was not registered there: "
                                           "submit the tasks on these data where the function is called, or as "
                                           "children of a nested task that declares them"};
}

/// Returns true if the task stands for the end of a coroutine that was begun in a kernel of the domain or of one around
/// it. The coroutine does not wait for these kernels, so tasks of the domain may follow it.
bool ends_coroutine_begun_in(const Task& task, const Domain& domain) {
  if (task.role != TaskRole::host || !task.extras || task.extras->begun_in == 0) return false;
  const Domain* around = &domain;
  while (around != nullptr && around->id != task.extras->begun_in) around = around->parent.outer_domain();
  return around != nullptr;
}

}  // namespace

Result<void> check_called(const GraphState& graph, const DataRecord& record, AccessMode mode, const Domain& domain) {
  const MeasuredKernel* const kernel = MeasuredKernel::of(ExecutionScope::task_here(&graph.self));
  const CalledKernel* const called = kernel != nullptr ? kernel->called() : nullptr;
  if (called == nullptr) return {};
  const auto text = [called] {
    return "the task " + (called->name.empty() ? "" : "'" + called->name + "' ") + "(codelet " + called->codelet.name +
           ")";
  };
  // A halo part counts only if no other access declares the record, as in `Domain::declared`.
  for (const bool by_halo : {false, true}) {
    for (std::size_t i = 0; i < called->accesses.size(); ++i) {
      const DataRecord& declared = *called->accesses[i].handle.record();
      const bool overlaps =
          declared.is_halo && std::ranges::find(declared.children, &record) != declared.children.end();
      if (by_halo ? !overlaps : !declared.contains(record)) continue;
      if (writes(mode) && !writes(called->codelet.modes[i])) return declared_in_read(record, mode, text());
      return {};
    }
  }
  const bool made_here = record.home.id == domain.id && record.handle_id().value() >= called->first_handle;
  return made_here ? Result<void>() : not_declared(record, text());
}

Result<void> check_belongs(GraphState& graph, DataRecord& record, AccessMode mode, const Domain* domain,
                           std::vector<DataRecord*>& moves) {
  if (graph.subtree_times != nullptr && domain != nullptr) {
    if (auto allowed = check_called(graph, record, mode, *domain); !allowed) return allowed;
  }
  if (domain != nullptr && record.handle_id().value() < CallInProgress::first_handle_in(&domain->parent)) {
    return not_of_call(record);
  }
  if (record.home.id == home_in(domain).id) {
    if (domain == nullptr || mode != AccessMode::reduce) return {};
    const DataRecord* const unwritten = DataRegistry::find_unwritten(record);
    if (unwritten == nullptr) return {};
    return Failure{ErrorCode::invalid_argument, never_written(*unwritten)};
  }
  const TaskAccess* const declared = domain != nullptr ? domain->declared(record) : nullptr;
  if (declared != nullptr) {
    if (writes(mode) && !writes(declared->mode())) {
      return declared_in_read(record, mode, describe(domain->parent));
    }
    // A child must not read weak data in mode write before another child has written them: the parent's kernel does not
    // write weak data, so they have no content.
    const bool overwritten = declared->mode() == AccessMode::write && !domain->uses(record);
    if (!overwritten || !reads(mode) || domain->children_write(record)) return {};
    return Failure{ErrorCode::invalid_argument, describe(record) + " is used in mode " + to_string(mode) + ", but " +
                                                    describe(domain->parent) +
                                                    ", which the task belongs to, declares it as weak in mode write, "
                                                    "and no child writes it before"};
  }
  // Temporary data belong to the nested task that made them. If that task has ended, or if none of its children has
  // used the data, another domain may take the data over.
  DataRecord& whole = record.whole();
  if (record.home.id != 0 && (record.home.ended() || never_used(whole))) {
    moves.push_back(&whole);
    return {};
  }
  if (domain == nullptr) {
    return Failure{ErrorCode::invalid_argument, describe(record) +
                                                    " was registered in the kernel of a nested task that has not "
                                                    "ended: wait for the nested task first"};
  }
  if (graph.own_codelets.is_section(domain->parent)) {
    // The data of one section are those of the next one.
    const bool of_section = record.home.id != 0 && graph.own_codelets.is_section(*record.home.task);
    if (of_section && no_longer_used(whole)) {
      moves.push_back(&whole);
      return {};
    }
    return Failure{ErrorCode::invalid_argument,
                   describe(record) +
                       (of_section ? " is used in a coroutine that has not awaited an earlier task on these data: "
                                     "co_await that task first"
                                   : " is used in a coroutine of a nested task, but coroutines cannot use the data of "
                                     "that task: submit the tasks on these data in the kernel of the nested task")};
  }
  if (domain->parent.codelet->ended != nullptr) return not_of_call(record);
  return not_declared(record, describe(domain->parent));
}

Result<void> check_weak(GraphState& graph, const TaskSpecification& specification, const Domain* domain,
                        std::vector<DataRecord*>& moves) {
  // The data of the kernel, if there are any, were marked with the last mark.
  const std::uint64_t mark = specification.accesses.empty() ? graph.take_mark() : graph.ids.last_mark();
  if (auto valid = check_weak_accesses(specification, graph.data.registry, mark, domain); !valid) return valid;
  for (const Access& access : specification.options.weak) {
    if (auto belongs = check_belongs(graph, *access.handle.record(), *access.mode, domain, moves); !belongs) {
      return Failure{belongs.failure().code, quoted(specification.codelet) + ": " + belongs.failure().message};
    }
  }
  return {};
}

Result<void> check_nesting(GraphState& graph, const TaskSpecification& specification, const Domain* domain) {
  if (auto valid = check_nested(specification, graph.options.nesting); !valid) return valid;
  const auto refuse = [&specification](const Failure& failure) {
    return Failure{failure.code, quoted(specification.codelet) + ": " + failure.message};
  };
  if (domain != nullptr && domain->on_cores && on_cores_only(graph, specification.codelet) == nullptr) {
    return Failure{
        ErrorCode::no_implementation,
        quoted(specification.codelet) +
            " cannot run on cores, as all tasks inside of this nested task have to, since a kernel around it "
            "uses its data and waits: give it an implementation for cores that no restriction leaves out, or "
            "declare the data of the waiting kernel in TaskOptions::weak"};
  }
  std::vector<DataRecord*> moves;
  for (std::size_t i = 0; i < specification.accesses.size(); ++i) {
    const auto mode = mode_of(specification.codelet, specification.accesses[i], i);
    DataRecord& record = *specification.accesses[i].handle.record();
    if (auto belongs = check_belongs(graph, record, mode.value(), domain, moves); !belongs)
      return refuse(belongs.failure());
  }
  const auto never_ready = [domain](const Future& future) TROUPE_REQUIRES(graph.submission_mutex) {
    return domain != nullptr && !TaskReference{future.task(), future.id().value()}.ended() &&
           !ends_coroutine_begun_in(*future.task(), *domain) &&
           (!may_follow(*future.task(), *domain) || run_around(domain->parent) == future.task());
  };
  for (const Future& future : specification.options.after) {
    if (!never_ready(future)) continue;
    return refused(specification.codelet, "it is to run after " + describe(*future.task()) +
                                              ", which is, or may wait for, the nested task that it belongs to: name "
                                              "that dependency when the nested task is submitted");
  }
  const Future* const awaited = specification.resumes_after;
  if (awaited != nullptr && awaited->valid() && never_ready(*awaited)) {
    return refused(specification.codelet, "a coroutine awaits " + describe(*awaited->task()) +
                                              " in a nested task that this task is, or may wait for");
  }
  if (auto valid = check_weak(graph, specification, domain, moves); !valid) return valid;
  if (auto usable = check_weak_usable(specification, domain); !usable) return usable;
  move_home(moves, domain);
  return {};
}

}  // namespace troupe::graph
