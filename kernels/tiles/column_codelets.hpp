/// The tile codelets that work on a block column: LU with partial pivoting. kernels/codelets.hpp describes their data
/// and arguments.
#pragma once

#include "kernels/tiles/codelet_making.hpp"

namespace troupe::kernels::tiles {

template <class T>
Codelet getrf_panel(const Modes& modes);
template <class T>
Codelet swap_and_solve(const Modes& modes);
template <class T>
Codelet swap_rows(const Modes& modes);

void check_getrf_panel(Conditions& c);
void check_swap_and_solve(Conditions& c);
void check_swap_rows(Conditions& c);

}  // namespace troupe::kernels::tiles
