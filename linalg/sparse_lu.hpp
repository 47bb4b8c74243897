/// The access pattern of a sparse LU factorization by blocks.
#pragma once

#include <cstdint>

#include "client/runtime.hpp"
#include "client/tiled_matrix.hpp"
#include "kernels/codelets.hpp"

namespace troupe::linalg {

/// As J.-Y. Vet, P. Carribault and A. Cohen have it (Multigrain Affinity for Heterogeneous Work Stealing, 2012,
/// sections 2, 3 and 5): a third of the tiles off the diagonal is empty, which ones is drawn from `seed`; products with
/// an empty factor, and updates of an empty tile, are left out. The panel (steps 1 and 2) runs on cores alone;
/// accelerators take part in the products (step 3). For runs without content: what would fill in is not.
template <class T>
void sparse_lu_without_pivoting(Runtime& runtime, TiledMatrix<T>& a, const kernels::TileCodelets<T>& kernel,
                                std::uint64_t seed);

}  // namespace troupe::linalg
