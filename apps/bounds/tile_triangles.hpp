/// A lower bound on the number of tiles that many tasks need: a small set of tiles can contain the data of only few
/// tasks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "apps/bounds/bytes_bound.hpp"

namespace troupe::apps {

/// Finds the tasks of one kind that each need three tiles at the places (i, j), (i, k) and (j, k) of a matrix, or at
/// the transposed places, for three different i, j, k: the updates of Cholesky, LU and QR. A set of n tiles contains
/// all three tiles of at most c n^(3/2) such tasks. Two arguments give two constants c; the smaller constant is used:
///
/// - Let the indices be the vertices of a graph and the tiles its edges. The tasks are triangles, and n edges form at
///   most (2 n)^(3/2) / 6 triangles: six times the number of triangles is the sum of the cubes of the adjacency
///   matrix's eigenvalues, and 2 n is the sum of their squares. Multiply this by the largest number of tasks with the
///   same triangle.
/// - Let n1, n2 and n3 of the tiles be needed in first, second and third place. At most sqrt(n1 n2 n3) points (i, j, k)
///   have that many different projections (L. Loomis and H. Whitney, 1949). The bound is smaller if two places never
///   have a tile in common, such as the tiles to the left of and above a tile in LU. Multiply this by the largest
///   number of tasks at the same point. (D. Irony, S. Toledo and A. Tiskin, Communication lower bounds for
///   distributed-memory matrix multiplication, 2004, use this argument for the data that processors must receive.)
struct TileTriangles {
  /// True for the problem's tasks that are triangles. Tiles for which `usable` is false do not count.
  std::vector<bool> is_triangle;
  /// The constant c above, by kind; 0 if no task is a triangle.
  std::vector<double> tasks_per_tiles;

  TileTriangles(const BytesProblem& problem, const std::vector<bool>& usable);

  /// Returns the least number of tiles that contain the tiles of `tasks` tasks of the kind. The result is not rounded.
  [[nodiscard]] double least_tiles(std::uint32_t kind, double tasks) const;
};

}  // namespace troupe::apps
