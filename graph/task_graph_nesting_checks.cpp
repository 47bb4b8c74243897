/// The checks of nested tasks and of their children.
#include <algorithm>

#include "graph/data/domain.hpp"
#include "graph/data/usable.hpp"
#include "graph/submission_checks.hpp"
#include "graph/task_graph.hpp"

namespace troupe::graph {

namespace {

Failure refused(const Codelet& codelet, const std::string& why) {
  return {ErrorCode::invalid_argument, quoted(codelet) + ": " + why};
}

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

Result<void> check_nested(const TaskSpecification& specification, const NestingRules& allowed) {
  if (specification.may_nest && !allowed.calls) {
    return refused(specification.codelet,
                   "a call that returns a value (async) needs a runtime that runs the program's own kernels: not in "
                   "virtual time, nor in a program on a service");
  }
  const CodeletDefinition& definition = specification.codelet.definition();
  const auto refuse = [&specification](const std::string& why) { return refused(specification.codelet, why); };
  if (!specification.options.nested) {
    if (specification.options.weak.empty()) return {};
    return refuse("weak data are for the children of a nested task: set TaskOptions::nested");
  }
  if (!allowed.tasks) {
    return refuse(
        "a nested task needs a runtime of its own, because its kernel says what it consists of: where several clients "
        "share the workers, submit its children from the program");
  }
  if (!allowed.with_data && !specification.accesses.empty()) {
    return refuse(
        "the kernel of a nested task is called in virtual time, too, and its data have no content there: declare them "
        "in TaskOptions::weak if only its children use them, or set SimulationOptions::real_buffers");
  }
  if (definition.pieces != nullptr) {
    return refuse("a task made of pieces cannot be nested: submit the pieces as children");
  }
  for (std::size_t i = 0; i < specification.accesses.size(); ++i) {
    const auto mode = mode_of(specification.codelet, specification.accesses[i], i);
    if (!mode) return mode.failure();
    if (mode.value() != AccessMode::commute && mode.value() != AccessMode::reduce) continue;
    return refuse("a nested task cannot use data in mode " + std::string(to_string(mode.value())) +
                  ": let it use them in mode read_write, and its children in this mode");
  }
  return {};
}

Result<void> check_weak_accesses(const TaskSpecification& specification, const DataRegistry& registry,
                                 std::uint64_t mark, const Domain* domain) {
  const auto refuse = [&specification](ErrorCode code, const std::string& why) {
    return Failure{code, quoted(specification.codelet) + ": " + why};
  };
  for (const Access& access : specification.options.weak) {
    const auto found = registry.find(access.handle, domain);
    if (!found) return refuse(found.failure().code, "weak data: " + found.failure().message);
    DataRecord& record = *found.value();
    if (!access.mode || *access.mode == AccessMode::commute || *access.mode == AccessMode::reduce) {
      return refuse(ErrorCode::invalid_argument, describe(record) +
                                                     " is weak and needs a mode of read, write or read_write: "
                                                     "read(x), write(x) or read_write(x)");
    }
    if (record.is_halo) {
      return refuse(ErrorCode::invalid_argument,
                    describe(record) + " is a halo part and cannot be weak: declare the data in which it lies as weak");
    }
    // Through the halo part, the kernel would read what its children write.
    const auto reads_beside = [&record](const Access& own) {
      const DataRecord& other = *own.handle.record();
      return other.is_halo && &other.whole() == &record.whole();
    };
    if (writes(*access.mode) && std::ranges::any_of(specification.accesses, reads_beside)) {
      return refuse(ErrorCode::conflicting_access,
                    describe(record) + " is weak, and the kernel itself reads a halo part of the same data");
    }
    // Weak data in mode read are marked as if written, too, because even they must not overlap other data of the task:
    // its children would find the task itself in their dependency states.
    if (!record.mark(mark, AccessMode::write)) {
      return refuse(ErrorCode::conflicting_access,
                    describe(record) + " is weak, and is the same data as, or part of, another handle of the task");
    }
  }
  return {};
}

Result<void> check_weak_usable(const TaskSpecification& specification, const Domain* domain) {
  for (const Access& access : specification.options.weak) {
    const DataRecord& record = *access.handle.record();
    const auto usable =
        is_checked(domain, record) ? check_writable(record, *access.mode) : check_usable(record, *access.mode);
    if (!usable) {
      return Failure{ErrorCode::invalid_argument,
                     quoted(specification.codelet) + ": weak data: " + usable.failure().message};
    }
  }
  return {};
}

Result<void> TaskGraph::check_belongs(DataRecord& record, AccessMode mode, const Domain* domain,
                                      std::vector<DataRecord*>& moves) {
  if (state_.subtree_times != nullptr && domain != nullptr) {
    if (auto allowed = check_called(record, mode, *domain); !allowed) return allowed;
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
  if (state_.own_codelets.is_section(domain->parent)) {
    // The data of one section are those of the next one.
    const bool of_section = record.home.id != 0 && state_.own_codelets.is_section(*record.home.task);
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

Result<void> TaskGraph::check_nesting(const TaskSpecification& specification, const Domain* domain) {
  if (auto valid = check_nested(specification, state_.options.nesting); !valid) return valid;
  const auto refuse = [&specification](const Failure& failure) {
    return Failure{failure.code, quoted(specification.codelet) + ": " + failure.message};
  };
  if (domain != nullptr && domain->on_cores && on_cores_only(specification.codelet) == nullptr) {
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
    if (auto belongs = check_belongs(record, mode.value(), domain, moves); !belongs) return refuse(belongs.failure());
  }
  const auto never_ready = [domain](const Future& future) TROUPE_REQUIRES(state_.submission_mutex) {
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
  if (auto valid = check_weak(specification, domain, moves); !valid) return valid;
  if (auto usable = check_weak_usable(specification, domain); !usable) return usable;
  move_home(moves, domain);
  return {};
}

Result<void> TaskGraph::check_weak(const TaskSpecification& specification, const Domain* domain,
                                   std::vector<DataRecord*>& moves) {
  // The data of the kernel, if there are any, were marked with the last mark.
  const std::uint64_t mark = specification.accesses.empty() ? state_.ids.take_mark() : state_.ids.last_mark();
  if (auto valid = check_weak_accesses(specification, state_.data.registry, mark, domain); !valid) return valid;
  for (const Access& access : specification.options.weak) {
    if (auto belongs = check_belongs(*access.handle.record(), *access.mode, domain, moves); !belongs) {
      return Failure{belongs.failure().code, quoted(specification.codelet) + ": " + belongs.failure().message};
    }
  }
  return {};
}

}  // namespace troupe::graph
