/// Random runs in virtual time that are held against their bounds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace troupe::tests {

/// What one of them took and moved, and what it could not have taken and moved less than.
struct BoundedRun {
  /// Graph, machine and policy, for people.
  std::string description;
  std::uint64_t tasks = 0;
  /// Some cores work together.
  bool clusters = false;
  double seconds = 0;
  double bound_seconds = 0;
  double bytes = 0;
  double bound_bytes = 0;

  /// In words, which bound the run is below.
  [[nodiscard]] std::vector<std::string> problems() const;
};

/// Draws it from the seed: a factorization in single or double precision, with tiles of any size, or a graph that is
/// random throughout; a machine that comes with Troupe or a random one, whose GPUs have times, memories and links of
/// their own; some cores in clusters of any sizes; any policy, any assumption, with noise or without. Then runs it.
[[nodiscard]] BoundedRun bounded_run(std::uint64_t seed);

}  // namespace troupe::tests
