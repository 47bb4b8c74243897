/// Task graphs cut into stages: which tasks must have ended, or cannot have begun, how long before the end and after
/// the beginning.
#pragma once

#include <vector>

#include "apps/bounds/lower_bounds.hpp"

namespace troupe::apps {

/// A bound problem whose kinds are told apart by how long the chains behind (or before) their tasks are, and what
/// follows from that.
///
/// Let a task's tail be the longest chain of tasks after it, each at its fastest. In every schedule with makespan T,
/// all tasks with a tail of at least q have ended at T - q. So each type of resource does its part of these tasks in
/// that time. In the same way the tasks with a head of at least q, the longest chain before them, all lie in the last T
/// - q.
struct StagedProblem {
  /// The same tasks and machine. Tasks of one kind are as alike as before, but there are more kinds.
  BoundProblem problem;

  struct Stage {
    /// By kind of `problem`: whether its tasks belong to the stage.
    std::vector<bool> kinds;
    /// How much of the makespan is not open to them.
    double closed_s = 0;
  };
  std::vector<Stage> stages;
};

enum class StagesBy { tails, heads };

/// Cuts the tasks into at most `stages` stages of equally long tails or heads.
[[nodiscard]] StagedProblem in_stages(const BoundProblem& problem, StagesBy by, std::size_t stages);

}  // namespace troupe::apps
