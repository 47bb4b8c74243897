/// What must hold of a submission, whoever takes it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "graph/data/data_registry.hpp"
#include "graph/data/usable.hpp"
#include "graph/task_graph.hpp"
#include "proto/device_kinds.hpp"
#include "proto/errors.hpp"

namespace troupe::graph {

/// "codelet 'gemm'".
[[nodiscard]] std::string quoted(const Codelet& codelet);

/// " on data of 4 x 4, 4 x 1": what is registered of them; "" where nothing is.
[[nodiscard]] std::string sizes_of(std::span<const Access> accesses, const DataRegistry& registry);

/// The refusal of a task whose `TaskOptions::devices` are none: `no_implementation`.
Failure no_device_may_run(const Codelet& codelet);
/// What can be checked without looking at the data: an implementation for one of these kinds of device, the number of
/// handles, the arguments. `no_implementation`, `signature_mismatch`.
Result<void> check_signature(const TaskSpecification& specification, KindSet device_kinds);
/// The part of it that does not ask for an implementation.
Result<void> check_counts(const TaskSpecification& specification);

/// Explicit dependencies are tasks of this owner. `invalid_argument`.
Result<void> check_after(const TaskSpecification& specification, const TaskOwner& owner);
/// For one that is a task of a recording while nothing is recorded, and for one that is not while something is.
[[nodiscard]] Failure recorded_dependency(const Codelet& codelet);
[[nodiscard]] Failure unrecorded_dependency(const Codelet& codelet);

/// `check_counts` and `check_after` of a submission that is one of the simple ones, which most are: true, there is
/// nothing wrong with it. False: ask them.
[[nodiscard]] inline bool is_simple(const TaskSpecification& specification, const CodeletDefinition& definition) {
  const bool fits =
      definition.variadic ? definition.groups.empty() : definition.modes.size() == specification.accesses.size();
  return fits && !definition.typed && definition.argument_types.empty() && specification.options.after.empty();
}

/// The mode of access number `index`: the codelet's, or the task's where the codelet is variadic. The number of
/// accesses has been checked. `signature_mismatch`.
Result<AccessMode> mode_of(const Codelet& codelet, const Access& access, std::size_t index);

/// All accesses: their handles are registered, fit the kernel's parameters and do not exclude one another. `id`: marks
/// this submission, and was never used before. Under the lock of the registry. `invalid_handle`, `signature_mismatch`,
/// `invalid_argument`, `conflicting_access`.
Result<void> check_accesses(const TaskSpecification& specification, const DataRegistry& registry, std::uint64_t id);

/// The same for the many submissions whose accesses need no closer look: no reductions, and handles without parts.
/// True: there is nothing wrong with them, and their data are marked. False: ask `check_accesses`, with another
/// mark.
[[nodiscard]] bool mark_simple_accesses(const TaskSpecification& specification, const TaskOwner& owner,
                                        std::uint64_t mark);

/// Nothing is read that nobody has written, and nothing written that is const (graph/data/usable.hpp), in a submission
/// whose accesses are valid. Under the lock of the registry. `invalid_argument`.
Result<void> check_usable(const TaskSpecification& specification);

/// Both functions are there. `invalid_argument`.
Result<void> check_methods(const ReductionMethods& methods);
/// The program can acquire data in this mode. `invalid_argument`.
Result<void> check_hold_mode(AccessMode mode);

/// Texts of failures that are the same wherever they happen.
[[nodiscard]] Failure takes_no_tasks(const Codelet& codelet);
[[nodiscard]] Failure waits_in_kernel();
[[nodiscard]] Failure waits_in_recording();
[[nodiscard]] Failure recorded_task_waited_for();

}  // namespace troupe::graph
