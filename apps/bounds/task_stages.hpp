/// Cuts task graphs into stages: sets of tasks that must have ended some time before the end, or cannot have begun
/// until some time after the beginning.
#pragma once

#include <vector>

#include "apps/bounds/lower_bounds.hpp"

namespace troupe::apps {

/// A bound problem whose kinds are split by the length of the chains after (or before) their tasks, and the stages that
/// follow from that.
///
/// Let a task's tail be the longest chain of tasks after it, each at its fastest. In every schedule with makespan T,
/// all tasks with a tail of at least q have ended at T - q. So each type of resource does its part of these tasks in
/// that time. In the same way the tasks with a head of at least q, the longest chain before them, all lie in the last T
/// - q.
struct StagedProblem {
  /// The given tasks and machine. The kinds are split further, but tasks of one kind still have equal times.
  BoundProblem problem;

  struct Stage {
    /// True for the kinds of `problem` whose tasks belong to the stage.
    std::vector<bool> kinds;
    /// The part of the makespan in which these tasks cannot run.
    double closed_s = 0;
  };
  std::vector<Stage> stages;
};

enum class StagesBy { tails, heads };

/// Cuts the tasks into at most `stages` stages of equally long tails or heads.
[[nodiscard]] StagedProblem in_stages(const BoundProblem& problem, StagesBy by, std::size_t stages);

}  // namespace troupe::apps
