/// Plans that say which worker may steal from which workers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "proto/steal_plan.hpp"

namespace troupe::tests {

/// Returns a plan by which every worker may steal from every other worker, in one ring.
inline StealPlan one_ring(std::size_t workers) {
  StealPlan plan;
  for (std::uint32_t thief = 0; thief < workers; ++thief) {
    VictimRings rings(1);
    for (std::uint32_t victim = 0; victim < workers; ++victim) {
      if (victim != thief) rings[0].emplace_back(victim);
    }
    plan.victims.push_back(workers > 1 ? rings : VictimRings{});
  }
  return plan;
}

inline StealPlan shared_queue(std::size_t workers) {
  StealPlan plan;
  plan.shared_queue = true;
  plan.victims.resize(workers);
  return plan;
}

inline StealPlan nobody_steals(std::size_t workers) {
  StealPlan plan;
  plan.victims.resize(workers);
  return plan;
}

}  // namespace troupe::tests
