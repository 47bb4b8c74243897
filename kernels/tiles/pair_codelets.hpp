/// The tile codelets that work on pairs of tiles: LU with incremental pivoting, and QR. kernels/codelets.hpp describes
/// their data and arguments.
#pragma once

#include "kernels/checks/pivots.hpp"
#include "kernels/tiles/codelet_making.hpp"

namespace troupe::kernels::tiles {

template <class T>
Codelet getrf_incpiv();
/// `apply` is `kernels::gessm` or `gessm_back`.
template <class T>
Codelet gessm(void (*apply)(In<T>, const CheckedPivots&, Out<T>));
template <class T>
Codelet tstrf();
/// `apply` is `kernels::ssssm` or `ssssm_back`.
template <class T>
Codelet ssssm(void (*apply)(In<T>, In<T>, const CheckedPivots&, Out<T>, Out<T>));
template <class T>
Codelet geqrt();
/// `trans`: 'N' for Q, 'T' for its transpose.
template <class T>
Codelet gemqrt(const char* name, char trans);
template <class T>
Codelet tpqrt();
template <class T>
Codelet tpmqrt(const char* name, char trans);

}  // namespace troupe::kernels::tiles
