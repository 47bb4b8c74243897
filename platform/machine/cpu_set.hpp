/// Sets of processing units (PUs) by the operating system's index, and their list notation: `0-3,8`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "troupe/errors.hpp"

namespace troupe::platform {

/// The operating system's indices of processing units, in ascending order, each once.
using CpuSet = std::vector<int>;

/// The largest index that is valid when a set is parsed: no machine has more processing units, and a mistake such as
/// `0-4000000000` must not use up all memory.
inline constexpr int kMaxPu = 65535;

/// Reads the list notation of taskset, Slurm and cpuset(7): `0-3,8`. Blanks around numbers are allowed. Fails with
/// `invalid_argument` if the text is empty or has another form; the message quotes the text.
[[nodiscard]] Result<CpuSet> parse_cpu_set(std::string_view text);

/// Writes the list notation; an empty set is `none`.
[[nodiscard]] std::string to_string(const CpuSet& set);

/// Returns the processing units that are in both sets. Both sets must be sorted.
[[nodiscard]] CpuSet intersection(const CpuSet& a, const CpuSet& b);

[[nodiscard]] bool contains(const CpuSet& set, int pu);

}  // namespace troupe::platform
