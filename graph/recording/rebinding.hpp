/// Checks of a recording and of its runs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "graph/data/data_registry.hpp"
#include "graph/recording/recording.hpp"
#include "troupe/errors.hpp"

namespace troupe::graph {

/// Returns the data of one run, in the order of `recording.uses()`: each is the recorded piece of data, or the piece
/// that `rebindings` names in its place. Called under the lock of the registry. Fails with `invalid_handle` or
/// `invalid_argument`.
Result<std::vector<DataRecord*>> rebind(const Recording& recording, const DataRegistry& registry,
                                        std::span<const Rebinding> rebindings);
/// Checks that no two entries of `data` are the same, unless both are only read. `id` is a new mark for this run
/// (`DataRecord::mark`). Fails with `conflicting_access`.
Result<void> check_uses(const Recording& recording, std::span<DataRecord* const> data, std::uint64_t id);

/// Checks that the tasks of a run may use these data in their access modes, see `check_usable` in
/// graph/submission_checks.hpp.
Result<void> check_usable(const Recording& recording, std::span<DataRecord* const> data);
/// Records that a run with these data has been accepted.
void note_written(DataRegistry& registry, const Recording& recording, std::span<DataRecord* const> data);
/// Returns the data without content whose first use in the run is a reduction. Called before `note_written`.
[[nodiscard]] std::vector<DataRecord*> find_without_content(const Recording& recording,
                                                            std::span<DataRecord* const> data);
/// Returns the parts without content whose first writers in this run are children of a nested task. Called under the
/// submission lock.
[[nodiscard]] std::vector<RecordingRun::Unwritten> find_unwritten(const Recording& recording,
                                                                  std::span<DataRecord* const> data);

/// These functions return failures that are reported in several places.
[[nodiscard]] Failure runs_in_recording();
[[nodiscard]] Failure runs_in_nested(const Recording& recording);
[[nodiscard]] Failure takes_no_runs(const Recording& recording);
[[nodiscard]] Failure records_in_recording();
[[nodiscard]] Failure records_in_kernel();
[[nodiscard]] Failure partitioned_while_recorded(const DataRecord& record);

}  // namespace troupe::graph
