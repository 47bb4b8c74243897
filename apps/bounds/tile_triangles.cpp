#include "apps/bounds/tile_triangles.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace troupe::apps {
namespace {

using Indices = std::array<int, 3>;
using Tiles = std::array<std::uint32_t, 3>;

bool has(const BytesTile& tile, int index) { return tile.row == index || tile.column == index; }

/// Returns the index of `a`, its row or its column, that is also an index of `b`; nothing if both are or none is.
std::optional<int> shared(const BytesTile& a, const BytesTile& b) {
  const bool row = has(b, a.row);
  const bool column = has(b, a.column);
  if (row == column) return std::nullopt;
  return row ? a.row : a.column;
}

/// A task's three tiles, and the index that each pair of them has in common: first and second tile, first and third,
/// second and third.
struct Triangle {
  Tiles tiles;
  Indices indices;
};

std::optional<Triangle> triangle_of(const BytesProblem& problem, const BytesTask& task,
                                    const std::vector<bool>& usable) {
  std::vector<std::uint32_t> placed;
  for (const std::uint32_t tile : task.reads) {
    if (usable[tile] && problem.tiles[tile].row >= 0 && problem.tiles[tile].column >= 0) placed.push_back(tile);
  }
  if (placed.size() != 3) return std::nullopt;
  const auto& tiles = problem.tiles;
  const auto i = shared(tiles[placed[0]], tiles[placed[1]]);
  const auto j = shared(tiles[placed[0]], tiles[placed[2]]);
  const auto k = shared(tiles[placed[1]], tiles[placed[2]]);
  if (!i || !j || !k || *i == *j || *i == *k || *j == *k) return std::nullopt;
  return Triangle{{placed[0], placed[1], placed[2]}, {*i, *j, *k}};
}

/// Collects the triangles of one kind of task, and the numbers from which `tasks_per_tiles` follows.
class Kind {
 public:
  void add(const Triangle& triangle) {
    Indices sorted = triangle.indices;
    std::ranges::sort(sorted);
    most_per_triangle_ = std::max(most_per_triangle_, ++triangles_[sorted]);
    most_per_point_ = std::max(most_per_point_, ++points_[triangle.indices]);
    const auto [i, j, k] = triangle.indices;
    note_place(0, triangle.tiles[0], {i, j});
    note_place(1, triangle.tiles[1], {i, k});
    note_place(2, triangle.tiles[2], {j, k});
  }

  [[nodiscard]] double tasks_per_tiles() const {
    const double as_graph = most_per_triangle_ * std::sqrt(2.0) / 3;
    return projects_ ? std::min(as_graph, most_per_point_ * volume()) : as_graph;
  }

 private:
  /// Stores the projection of a point (i, j, k). `projects_` becomes false if one tile has several projections in the
  /// same place.
  void note_place(std::size_t place, std::uint32_t tile, std::array<int, 2> projection) {
    const auto [known, is_new] = projections_[place].emplace(tile, projection);
    projects_ = projects_ && known->second == projection;
  }

  [[nodiscard]] bool disjoint(std::size_t a, std::size_t b) const {
    return std::ranges::none_of(projections_[a],
                                [&](const auto& tile) { return projections_[b].contains(tile.first); });
  }

  /// Returns the largest possible sqrt(n1 n2 n3) where n1, n2 and n3 are fractions of all tiles. The result depends on
  /// the number of pairs of places that have no tile in common.
  [[nodiscard]] double volume() const {
    switch (disjoint(0, 1) + disjoint(0, 2) + disjoint(1, 2)) {
      case 0: return 1;                              // n1 = n2 = n3 = 1
      case 1: return 1.0 / 2;                        // 1/2 for each place of the disjoint pair, 1 for the third.
      case 2: return 2.0 / 3 * std::sqrt(1.0 / 3);   // 1/3 for the place disjoint from both, 2/3 for the others.
      default: return 1.0 / 3 * std::sqrt(1.0 / 3);  // 1/3 for each place.
    }
  }

  std::map<Indices, int> triangles_;
  std::map<Indices, int> points_;
  std::array<std::map<std::uint32_t, std::array<int, 2>>, 3> projections_;
  int most_per_triangle_ = 0;
  int most_per_point_ = 0;
  bool projects_ = true;
};

}  // namespace

TileTriangles::TileTriangles(const BytesProblem& problem, const std::vector<bool>& usable) {
  std::vector<Kind> kinds(problem.kinds);
  for (const BytesTask& task : problem.tasks) {
    const auto triangle = triangle_of(problem, task, usable);
    is_triangle.push_back(triangle.has_value());
    if (triangle) kinds[task.kind].add(*triangle);
  }
  for (const Kind& kind : kinds) tasks_per_tiles.push_back(kind.tasks_per_tiles());
}

double TileTriangles::least_tiles(std::uint32_t kind, double tasks) const {
  if (tasks <= 0) return 0;
  assert(tasks_per_tiles[kind] > 0 && "no task of this kind is a triangle");
  return std::pow(tasks / tasks_per_tiles[kind], 2.0 / 3);
}

}  // namespace troupe::apps
