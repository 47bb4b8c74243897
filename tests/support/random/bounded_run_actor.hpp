/// Random runs in virtual time that are compared with their bounds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace troupe::tests {

/// The time and the data movement of one run, and the lower bounds for both.
struct BoundedRun {
  /// The graph, the machine and the policy, as text for people.
  std::string description;
  std::uint64_t tasks = 0;
  /// True if some cores work together.
  bool clusters = false;
  double seconds = 0;
  double bound_seconds = 0;
  double bytes = 0;
  double bound_bytes = 0;

  /// Returns the bounds that the run is below, in words.
  [[nodiscard]] std::vector<std::string> problems() const;
};

/// Draws a run from the seed, and runs it. The graph is a factorization in single or double precision, with tiles of
/// any size, or a graph that is random throughout. The machine comes with Troupe or is random, with GPUs that differ in
/// times, memories and links. Some cores form clusters of any sizes. Policy, assumption and noise are random.
[[nodiscard]] BoundedRun bounded_run(std::uint64_t seed);

}  // namespace troupe::tests
