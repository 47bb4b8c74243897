#include "apps/bounds/bytes_bound.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "apps/bounds/kind_load.hpp"
#include "apps/bounds/linear_program.hpp"
#include "apps/bounds/lower_bounds.hpp"
#include "apps/bounds/tile_triangles.hpp"

namespace troupe::apps {
namespace {

using Term = LinearProgram::Term;
using Sense = LinearProgram::Sense;

/// The tolerance for rounding errors when a bound is rounded up: a fraction of all bytes or of all tasks of a kind, or
/// a number of tiles. It is larger than the rounding errors of the linear programs' bounds.
constexpr double kBytesRounding = 1e-6;
/// The tolerance for times, as a fraction of the makespan. It is larger than differences that GLPK ignores.
constexpr double kTimeRounding = 1e-6;

/// Returns the makespan divided by `load.unit_s`, plus a small tolerance. Without the tolerance, rounding could make
/// the linear program infeasible for a run that keeps every worker busy from beginning to end.
double time_limit(const BytesProblem& problem, const KindLoad& load) {
  return problem.makespan_s / load.unit_s * (1 + kTimeRounding);
}

/// Returns, for each tile, false if some task overwrites the tile without reading it first, and otherwise true.
std::vector<bool> usable_tiles(const BytesProblem& problem) {
  std::vector<bool> usable(problem.tiles.size(), true);
  for (const BytesTask& task : problem.tasks) {
    for (const std::uint32_t tile : task.overwrites) usable[tile] = false;
  }
  return usable;
}

/// Returns the problem's tasks without their data. Tasks that are triangles (`TileTriangles`) get kinds of their own,
/// with numbers after those of the other kinds.
BoundProblem without_data(const BytesProblem& problem, const TileTriangles& triangles) {
  BoundProblem bare{{}, 2 * problem.kinds, problem.machine};
  for (std::size_t type = 0; type < problem.machine.types.size(); ++type) {
    const auto& times = problem.machine.types[type].times;
    auto& twice = bare.machine.types[type].times;
    twice.insert(twice.end(), times.begin(), times.end());
  }
  for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
    const auto offset = triangles.is_triangle[i] ? problem.kinds : 0;
    bare.tasks.push_back({static_cast<std::uint32_t>(problem.tasks[i].kind + offset), {}});
  }
  return bare;
}

/// Returns the number of tasks of the kind that one worker can run within the makespan.
double most_on_one(const WorkerType& type, std::size_t kind, double makespan) {
  return type.times[kind] > 0 ? std::floor(makespan / type.times[kind] + kBytesRounding)
                              : std::numeric_limits<double>::infinity();
}

/// Adds the constraints that every worker ends within the makespan and runs whole tasks of each kind.
void add_time_limits(LinearProgram& program, const KindLoad& load, const AllocationColumns& allocation,
                     double makespan) {
  const std::vector<bool> all_kinds(load.length_of_kind.size(), true);
  for (const auto& [count, busy] : allocation.capacities(load, all_kinds)) {
    program.add_row(Sense::at_most, count * makespan, busy);
  }
  for (std::size_t index = 0; index < load.types.size(); ++index) {
    const WorkerType& type = load.types[index];
    for (std::size_t kind = 0; kind < load.length_of_kind.size(); ++kind) {
      const int column = allocation.at(kind, index);
      if (column < 0) continue;
      const double tasks = load.length_of_kind[kind];
      const double most = type.count * most_on_one(type, kind, makespan);
      if (most < tasks) program.add_row(Sense::at_most, most / tasks, std::vector<Term>{{column, 1}});
    }
  }
}

/// Returns the terms of a constraint whose sum is `factor` times the fraction of the kind's tasks that runs on GPUs.
std::vector<Term> on_gpus(const KindLoad& load, const AllocationColumns& allocation, std::size_t kind, double factor) {
  std::vector<Term> terms;
  for (std::size_t type = 0; type < load.types.size(); ++type) {
    const int column = allocation.at(kind, type);
    if (column >= 0 && !load.types[type].on_host) terms.push_back({column, factor});
  }
  return terms;
}

/// A group of tiles that the linear program does not distinguish: they have equal sizes and, for each kind, equally
/// many tasks of which they are the first tile.
struct TileGroup {
  std::uint64_t bytes;
  /// For each kind of the bare problem, the number of tasks of which one tile of the group is the first tile.
  std::vector<std::uint32_t> tasks;
  friend auto operator<=>(const TileGroup&, const TileGroup&) = default;
};

std::map<TileGroup, std::uint32_t> groups_of(const BytesProblem& problem, const BoundProblem& bare,
                                             const std::vector<bool>& usable) {
  std::vector<TileGroup> tiles;
  for (const BytesTile& tile : problem.tiles)
    tiles.push_back({tile.bytes.count, std::vector<std::uint32_t>(bare.kinds)});
  for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
    const auto& reads = problem.tasks[i].reads;
    const auto first = std::ranges::find_if(reads, [&](std::uint32_t tile) { return usable[tile]; });
    if (first != reads.end()) ++tiles[*first].tasks[bare.tasks[i].kind];
  }
  std::map<TileGroup, std::uint32_t> groups;
  for (const TileGroup& tile : tiles) ++groups[tile];
  return groups;
}

