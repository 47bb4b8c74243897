/// A lower bound on the number of tiles that many tasks need: a small set of tiles can hold the data of few tasks only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/bounds/bytes_bound.hpp"

namespace troupe::apps {

/// Tasks of one kind that each need three tiles in the places (i, j), (i, k) and (j, k) of a matrix, in whichever
/// orientation, for three different i, j, k: the updates of Cholesky, LU and QR. A set of n tiles holds all three of at
/// most c n^(3/2) such tasks, for two reasons; the one that gives less counts:
///
/// - Let the indices be the vertices of a graph and the tiles its edges. The tasks are triangles, and n edges form at
///   most (2 n)^(3/2) / 6 of them: six times their number is the sum of the cubes of the adjacency matrix's
///   eigenvalues, and 2 n is the sum of the squares. Multiply by the most tasks that have the same triangle.
/// - Let n1, n2, n3 of the tiles be needed in first, second and third place. At most sqrt(n1 n2 n3) points (i, j, k)
///   have so many different projections (L. Loomis and H. Whitney, 1949). This is less where the tiles of two places
///   are never the same, such as the tiles left of and above a tile in LU. Multiply by the most tasks that are the same
///   point. (D. Irony, S. Toledo and A. Tiskin, Communication lower bounds for distributed-memory matrix
///   multiplication, 2004, bound in this way what must be sent to processors.)
struct TileTriangles {
  /// True for the tasks of the problem that are such tasks. Tiles that `usable` rules out do not count.
  std::vector<bool> is_triangle;
  /// The constant c above, by kind; 0 if no task is a triangle.
  std::vector<double> tasks_per_tiles;

  TileTriangles(const BytesProblem& problem, const std::vector<bool>& usable);

  /// Returns the least number of tiles, not rounded, that hold the tiles of `tasks` tasks of the kind.
  [[nodiscard]] double least_tiles(std::uint32_t kind, double tasks) const;
};

}  // namespace troupe::apps
