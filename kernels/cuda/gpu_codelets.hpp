/// The functions that give the tile codelets their implementations for GPUs. A build without CUDA does not have these
/// functions; it has only `gpu_environment`, which then returns null.
#pragma once

#include "kernels/gpu_environment.hpp"
#include "troupe/codelet.hpp"

namespace troupe::kernels {

// Each function gives the tile codelet with the same name an implementation for `DeviceKind::cuda`. If the build had no
// compiler for device code, codelets that need Troupe's own kernels run only on cores (docs/gpu-kernels.md). A modelled
// GPU, whose data are in host memory, runs the implementation for cores. `T` is float or double.

template <class T>
void gpu_potrf(Codelet& codelet);
template <class T>
void gpu_trsm_cholesky(Codelet& codelet);
template <class T>
void gpu_syrk(Codelet& codelet);
template <class T>
void gpu_gemm_nt(Codelet& codelet);
template <class T>
void gpu_gemm_nn(Codelet& codelet);
template <class T>
void gpu_gemm_tn(Codelet& codelet);
template <class T>
void gpu_solve_lower(Codelet& codelet);
template <class T>
void gpu_solve_unit_lower(Codelet& codelet);
template <class T>
void gpu_solve_lower_transposed(Codelet& codelet);
template <class T>
void gpu_solve_upper(Codelet& codelet);
template <class T>
void gpu_getrf_without_pivoting(Codelet& codelet);
template <class T>
void gpu_trsm_right_upper(Codelet& codelet);
template <class T>
void gpu_getrf_panel(Codelet& codelet);
template <class T>
void gpu_swap_and_solve(Codelet& codelet);
template <class T>
void gpu_swap_rows(Codelet& codelet);
template <class T>
void gpu_geqrt(Codelet& codelet);
template <class T>
void gpu_gemqrt(Codelet& codelet);
template <class T>
void gpu_gemqrt_transposed(Codelet& codelet);
template <class T>
void gpu_tpqrt(Codelet& codelet);
template <class T>
void gpu_tpmqrt(Codelet& codelet);
template <class T>
void gpu_tpmqrt_transposed(Codelet& codelet);
template <class T>
void gpu_fill_symmetric(Codelet& codelet);

}  // namespace troupe::kernels
