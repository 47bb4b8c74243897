/// The functions of cuBLAS and cuSOLVER. The libraries are loaded when a kernel first needs them, so the program is not
/// linked with CUDA.
#pragma once

#include <cublas_v2.h>
#include <cusolverDn.h>

#include <string>

#include "troupe/errors.hpp"

namespace troupe::kernels {

/// Some names have the suffix `_v2`, because cublas_v2.h defines the plain names as macros for these names.
#define TROUPE_CUBLAS_FUNCTIONS(X) \
  X(cublasCreate_v2)               \
  X(cublasDestroy_v2)              \
  X(cublasSetStream_v2)            \
  X(cublasSetWorkspace_v2)         \
  X(cublasSetMathMode)             \
  X(cublasGetStatusName)           \
  X(cublasGetStatusString)         \
  X(cublasSgemm_v2)                \
  X(cublasDgemm_v2)                \
  X(cublasSsyrk_v2)                \
  X(cublasDsyrk_v2)                \
  X(cublasStrsm_v2)                \
  X(cublasDtrsm_v2)                \
  X(cublasStrmm_v2)                \
  X(cublasDtrmm_v2)                \
  X(cublasSgemmBatched)            \
  X(cublasDgemmBatched)            \
  X(cublasStrsmBatched)            \
  X(cublasDtrsmBatched)            \
  X(cublasSgeam)                   \
  X(cublasDgeam)

#define TROUPE_CUSOLVER_FUNCTIONS(X) \
  X(cusolverDnCreate)                \
  X(cusolverDnDestroy)               \
  X(cusolverDnSetStream)             \
  X(cusolverDnSpotrf_bufferSize)     \
  X(cusolverDnDpotrf_bufferSize)     \
  X(cusolverDnSpotrf)                \
  X(cusolverDnDpotrf)                \
  X(cusolverDnSgetrf_bufferSize)     \
  X(cusolverDnDgetrf_bufferSize)     \
  X(cusolverDnSgetrf)                \
  X(cusolverDnDgetrf)

#define TROUPE_CUDA_MEMBER(name) decltype(&::name) name = nullptr;

/// The functions of cuBLAS. Each member has the name of its function.
struct CublasApi {
  TROUPE_CUBLAS_FUNCTIONS(TROUPE_CUDA_MEMBER)
  /// The path that the library was loaded from, for messages.
  std::string path;
};

struct CusolverApi {
  TROUPE_CUSOLVER_FUNCTIONS(TROUPE_CUDA_MEMBER)
  std::string path;
};

#undef TROUPE_CUDA_MEMBER

/// Return the libraries of the CUDA toolkit of this build ("libcublas.so.13", "libcusolver.so.12"), which
/// `platform::open_cuda_library` finds. The first call loads them, which takes seconds. Fail with `platform` if a
/// library cannot be loaded. May be called from any thread.
[[nodiscard]] Result<const CublasApi*> cublas_api();
[[nodiscard]] Result<const CusolverApi*> cusolver_api();

/// Throw `kernel_failed` if the call was not successful. An example of the text is "cublasDgemm failed:
/// CUBLAS_STATUS_INVALID_VALUE (…)".
void require(const CublasApi& api, cublasStatus_t status, const char* call);
void require(cusolverStatus_t status, const char* call);

}  // namespace troupe::kernels
