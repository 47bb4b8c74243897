/// The plan by which workers without work look for tasks: a local policy's decision as plain data.
#pragma once

#include <vector>

#include "troupe/ids.hpp"

namespace troupe {

/// The workers from which one thief may steal, as rings: workers in the same ring are equally near, and the nearest
/// ring comes first.
using VictimRings = std::vector<std::vector<WorkerId>>;

struct StealPlan {
  /// True if all ready tasks lie in one queue that every worker takes from; then nobody steals.
  bool shared_queue = false;
  /// The victims of each worker, by its number. A thief asks ring after ring, and begins at a random place in each
  /// ring.
  std::vector<VictimRings> victims;
};

}  // namespace troupe
