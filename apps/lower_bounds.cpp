#include "apps/lower_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "apps/kind_load.hpp"
#include "apps/linear_program.hpp"
#include "apps/longest_path.hpp"

namespace troupe::apps {
namespace {

using Term = LinearProgram::Term;
using Sense = LinearProgram::Sense;
using Counts = std::vector<std::uint32_t>;

constexpr int kRounds = 30;
constexpr double kViolation = 1e-3;
/// How often a path is bent towards what the path found before would cost.
constexpr int kBends = 5;
/// More than sums of some thousand doubles lose by rounding.
constexpr double kRounding = 1e-12;

/// The area bound's program: columns T and x, and what paths add. Times are in units of the load.
class MakespanProgram {
 public:
  explicit MakespanProgram(const KindLoad& load)
      : load_(load), makespan_(program_.add_column(1, load.serial)), allocation_(program_, load) {
    for (std::size_t type = 0; type < load.types.size(); ++type) {
      auto terms = allocation_.busy(load, type);
      terms.push_back({makespan_, -static_cast<double>(load.types[type].count)});
      program_.add_row(Sense::at_most, 0, terms);
    }
  }

  /// With columns y, which say which part of the path's tasks of a kind runs on a type.
  void add_path(const Counts& tasks_of_kind) {
    std::vector<Term> duration{{makespan_, -1}};
    for (std::size_t kind = 0; kind < tasks_of_kind.size(); ++kind) {
      if (tasks_of_kind[kind] == 0) continue;
      const double on_path = tasks_of_kind[kind];
      const auto tasks = static_cast<double>(load_.tasks_of_kind[kind]);
      std::vector<Term> all;
      for (std::size_t type = 0; type < load_.types.size(); ++type) {
        const int x = allocation_.at(kind, type);
        if (x < 0) continue;
        const int y = program_.add_column(0, 1);
        all.push_back({y, 1});
        duration.push_back({y, on_path * load_.types[type].times[kind]});
        const Term no_more_than_all[]{{y, on_path / tasks}, {x, -1}};
        program_.add_row(Sense::at_most, 0, no_more_than_all);
      }
      program_.add_row(Sense::equal, 1, all);
    }
    program_.add_row(Sense::at_most, 0, duration);
  }

  bool solve() { return program_.solve(); }
  [[nodiscard]] double makespan() const { return program_.value(makespan_); }
  [[nodiscard]] double bound() const { return std::max(program_.lower_bound(), 0.0) * (1 - kRounding); }

  /// How many of the kind's tasks run on the type in the last solution.
  [[nodiscard]] double allocated(std::size_t kind, std::size_t type) const {
    const int column = allocation_.at(kind, type);
    return column < 0 ? 0 : program_.value(column) * static_cast<double>(load_.tasks_of_kind[kind]);
  }

 private:
  const KindLoad& load_;
  LinearProgram program_;
  int makespan_;
  AllocationColumns allocation_;
};

/// What n tasks of one kind take at least, one after the other, if so many may run on each type: the fastest go first,
/// so each takes no less than the one before.
class KindCost {
 public:
  KindCost(const MakespanProgram& program, const KindLoad& load, std::size_t kind) {
    for (std::size_t type = 0; type < load.types.size(); ++type) {
      const double tasks = program.allocated(kind, type);
      if (tasks > 1e-9) pieces_.push_back({load.types[type].times[kind], tasks});
    }
    std::ranges::sort(pieces_, {}, &Piece::time);
  }

  [[nodiscard]] double of(double n) const {
    double cost = 0;
    for (const Piece& piece : pieces_) {
      const double here = std::min(n, piece.tasks);
      cost += here * piece.time;
      n -= here;
    }
    return cost;
  }
  /// What the next one takes after n.
  [[nodiscard]] double next(double n) const {
    for (const Piece& piece : pieces_) {
      if (n < piece.tasks) return piece.time;
      n -= piece.tasks;
    }
    return pieces_.empty() ? 0 : pieces_.back().time;
  }
  [[nodiscard]] double mean(double tasks) const { return tasks > 0 ? of(tasks) / tasks : 0; }

 private:
  struct Piece {
    double time;
    double tasks;
  };
  std::vector<Piece> pieces_;
};

double cost_of(const std::vector<KindCost>& costs, const Counts& tasks_of_kind) {
  double cost = 0;
  for (std::size_t kind = 0; kind < costs.size(); ++kind) cost += costs[kind].of(tasks_of_kind[kind]);
  return cost;
}

/// Looks for paths that take long. What a path takes is convex in how many tasks of each kind it has; a path that is
/// longest where each task weighs what one more of its kind would take is no shorter than the one that it starts from.
std::vector<Counts> long_paths(LongestPath& graph, const std::vector<KindCost>& costs, const KindLoad& load,
                               double longer_than) {
  std::vector<double> mean;
  std::vector<double> fastest;
  for (std::size_t kind = 0; kind < costs.size(); ++kind) {
    mean.push_back(costs[kind].mean(static_cast<double>(load.tasks_of_kind[kind])));
    fastest.push_back(load.tasks_of_kind[kind] > 0 ? load.fastest(kind) : 0);
  }
  std::vector<Counts> found;
  for (std::vector<double> weights : {mean, fastest}) {
    Counts best;
    double longest = longer_than;
    for (int bend = 0; bend < kBends; ++bend) {
      Counts path = graph.find(weights).tasks_of_kind;
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

/// Adds paths to the program of the area bound until none takes notably longer than the makespan.
double iterated(MakespanProgram& program, LongestPath& graph, const KindLoad& load) {
  std::set<Counts> known;
  double bound = program.bound();
  for (int round = 0; round < kRounds; ++round) {
    std::vector<KindCost> costs;
    for (std::size_t kind = 0; kind < load.tasks_of_kind.size(); ++kind) costs.emplace_back(program, load, kind);
    bool added = false;
    for (const Counts& path : long_paths(graph, costs, load, program.makespan() * (1 + kViolation))) {
      if (!known.insert(path).second) continue;
      program.add_path(path);
      added = true;
    }
    if (!added || !program.solve()) break;
    bound = std::max(bound, program.bound());
  }
  return bound;
}

}  // namespace

LowerBounds lower_bounds(const BoundProblem& problem) {
  const KindLoad load(problem);
  if (load.serial == kCannotRun) return {kCannotRun, kCannotRun, kCannotRun};
  if (load.serial <= 0) return {};

  LongestPath graph(problem);
  std::vector<double> fastest(problem.kinds, 0);
  for (std::size_t kind = 0; kind < problem.kinds; ++kind) {
    if (load.tasks_of_kind[kind] > 0) fastest[kind] = load.fastest(kind);
  }
  LowerBounds bounds;
  bounds.critical_path_s = graph.find(fastest).weight * load.unit_s * (1 - kRounding);

  MakespanProgram program(load);
  const bool solved = program.solve();
  bounds.area_s = program.bound() * load.unit_s;
  bounds.iterated_s = std::max(bounds.area_s, bounds.critical_path_s);
  if (solved) bounds.iterated_s = std::max(bounds.iterated_s, iterated(program, graph, load) * load.unit_s);
  return bounds;
}

}  // namespace troupe::apps
