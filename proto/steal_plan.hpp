/// The way in which workers without work look for tasks: the decision of a local policy, as plain data.
#pragma once

#include <vector>

#include "troupe/ids.hpp"

namespace troupe {

/// Workers from which a thief may steal: rings of workers of equal rank, nearest ring first.
using VictimRings = std::vector<std::vector<WorkerId>>;

struct StealPlan {
  /// True if all ready tasks lie in one queue that every worker takes from; then nobody steals.
  bool shared_queue = false;
  /// The victims of each thief: it asks ring after ring, beginning at a random place within each.
  std::vector<VictimRings> victims;
};

}  // namespace troupe
