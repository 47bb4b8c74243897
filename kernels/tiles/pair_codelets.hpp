/// The tile codelets that work on pairs of tiles: LU with incremental pivoting, and QR. kernels/codelets.hpp describes
/// their data and arguments.
#pragma once

#include "kernels/tiles/codelet_making.hpp"

namespace troupe::kernels::tiles {

template <class T>
Codelet getrf_incpiv(const Modes& modes);
/// If `back` is true, the functions `gessm` and `ssssm` make the codelets that apply the inverse.
template <class T, bool back>
Codelet gessm(const Modes& modes);
template <class T>
Codelet tstrf(const Modes& modes);
template <class T, bool back>
Codelet ssssm(const Modes& modes);
template <class T>
Codelet geqrt(const Modes& modes);
/// `trans`: 'N' for Q, 'T' for its transpose.
template <class T, char trans>
Codelet gemqrt(const Modes& modes);
template <class T>
Codelet tpqrt(const Modes& modes);
template <class T, char trans>
Codelet tpmqrt(const Modes& modes);

void check_getrf_incpiv(Conditions& c);
void check_gessm(Conditions& c);
void check_tstrf(Conditions& c);
void check_ssssm(Conditions& c);
void check_geqrt(Conditions& c);
void check_gemqrt(Conditions& c);
void check_tpqrt(Conditions& c);
void check_tpmqrt(Conditions& c);

}  // namespace troupe::kernels::tiles
