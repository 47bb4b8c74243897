/// Checks of a submission, whether the task is to run or to be recorded.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/data/data_registry.hpp"
#include "graph/data/usable.hpp"
#include "graph/task_graph.hpp"
#include "troupe/devices.hpp"
#include "troupe/errors.hpp"

namespace troupe::graph {

/// Returns a text such as "codelet 'gemm'".
[[nodiscard]] std::string quoted(const Codelet& codelet);

/// Returns a text such as " on data of 4 x 4, 4 x 1" for the accesses whose handles are registered; "" if there are
/// none.
[[nodiscard]] std::string sizes_of(std::span<const Access> accesses, const DataRegistry& registry);

/// Returns the failure `no_implementation` for a task whose `TaskOptions::devices` are empty.
Failure no_device_may_run(const Codelet& codelet);
/// Makes all checks that do not need the data: there is an implementation for one of these kinds of device; the number
/// of handles is right; the arguments are right. Fails with `no_implementation` or `signature_mismatch`.
Result<void> check_signature(const TaskSpecification& specification, KindSet device_kinds);
/// Makes the checks of `check_signature`, except the check for an implementation.
Result<void> check_counts(const TaskSpecification& specification);

/// Checks that explicit dependencies are tasks of this owner. Fails with `invalid_argument`.
Result<void> check_after(const TaskSpecification& specification, const TaskOwner& owner);
/// `recorded_dependency` returns the failure of a task outside a recording that was submitted to run after a recorded
/// task. `unrecorded_dependency` returns the failure of a recorded task that should run after a task outside.
[[nodiscard]] Failure recorded_dependency(const Codelet& codelet);
[[nodiscard]] Failure unrecorded_dependency(const Codelet& codelet);

/// Returns the failure `invalid_argument` of a thread that is about to wait for data that it holds itself, or for a
/// task that waits for such data. `why` names the data and the task.
[[nodiscard]] Failure never_ends(const std::string& why);
/// Returns that failure for a thread that holds data and is about to wait for room in a submission window of `window`
/// tasks, all of which wait for data of this thread and of others that wait for room already.
[[nodiscard]] Failure never_has_room(std::uint64_t window);

/// Returns true if the task has a deadline or a stop token.
[[nodiscard]] inline bool is_limited(const TaskOptions& options) {
  return options.deadline.has_value() || options.stop.stop_possible();
}
/// These return the failures `invalid_argument` of tasks whose deadline or stop token cannot have an effect.
[[nodiscard]] Failure deadline_in_virtual_time(const Codelet& codelet);
[[nodiscard]] Failure limited_in_recording(const Codelet& codelet);
[[nodiscard]] Failure limited_on_service(const Codelet& codelet);

/// Returns true if the task has as many handles and arguments as the codelet declares, and arguments of these types.
[[nodiscard]] inline bool has_declared_types(const TaskSpecification& specification,
                                             const CodeletDefinition& definition) {
  const Arguments& given = specification.arguments;
  const std::vector<ArgumentType>& types = definition.argument_types;
  if (!definition.typed && types.empty()) return true;
  if (definition.typed && specification.accesses.size() != definition.parameters.size()) return false;
  if (given.size() != types.size()) return false;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (types[i].tag != given.tag(i)) return false;
  }
  return true;
}

/// Makes a quick test that most submissions pass. If it returns true, `check_counts` and `check_after` would find
/// nothing wrong, and no explicit dependency belongs to a recording; if false, call them.
[[nodiscard]] inline bool is_simple(const TaskSpecification& specification, const CodeletDefinition& definition,
                                    const TaskOwner& owner) {
  const bool fits =
      definition.variadic ? definition.groups.empty() : definition.modes.size() == specification.accesses.size();
  if (!fits || !has_declared_types(specification, definition)) return false;
  for (const Future& future : specification.options.after) {
    if (future.owner() != &owner || future.task() == nullptr) return false;
  }
  return true;
}

/// Returns the mode of access number `index`: the codelet's, or the task's if the codelet is variadic. The number of
/// accesses must have been checked. Fails with `signature_mismatch`.
Result<AccessMode> mode_of(const Codelet& codelet, const Access& access, std::size_t index);

/// Checks all accesses: their handles are registered, fit the kernel's parameters and do not conflict. `id` is a new
/// mark for this submission. Called under the lock of the registry. Fails with `invalid_handle`, `signature_mismatch`,
/// `invalid_argument` or `conflicting_access`, or with `no_implementation` because of a halo part. `device_kinds` are
/// the kinds of device that workers drive. `domain` is the domain that the task belongs to; null outside of nested
/// tasks.
Result<void> check_accesses(const TaskSpecification& specification, const DataRegistry& registry, std::uint64_t id,
                            KindSet device_kinds, const Domain* domain = nullptr);

/// Returns the record of access number `index` if the access passes a quick test that most accesses pass: the handle is
/// of this owner, and the data fit the kernel. Takes no lock, so the handle may be about to be released.
[[nodiscard]] DataRecord* simple_access(const CodeletDefinition& definition, const Access& access, std::size_t index,
                                        const TaskOwner& owner);

/// Does the work of `check_accesses` quickly for the many submissions that have no reductions and no handles with
/// parts. If it returns true, the accesses are correct and their data are marked; if false, call `check_accesses`, with
/// another mark.
[[nodiscard]] bool mark_simple_accesses(const TaskSpecification& specification, const TaskOwner& owner,
                                        std::uint64_t mark);

/// Checks a submission whose accesses are valid: it must not read data that were never written, and must not write
/// const data (graph/data/usable.hpp). `domain` is the domain that the task belongs to; may be null. Called under the
/// lock of the registry. Fails with `invalid_argument`.
Result<void> check_usable(const TaskSpecification& specification, const Domain* domain = nullptr);

/// Returns true if the options have to do with nested tasks, even if these options are not valid.
[[nodiscard]] inline bool speaks_of_nesting(const TaskOptions& options) {
  return options.nested || !options.weak.empty();
}
[[nodiscard]] std::vector<TaskAccess> weak_accesses(const TaskOptions& options);
/// Checks that both functions of a reduction are given, or fails with `invalid_argument`, and that they are for
/// elements of the type of these data, or fails with `signature_mismatch`.
Result<void> check_methods(const ReductionMethods& methods, const DataRecord& record);
/// Checks that the program may acquire data in this mode. Fails with `invalid_argument`.
Result<void> check_hold_mode(AccessMode mode);

/// These functions return the failures of a child whose use of the record does not fit what its parent declares.
/// `parent` is a text that names the parent.
[[nodiscard]] Failure not_declared(const DataRecord& record, const std::string& parent);
[[nodiscard]] Failure declared_in_read(const DataRecord& record, AccessMode mode, const std::string& parent);

/// These functions return failures that are reported in several places.
[[nodiscard]] Failure takes_no_tasks(const Codelet& codelet);
[[nodiscard]] Failure waits_in_kernel();
[[nodiscard]] Failure waits_in_recording();
[[nodiscard]] Failure call_in_recording(const Codelet& codelet);
[[nodiscard]] Failure resumes_nothing();
[[nodiscard]] Failure recorded_task_waited_for();

}  // namespace troupe::graph
