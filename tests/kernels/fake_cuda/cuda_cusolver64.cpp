// A fake of cuSOLVER's 64-bit interface, for the comparisons in troupe-gpu-bench.
#include <cusolverDn.h>

#include "kernels/fortran.hpp"
#include "tests/kernels/fake_cuda/cuda_cusolver_handle.hpp"
#include "tests/kernels/fake_cuda/cuda_device_call.hpp"

namespace fake = troupe::tests::fake_cuda;
namespace lapack = troupe::kernels::fortran;

namespace {

constexpr std::size_t kWorkBytes = 4096;

fake::DeviceBlock block(const void* data, std::int64_t rows, std::int64_t cols, std::int64_t ld) {
  return {data, rows, cols, ld, sizeof(double)};
}

bool supported(cublasFillMode_t uplo, cudaDataType type) {
  return uplo == CUBLAS_FILL_MODE_LOWER && type == CUDA_R_64F;
}

}  // namespace

cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t* params) {
  *params = nullptr;
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t) { return CUSOLVER_STATUS_SUCCESS; }

cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t, cusolverDnParams_t, cublasFillMode_t, std::int64_t,
                                             cudaDataType, const void*, std::int64_t, cudaDataType,
                                             std::size_t* on_device, std::size_t* on_host) {
  *on_device = kWorkBytes;
  *on_host = 0;
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t, cublasFillMode_t uplo, std::int64_t n,
                                  cudaDataType type, void* a, std::int64_t lda, cudaDataType, void* work,
                                  std::size_t size, void*, std::size_t, int* info) {
  if (!supported(uplo, type)) return CUSOLVER_STATUS_NOT_SUPPORTED;
  if (size < kWorkBytes || lda < n) return CUSOLVER_STATUS_INVALID_VALUE;
  const auto call = [=](const troupe::tests::FakeLaunch& launch) {
    if (!fake::touches(launch, block(a, n, n, lda)) || !launch.touches(work, size)) return;
    *info = lapack::potrf('L', static_cast<int>(n), static_cast<double*>(a), static_cast<int>(lda));
  };
  return fake::device_calls().launch(handle->stream, call) == cudaSuccess ? CUSOLVER_STATUS_SUCCESS
                                                                          : CUSOLVER_STATUS_EXECUTION_FAILED;
}

cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t handle, cusolverDnParams_t, cublasFillMode_t uplo, std::int64_t n,
                                  std::int64_t columns, cudaDataType type, const void* a, std::int64_t lda,
                                  cudaDataType, void* b, std::int64_t ldb, int* info) {
  if (!supported(uplo, type)) return CUSOLVER_STATUS_NOT_SUPPORTED;
  if (lda < n || ldb < n) return CUSOLVER_STATUS_INVALID_VALUE;
  const auto call = [=](const troupe::tests::FakeLaunch& launch) {
    if (!fake::touches(launch, block(a, n, n, lda)) || !fake::touches(launch, block(b, n, columns, ldb))) return;
    for (const char trans : {'N', 'T'}) {
      lapack::trsm('L', 'L', trans, 'N', static_cast<int>(n), static_cast<int>(columns), 1.0,
                   static_cast<const double*>(a), static_cast<int>(lda), static_cast<double*>(b),
                   static_cast<int>(ldb));
    }
    *info = 0;
  };
  return fake::device_calls().launch(handle->stream, call) == cudaSuccess ? CUSOLVER_STATUS_SUCCESS
                                                                          : CUSOLVER_STATUS_EXECUTION_FAILED;
}
