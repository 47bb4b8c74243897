/// The conditions of the tile codelets on shapes and arguments.
#pragma once

#include "kernels/checks/conditions.hpp"

/// Each function checks a task of the tile codelet with the same name, or of several codelets with the same conditions,
/// for float and double.
namespace troupe::kernels::demands {

void potrf(Conditions& c);
void trsm_right(Conditions& c);
void syrk(Conditions& c);
void gemm_nt(Conditions& c);
void gemm_nn(Conditions& c);
void gemm_tn(Conditions& c);
void solve(Conditions& c);
void getrf_panel(Conditions& c);
void swap_and_solve(Conditions& c);
void swap_rows(Conditions& c);
void getrf_incpiv(Conditions& c);
void gessm(Conditions& c);
void tstrf(Conditions& c);
void ssssm(Conditions& c);
void geqrt(Conditions& c);
void gemqrt(Conditions& c);
void tpqrt(Conditions& c);
void tpmqrt(Conditions& c);
void fill_symmetric(Conditions& c);

}  // namespace troupe::kernels::demands