/// Returns the first bound of `bytes_lower_bound`, which counts tiles that reach any GPU.
double bytes_of_tiles_on_gpus(const BytesProblem& problem, const BoundProblem& bare, const KindLoad& load,
                              const std::vector<bool>& usable) {
  LinearProgram program;
  const AllocationColumns allocation(program, load);
  add_time_limits(program, load, allocation, time_limit(problem, load));

  double all_bytes = 0;
  for (const BytesTile& tile : problem.tiles) all_bytes += static_cast<double>(tile.bytes.count);
  if (all_bytes <= 0) return 0;
  // The constraint for each kind: the tasks on GPUs are at most the tasks of the tiles that reach a GPU, plus the tasks
  // without a counted tile.
  std::vector<std::vector<Term>> reached(bare.kinds);
  std::vector<double> counted(bare.kinds, 0);
  for (const auto& [group, tiles] : groups_of(problem, bare, usable)) {
    const int column = program.add_column(static_cast<double>(group.bytes) * tiles / all_bytes, 1);
    for (std::size_t kind = 0; kind < bare.kinds; ++kind) {
      const double tasks = static_cast<double>(group.tasks[kind]) * tiles;
      if (tasks <= 0) continue;
      reached[kind].push_back({column, -tasks / load.length_of_kind[kind]});
      counted[kind] += tasks;
    }
  }
  for (std::size_t kind = 0; kind < bare.kinds; ++kind) {
    if (reached[kind].empty()) continue;
    auto terms = on_gpus(load, allocation, kind, 1);
    terms.insert(terms.end(), reached[kind].begin(), reached[kind].end());
    program.add_row(Sense::at_most, 1 - counted[kind] / load.length_of_kind[kind], terms);
  }
  program.solve();
  return std::ceil((program.lower_bound() - kBytesRounding) * all_bytes);
}

/// Returns the least number of the kind's tasks that have to run on GPUs.
double least_on_gpus(const KindLoad& load, std::size_t kind, double makespan) {
  LinearProgram program;
  const AllocationColumns allocation(program, load);
  add_time_limits(program, load, allocation, makespan);
  const int least = program.add_column(1, 1);
  auto terms = on_gpus(load, allocation, kind, -1);
  terms.push_back({least, 1});
  program.add_row(Sense::at_least, 0, terms);
  program.solve();
  return std::ceil((program.lower_bound() - kBytesRounding) * load.length_of_kind[kind]);
}

/// Returns the number of tasks of the kind that each GPU can run within the makespan, the fastest GPU first.
std::vector<double> most_on_each_gpu(const KindLoad& load, std::size_t kind, double makespan) {
  std::vector<double> most;
  for (const WorkerType& type : load.types) {
    if (type.on_host || type.times[kind] == kCannotRun) continue;
    const double here = std::min(most_on_one(type, kind, makespan), load.length_of_kind[kind]);
    most.insert(most.end(), static_cast<std::size_t>(type.count), here);
  }
  std::ranges::sort(most, std::greater());
  return most;
}

/// Returns the second bound of `bytes_lower_bound` for one kind: it counts the tiles that each GPU needs.
double bytes_of_triangles(const BytesProblem& problem, const TileTriangles& triangles, const KindLoad& load,
                          std::uint32_t kind) {
  std::uint64_t smallest = UINT64_MAX;
  for (std::size_t i = 0; i < problem.tasks.size(); ++i) {
    if (!triangles.is_triangle[i] || problem.tasks[i].kind != kind) continue;
    for (const std::uint32_t tile : problem.tasks[i].reads) {
      // Only tiles that have a place in the matrix are counted.
      if (problem.tiles[tile].row >= 0) smallest = std::min(smallest, problem.tiles[tile].bytes.count);
    }
  }
  const std::size_t triangle_kind = problem.kinds + kind;
  const double makespan = time_limit(problem, load);
  double left = least_on_gpus(load, triangle_kind, makespan);
  double tiles = 0;
  for (const double most : most_on_each_gpu(load, triangle_kind, makespan)) {
    const double here = std::min(left, most);
    tiles += triangles.least_tiles(kind, here);
    left -= here;
  }
  return std::ceil(tiles - kBytesRounding) * static_cast<double>(smallest);
}

}  // namespace

Bytes bytes_lower_bound(const BytesProblem& problem) {
  const auto usable = usable_tiles(problem);
  const TileTriangles triangles(problem, usable);
  const BoundProblem bare = without_data(problem, triangles);
  const KindLoad load(bare);
  if (load.serial <= 0 || load.serial == kCannotRun) return {};

  double bytes = std::max(bytes_of_tiles_on_gpus(problem, bare, load, usable), 0.0);
  for (std::uint32_t kind = 0; kind < problem.kinds; ++kind) {
    if (triangles.tasks_per_tiles[kind] > 0)
      bytes = std::max(bytes, bytes_of_triangles(problem, triangles, load, kind));
  }
  return Bytes{static_cast<std::uint64_t>(bytes)};
}

}  // namespace troupe::apps
