/// What must hold of a recording and of its runs, whoever runs it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/data/data_registry.hpp"
#include "graph/recording/recording.hpp"
#include "proto/errors.hpp"

namespace troupe::graph {

/// The data of one run, in the order of `recording.uses()`: those recorded, or what `rebindings` names in their place.
/// Under the lock of the registry. `invalid_handle`, `invalid_argument`.
Result<std::vector<DataRecord*>> rebind(const Recording& recording, const DataRegistry& registry,
                                        std::span<const Rebinding> rebindings);
/// No two of them are the same data, unless both are only read. `id`: marks this run, and was never used before.
/// `conflicting_access`.
Result<void> check_uses(const Recording& recording, std::span<DataRecord* const> data, std::uint64_t id);

/// A run with these data may use them as it does, see `check_usable` in graph/submission_checks.hpp.
Result<void> check_usable(const Recording& recording, std::span<DataRecord* const> data);
/// Such a run is accepted.
void note_written(DataRegistry& registry, const Recording& recording, std::span<DataRecord* const> data);

/// Texts of failures that are the same wherever they happen.
[[nodiscard]] Failure runs_in_recording();
[[nodiscard]] Failure takes_no_runs(const Recording& recording);
[[nodiscard]] Failure records_in_recording();
[[nodiscard]] Failure records_in_kernel();
[[nodiscard]] Failure partitioned_while_recorded(const DataRecord& record);

}  // namespace troupe::graph
