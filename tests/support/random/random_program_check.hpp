/// The sequential reference of a random program.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graph/codelets/layout.hpp"
#include "tests/support/random/random_program.hpp"

namespace troupe::tests {

/// The contents of the roots, by region index; empty where a region is no root.
using Memory = std::vector<std::vector<std::uint64_t>>;

/// Elements from one column of a root to the next: some have gaps.
[[nodiscard]] std::int64_t leading_dimension(const Region& root);
[[nodiscard]] Memory make_memory(const RandomProgram& program, std::uint64_t seed);
/// The region's data in such a memory.
[[nodiscard]] DataView view_of(const Region& region, const RandomProgram& program, Memory& memory);

/// What a task does to its data. Reading mixes all inputs in an order that matters; commuting and reducing add what
/// does not depend on the data that they modify. Returns a hash of what the task read.
std::uint64_t compute(const PlannedTask& task, std::span<const DataView> views);

/// The same in two steps, of which the second can be taken in so many pieces: what it read, and what it changes for it.
std::uint64_t read_all(const PlannedTask& task, std::span<const DataView> views);
void change_some(const PlannedTask& task, std::span<const DataView> views, std::uint64_t input, std::uint64_t piece,
                 std::uint64_t pieces);

/// A hash of what a region contains.
[[nodiscard]] std::uint64_t content_of(const DataView& view);

/// What a program left behind.
struct ProgramOutcome {
  const RandomProgram& program;
  std::vector<TaskLog>& logs;
  const Memory& before;
  Memory& after;
  /// Tasks may fail without a fault of their own, before or after their kernel has run.
  bool losses = false;
  /// Devices fail: the same; so may the tasks that combine reductions and what the host does, and only the data of
  /// regions that the host could read at the end count.
  bool device_faults = false;
  std::vector<bool> readable = {};
  std::span<const HostLook> looks = {};
};

/// Runs the tasks one after the other in the order of their ids, on a copy of the data before, and compares. Appends
/// to `problems`. `poisoned[i]` becomes whether region i has no valid content at the end.
void check_outcome(const ProgramOutcome& outcome, std::vector<bool>& poisoned, std::vector<std::string>& problems);

}  // namespace troupe::tests
