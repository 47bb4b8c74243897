/// Cuts task graphs into stages: sets of tasks that cannot run in the last t seconds of the run (`StagesBy::tails`), or
/// in its first t seconds (`StagesBy::heads`).
#pragma once

#include <vector>

#include "apps/bounds/lower_bounds.hpp"

namespace troupe::apps {

/// A bound problem whose kinds are split by the length of the chains after (or before) their tasks, and the resulting
/// stages.
///
/// Let a task's tail be the length of the longest chain of tasks after it, each at its fastest time. In every schedule
/// with makespan T, all tasks with a tail of at least q have ended at T - q. Each type of worker therefore runs its
/// share of these tasks within T - q. Let a task's head be the length of the longest chain before it. In the same way,
/// all tasks with a head of at least q run within the last T - q.
struct StagedProblem {
  /// The given tasks and machine, but with each kind split into smaller kinds, so that every stage consists of whole
  /// kinds.
  BoundProblem problem;

  struct Stage {
    /// True for the kinds of `problem` whose tasks belong to the stage.
    std::vector<bool> kinds;
    /// The length of the time, at one end of the makespan, in which these tasks cannot run.
    double closed_s = 0;
  };
  std::vector<Stage> stages;
};

enum class StagesBy { tails, heads };

/// Cuts the tasks into at most `stages` stages. Each stage covers an equally long range of tails or heads.
[[nodiscard]] StagedProblem in_stages(const BoundProblem& problem, StagesBy by, std::size_t stages);

}  // namespace troupe::apps
