/// The rules for nested tasks that can be checked without the state of a graph.
#pragma once

#include <cstdint>
#include <string>

#include "graph/data/data_registry.hpp"
#include "graph/data/domain.hpp"
#include "graph/graph_options.hpp"
#include "graph/tasks/task_specification.hpp"
#include "troupe/codelet.hpp"
#include "troupe/errors.hpp"

namespace troupe::graph {

/// Returns the failure of a submission that breaks a rule.
[[nodiscard]] Failure refused(const Codelet& codelet, const std::string& why);

/// Checks `TaskOptions::nested` and `weak`, as far as this needs no data. Fails with `invalid_argument` or
/// `signature_mismatch`.
Result<void> check_nested(const TaskSpecification& specification, const NestingRules& allowed);

/// Checks the handles and modes of weak data. `mark` is the mark of the task's other data (`check_accesses`). `domain`
/// is the domain that the task belongs to; may be null. Fails with `invalid_handle`, `invalid_argument` or
/// `conflicting_access`.
Result<void> check_weak_accesses(const TaskSpecification& specification, const DataRegistry& registry,
                                 std::uint64_t mark, const Domain* domain = nullptr);
/// Checks that the weak data have the content that their modes need; the arguments are those of `check_usable`. Call
/// `check_weak_accesses` before.
Result<void> check_weak_usable(const TaskSpecification& specification, const Domain* domain = nullptr);

}  // namespace troupe::graph
