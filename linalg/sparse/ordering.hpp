/// The order in which the unknowns of a sparse system are eliminated.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "linalg/sparse/adjacency.hpp"

namespace troupe::linalg {

enum class Ordering {
  /// The one of the others for which the factorization by blocks is predicted to be the fastest.
  automatic,
  /// The unknowns' own order.
  natural,
  /// Reverse Cuthill-McKee: everything near the diagonal. Little fill-in outside a band, in full blocks.
  rcm,
  /// Approximate minimum degree: the least fill-in by elements, which may be spread over many blocks.
  amd,
};

inline constexpr std::array kOrderings{Ordering::automatic, Ordering::natural, Ordering::rcm, Ordering::amd};

/// `auto`, `natural`, `rcm`, `amd`.
[[nodiscard]] const char* to_string(Ordering ordering);

/// Returns true if this build has it: amd needs SuiteSparse.
[[nodiscard]] bool is_available(Ordering ordering);

/// Returns the vertex that comes k-th, for each k. Not for `automatic`. For `amd` the order is a postorder of the
/// elimination tree. Throws `platform` for `amd` in a build without SuiteSparse.
[[nodiscard]] std::vector<std::int32_t> order_by(Ordering ordering, const Adjacency& graph);

/// Returns the order of E. Cuthill and J. McKee, Reducing the Bandwidth of Sparse Symmetric Matrices, ACM '69, reversed
/// (A. George, 1971). Every component begins at a vertex that is far from others: A. George and J. W. H. Liu, An
/// Implementation of a Pseudoperipheral Node Finder, ACM TOMS 5 (1979).
[[nodiscard]] std::vector<std::int32_t> reverse_cuthill_mckee(const Adjacency& graph);

/// Returns the order of P. R. Amestoy, T. A. Davis and I. S. Duff, Algorithm 837: AMD, ACM TOMS 30 (2004), as
/// SuiteSparse has it. Throws `platform` without it.
[[nodiscard]] std::vector<std::int32_t> minimum_degree(const Adjacency& graph);

}  // namespace troupe::linalg
