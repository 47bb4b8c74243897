/// The graph of a sparse matrix: unknowns that occur in the same equation are neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linalg/sparse/compressed_matrix.hpp"

namespace troupe::linalg {

/// The vertices are columns. Two vertices are neighbours if the matrix, or its transpose, has a nonzero element for
/// them; no vertex is its own neighbour.
struct Adjacency {
  std::vector<std::int64_t> begin{0};
  /// The neighbours of each vertex, rising, each once.
  std::vector<std::int32_t> neighbours;

  [[nodiscard]] std::int32_t vertices() const { return static_cast<std::int32_t>(begin.size() - 1); }
  [[nodiscard]] std::span<const std::int32_t> of(std::int32_t vertex) const {
    const auto at = static_cast<std::size_t>(vertex);
    return {neighbours.data() + begin[at], static_cast<std::size_t>(begin[at + 1] - begin[at])};
  }
};

/// Returns the graph of the matrix. `row_of[j]` is the row that has its diagonal element in column j.
[[nodiscard]] Adjacency adjacency(const CompressedMatrix& a, std::span<const std::int32_t> row_of);

// The next functions take orders of elimination: `order[k]` is the k-th vertex that is eliminated.

/// Returns the parent of each vertex in the elimination tree; -1 for roots. The parent is the next vertex whose
/// elimination is affected by the elimination of the child. J. W. H. Liu, The Role of Elimination Trees in Sparse
/// Factorization, SIAM J. Matrix Anal. Appl. 11 (1990), section 5.
[[nodiscard]] std::vector<std::int32_t> elimination_tree(const Adjacency& graph, std::span<const std::int32_t> order);

/// Returns an order with the same fill-in, in which dependent vertices are near one another: the subtree of a vertex
/// comes directly before the vertex.
[[nodiscard]] std::vector<std::int32_t> postordered(const Adjacency& graph, std::span<const std::int32_t> order);

}  // namespace troupe::linalg
