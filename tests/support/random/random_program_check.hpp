/// The sequential reference of a random program.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tests/support/random/random_program.hpp"
#include "troupe/layout.hpp"

namespace troupe::tests {

/// The contents of the roots, by region index; empty if a region is not a root.
using Memory = std::vector<std::vector<std::uint64_t>>;

/// Returns the number of elements from one column of a root to the next. Some roots have gaps.
[[nodiscard]] std::int64_t leading_dimension(const Region& root);
[[nodiscard]] Memory make_memory(const RandomProgram& program, std::uint64_t seed);
/// Returns the region's data in `memory`.
[[nodiscard]] DataView view_of(const Region& region, const RandomProgram& program, Memory& memory);

/// The effect of a task on its data. Reading mixes all inputs in an order that matters. Commuting and reducing add
/// values that do not depend on the data that they modify. Returns a hash of the data that the task read.
std::uint64_t compute(const PlannedTask& task, std::span<const DataView> views);

/// The two steps of `compute`: the first reads, and the second changes the data. The second can be divided into
/// `pieces` calls.
std::uint64_t read_all(const PlannedTask& task, std::span<const DataView> views);
void change_some(const PlannedTask& task, std::span<const DataView> views, std::uint64_t input, std::uint64_t piece,
                 std::uint64_t pieces);

/// Returns a hash of what a region contains.
[[nodiscard]] std::uint64_t content_of(const DataView& view);

/// The results of a program.
struct ProgramOutcome {
  const RandomProgram& program;
  std::vector<TaskLog>& logs;
  const Memory& before;
  Memory& after;
  /// True if tasks may fail without a fault of their own, before or after their kernel has run.
  bool losses = false;
  /// True if devices fail. Then tasks may fail as with `losses`, and so may the tasks that combine reductions and the
  /// accesses of the host. Only the data of regions that the host could read at the end count.
  bool device_faults = false;
  std::vector<bool> readable = {};
  std::span<const HostLook> looks = {};
};

/// Runs the tasks one after the other in the order of their ids, on a copy of the initial data, and compares. Appends
/// to `problems`. Sets `poisoned[i]` to true if region i has no valid content at the end, otherwise to false.
void check_outcome(const ProgramOutcome& outcome, std::vector<bool>& poisoned, std::vector<std::string>& problems);

}  // namespace troupe::tests
