/// Random runs in virtual time, compared with their lower bounds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace troupe::tests {

/// The time and the copied bytes of one run, and the lower bounds of both.
struct BoundedRun {
  /// Describes the graph, the machine and the policy in words.
  std::string description;
  std::uint64_t tasks = 0;
  /// True if some cores form clusters.
  bool clusters = false;
  double seconds = 0;
  double bound_seconds = 0;
  double bytes = 0;
  double bound_bytes = 0;

  /// Returns the bounds that the run violates, in words.
  [[nodiscard]] std::vector<std::string> problems() const;
};

/// Draws a run from the seed, and executes it. The graph is either a random graph or a factorization in single or
/// double precision with any tile size. The machine comes with Troupe or is random. Its GPUs may differ in times,
/// memories and links. Some cores form clusters of any sizes. Policy, assumption and noise are random.
[[nodiscard]] BoundedRun bounded_run(std::uint64_t seed);

}  // namespace troupe::tests
