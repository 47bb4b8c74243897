/// The way in which workers without work look for some: the decision of a local policy, as plain data.
#pragma once

#include <vector>

#include "troupe/ids.hpp"

namespace troupe {

/// Workers of equal rank as victims, nearest ring first.
using VictimRings = std::vector<std::vector<WorkerId>>;

struct StealPlan {
  /// All ready tasks lie in one queue that every worker takes from; nobody steals.
  bool shared_queue = false;
  /// The victims of each thief: it asks ring after ring, beginning at a random place within each.
  std::vector<VictimRings> victims;
};

}  // namespace troupe
