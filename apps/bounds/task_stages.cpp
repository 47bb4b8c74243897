#include "apps/bounds/task_stages.hpp"

#include <algorithm>

namespace troupe::apps {
namespace {

/// Returns each task's time on the fastest worker of the machine.
std::vector<double> fastest_times(const BoundProblem& problem) {
  std::vector<double> of_kind(problem.kinds, kCannotRun);
  for (const WorkerType& type : problem.machine.types) {
    if (type.count <= 0) continue;
    for (std::size_t kind = 0; kind < problem.kinds; ++kind) of_kind[kind] = std::min(of_kind[kind], type.times[kind]);
  }
  std::vector<double> fastest;
  for (const BoundTask& task : problem.tasks) fastest.push_back(of_kind[task.kind] * task.length);
  return fastest;
}

std::vector<double> heads_of(const BoundProblem& problem) {
  const auto fastest = fastest_times(problem);
  std::vector<double> heads(problem.tasks.size(), 0);
  for (std::size_t task = 0; task < heads.size(); ++task) {
    for (const std::uint32_t before : problem.tasks[task].predecessors) {
      heads[task] = std::max(heads[task], heads[before] + fastest[before]);
    }
  }
  return heads;
}

std::vector<double> tails_of(const BoundProblem& problem) {
  const auto fastest = fastest_times(problem);
  std::vector<double> tails(problem.tasks.size(), 0);
  for (std::size_t task = tails.size(); task-- > 0;) {
    for (const std::uint32_t before : problem.tasks[task].predecessors) {
      tails[before] = std::max(tails[before], tails[task] + fastest[task]);
    }
  }
  return tails;
}

}  // namespace

StagedProblem in_stages(const BoundProblem& problem, StagesBy by, std::size_t stages) {
  const auto closed = by == StagesBy::tails ? tails_of(problem) : heads_of(problem);
  const double longest = closed.empty() ? 0 : *std::ranges::max_element(closed);
  const double rounded = 1 - rounding(problem.tasks.size());
  StagedProblem staged{problem, {}};
  staged.problem.kinds = problem.kinds * stages;
  for (std::size_t type = 0; type < problem.machine.types.size(); ++type) {
    auto& times = staged.problem.machine.types[type].times;
    times.clear();
    for (const double time : problem.machine.types[type].times) times.insert(times.end(), stages, time);
  }

  // `closed[i]` is the length of the time at the end (or at the beginning) of the run in which task i cannot run. The
  // time of a stage is the smallest such length of its tasks.
  std::vector<double> least(stages, kCannotRun);
  for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
    const double part = longest > 0 ? closed[i] / longest : 0;
    const auto stage = std::min(static_cast<std::size_t>(part * static_cast<double>(stages)), stages - 1);
    staged.problem.tasks[i].kind = static_cast<std::uint32_t>(problem.tasks[i].kind * stages + stage);
    least[stage] = std::min(least[stage], closed[i]);
  }
  for (std::size_t stage = 1; stage < stages; ++stage) {
    if (least[stage] == kCannotRun) continue;
    std::vector<bool> kinds(staged.problem.kinds);
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) kinds[kind] = kind % stages >= stage;
    staged.stages.push_back({std::move(kinds), least[stage] * rounded});
  }
  return staged;
}

}  // namespace troupe::apps
