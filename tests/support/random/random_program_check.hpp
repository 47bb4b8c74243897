/// The sequential reference with which random programs are compared.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tests/support/random/random_program.hpp"
#include "troupe/layout.hpp"

namespace troupe::tests {

/// The contents of the roots, by region index. Empty for regions that are no roots.
using Memory = std::vector<std::vector<std::uint64_t>>;

/// Returns the distance between the begins of two columns of a root, in elements. Some roots have gaps between columns.
[[nodiscard]] std::int64_t leading_dimension(const Region& root);
[[nodiscard]] Memory make_memory(const RandomProgram& program, std::uint64_t seed);
/// Returns a view of the region's data in `memory`.
[[nodiscard]] DataView view_of(const Region& region, const RandomProgram& program, Memory& memory);

/// Computes a task's effect on its data. A read combines all inputs so that their order matters. Commuting and reducing
/// tasks add values that do not depend on the old content. Returns a hash of the data that the task read.
std::uint64_t compute(const PlannedTask& task, std::span<const DataView> views);

/// The two steps of `compute`: the first reads the data, and the second changes the data. Several calls, one for each
/// of `pieces` pieces, may make the second step.
std::uint64_t read_all(const PlannedTask& task, std::span<const DataView> views);
void change_some(const PlannedTask& task, std::span<const DataView> views, std::uint64_t input, std::uint64_t piece,
                 std::uint64_t pieces);

/// Returns a hash of the content of a region.
[[nodiscard]] std::uint64_t content_of(const DataView& view);

/// The results of a program.
struct ProgramOutcome {
  const RandomProgram& program;
  std::vector<TaskLog>& logs;
  const Memory& before;
  Memory& after;
  /// True if tasks may fail because a worker died, before or after their kernel has run.
  bool losses = false;
  /// True if devices fail. Then tasks may fail as with `losses`. The combination of reductions and the accesses by the
  /// host may fail, too. Only regions that the host could read at the end are compared.
  bool device_faults = false;
  std::vector<bool> readable = {};
  std::span<const HostLook> looks = {};
};

/// Runs the tasks one after the other in the order of their ids, on a copy of the initial data, and compares the
/// results. Appends the differences to `problems`. `poisoned[i]` becomes true if region i has no valid content at the
/// end, else false.
void check_outcome(const ProgramOutcome& outcome, std::vector<bool>& poisoned, std::vector<std::string>& problems);

}  // namespace troupe::tests
