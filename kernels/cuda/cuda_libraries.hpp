/// The functions of cuBLAS and cuSOLVER, loaded when a kernel first needs them: nothing of CUDA is linked.
#pragma once

#include <cublas_v2.h>
#include <cusolverDn.h>

#include <string>

#include "troupe/errors.hpp"

namespace troupe::kernels {

/// Names with the suffix `_v2` are what cublas_v2.h makes of those without it.
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

/// A function of the library under its own name.
struct CublasApi {
  TROUPE_CUBLAS_FUNCTIONS(TROUPE_CUDA_MEMBER)
  /// The path that the library was loaded from, for people.
  std::string path;
};

struct CusolverApi {
  TROUPE_CUSOLVER_FUNCTIONS(TROUPE_CUDA_MEMBER)
  std::string path;
};

#undef TROUPE_CUDA_MEMBER

/// Return the libraries that belong to the toolkit of this build ("libcublas.so.13", "libcusolver.so.12"), found as by
/// `platform::open_cuda_library`; loaded by the first call, which takes seconds. Fail with `platform` where that is not
/// possible. Any thread.
[[nodiscard]] Result<const CublasApi*> cublas_api();
[[nodiscard]] Result<const CusolverApi*> cusolver_api();

/// Throw `kernel_failed`, unless the call was successful: "cublasDgemm failed: CUBLAS_STATUS_INVALID_VALUE (…)".
void require(const CublasApi& api, cublasStatus_t status, const char* call);
void require(cusolverStatus_t status, const char* call);

}  // namespace troupe::kernels
