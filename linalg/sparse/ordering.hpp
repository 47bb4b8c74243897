/// The order in which the unknowns of a sparse system are eliminated.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "linalg/sparse/adjacency.hpp"

namespace troupe::linalg {

enum class Ordering {
  /// The ordering below for which the factorization by blocks is predicted to be the fastest.
  automatic,
  /// The order in which the unknowns are given.
  natural,
  /// Reverse Cuthill-McKee, which moves all elements close to the diagonal. There is no fill-in outside of a band, and
  /// blocks have few zeros.
  rcm,
  /// Approximate minimum degree, which gives the fewest nonzero elements; these may be spread over many blocks.
  amd,
};

inline constexpr std::array kOrderings{Ordering::automatic, Ordering::natural, Ordering::rcm, Ordering::amd};

/// Returns `auto`, `natural`, `rcm` or `amd`.
[[nodiscard]] const char* to_string(Ordering ordering);

/// Returns true if this build has the ordering: `amd` needs SuiteSparse.
[[nodiscard]] bool is_available(Ordering ordering);

/// Returns the order of the vertices: entry k is the k-th vertex. `ordering` must not be `automatic`. For `amd` the
/// order is a postorder of the elimination tree. Throws `platform` for `amd` in a build without SuiteSparse.
[[nodiscard]] std::vector<std::int32_t> order_by(Ordering ordering, const Adjacency& graph);

/// Returns the order of E. Cuthill and J. McKee, Reducing the Bandwidth of Sparse Symmetric Matrices, ACM '69, reversed
/// (A. George, 1971). Every component begins at a vertex that is far from the other vertices: A. George and J. W. H.
/// Liu, An Implementation of a Pseudoperipheral Node Finder, ACM TOMS 5 (1979).
[[nodiscard]] std::vector<std::int32_t> reverse_cuthill_mckee(const Adjacency& graph);

/// Returns the order of P. R. Amestoy, T. A. Davis and I. S. Duff, Algorithm 837: AMD, ACM TOMS 30 (2004), as
/// implemented in SuiteSparse. Throws `platform` in a build without SuiteSparse.
[[nodiscard]] std::vector<std::int32_t> minimum_degree(const Adjacency& graph);

}  // namespace troupe::linalg
