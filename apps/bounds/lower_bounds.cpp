#include "apps/bounds/lower_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "apps/bounds/kind_load.hpp"
#include "apps/bounds/longest_path.hpp"
#include "apps/bounds/makespan_program.hpp"
#include "apps/bounds/task_stages.hpp"

namespace troupe::apps {
namespace {

/// The sum of the lengths of some tasks, by kind.
using Lengths = std::vector<double>;

constexpr int kRounds = 30;
constexpr std::size_t kStages = 24;
constexpr double kViolation = 1e-3;
/// The number of repetitions of the search for a path. Each repetition uses the costs along the path that the search
/// before it has found.
constexpr int kBends = 5;

/// A function of n: the least time for tasks of one kind with total length n, one after the other, if each type of
/// worker runs at most its allocated length. Faster types are used first, so the time per length never decreases with
/// n: the function is convex.
class KindCost {
 public:
  KindCost(const MakespanProgram& program, const KindLoad& load, std::size_t kind) {
    for (std::size_t type = 0; type < load.types.size(); ++type) {
      const double length = program.allocated(kind, type);
      if (length > 1e-9) pieces_.push_back({load.types[type].times[kind], length});
    }
    std::ranges::sort(pieces_, {}, &Piece::time);
  }

  [[nodiscard]] double of(double n) const {
    double cost = 0;
    for (const Piece& piece : pieces_) {
      const double here = std::min(n, piece.length);
      cost += here * piece.time;
      n -= here;
    }
    return cost;
  }
  /// Returns the time per length of the next task, if tasks of total length n have been placed before it.
  [[nodiscard]] double next(double n) const {
    for (const Piece& piece : pieces_) {
      if (n < piece.length) return piece.time;
      n -= piece.length;
    }
    return pieces_.empty() ? 0 : pieces_.back().time;
  }
  [[nodiscard]] double mean(double length) const { return length > 0 ? of(length) / length : 0; }

 private:
  struct Piece {
    double time;
    double length;
  };
  std::vector<Piece> pieces_;
};

double cost_of(const std::vector<KindCost>& costs, const Lengths& length_of_kind) {
  double cost = 0;
  for (std::size_t kind = 0; kind < costs.size(); ++kind) cost += costs[kind].of(length_of_kind[kind]);
  return cost;
}

/// Looks for paths that take long. A path's cost is convex in the length of each kind on the path. Take a path, and let
/// each task weigh as much as additional length of its kind would cost on that path. Then the longest path by these
/// weights costs no less than the given path, so repeated searches find longer and longer paths.
std::vector<Lengths> long_paths(LongestPath& graph, const std::vector<KindCost>& costs, const KindLoad& load,
                                double longer_than) {
  std::vector<double> mean;
  std::vector<double> fastest;
  for (std::size_t kind = 0; kind < costs.size(); ++kind) {
    mean.push_back(costs[kind].mean(load.length_of_kind[kind]));
    fastest.push_back(load.length_of_kind[kind] > 0 ? load.fastest(kind) : 0);
  }
  std::vector<Lengths> found;
  for (std::vector<double> weights : {mean, fastest}) {
    Lengths best;
    double longest = longer_than;
    for (int bend = 0; bend < kBends; ++bend) {
      Lengths path = graph.find(weights).length_of_kind;
      for (std::size_t kind = 0; kind < costs.size(); ++kind) weights[kind] = costs[kind].next(path[kind]);
      const double cost = cost_of(costs, path);
      if (cost <= longest) continue;
      longest = cost;
      best = std::move(path);
    }
    if (!best.empty()) found.push_back(std::move(best));
  }
  return found;
}

/// Adds paths to a solved program until no path takes much longer than the makespan. Returns the bound.
double iterated(MakespanProgram& program, LongestPath& graph, const KindLoad& load) {
  std::set<Lengths> known;
  double bound = program.bound();
  for (int round = 0; round < kRounds; ++round) {
    std::vector<KindCost> costs;
    for (std::size_t kind = 0; kind < load.length_of_kind.size(); ++kind) costs.emplace_back(program, load, kind);
    bool added = false;
    for (const Lengths& path : long_paths(graph, costs, load, program.makespan() * (1 + kViolation))) {
      if (!known.insert(path).second) continue;
      program.add_path(path);
      added = true;
    }
    if (!added || !program.solve()) break;
    bound = std::max(bound, program.bound());
  }
  return bound;
}

/// Returns the bound with the conditions of the stages, and with paths whose tasks are distinguished by stage.
double staged(const BoundProblem& problem, StagesBy by) {
  const StagedProblem staged = in_stages(problem, by, kStages);
  const KindLoad load(staged.problem);
  MakespanProgram program(load);
  for (const auto& stage : staged.stages) program.add_stage(stage.kinds, stage.closed_s / load.unit_s);
  if (!program.solve()) return program.bound() * load.unit_s;
  LongestPath graph(staged.problem);
  return iterated(program, graph, load) * load.unit_s;
}

}  // namespace

LowerBounds lower_bounds(const BoundProblem& problem) {
  const KindLoad load(problem);
  if (load.serial == kCannotRun) return {kCannotRun, kCannotRun, kCannotRun, kCannotRun};
  if (load.serial <= 0) return {};

  LongestPath graph(problem);
  std::vector<double> fastest(problem.kinds, 0);
  for (std::size_t kind = 0; kind < problem.kinds; ++kind) {
    if (load.length_of_kind[kind] > 0) fastest[kind] = load.fastest(kind);
  }
  LowerBounds bounds;
  bounds.critical_path_s = graph.find(fastest).weight * load.unit_s * (1 - load.rounding);

  MakespanProgram program(load);
  const bool solved = program.solve();
  bounds.area_s = program.bound() * load.unit_s;
  bounds.iterated_s = std::max(bounds.area_s, bounds.critical_path_s);
  if (solved) bounds.iterated_s = std::max(bounds.iterated_s, iterated(program, graph, load) * load.unit_s);
  bounds.staged_s = std::max({bounds.iterated_s, staged(problem, StagesBy::tails), staged(problem, StagesBy::heads)});
  return bounds;
}

}  // namespace troupe::apps
