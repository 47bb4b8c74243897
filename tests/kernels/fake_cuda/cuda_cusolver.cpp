// A fake cuSOLVER with the functions that Troupe calls. Checks the arguments like the real library, and runs the calls
// with the host's LAPACK on the streams of the fake CUDA runtime library.
#include <cusolverDn.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/fortran.hpp"
#include "tests/kernels/fake_cuda/cuda_cusolver_handle.hpp"
#include "tests/kernels/fake_cuda/cuda_device_call.hpp"

namespace troupe::tests::fake_cuda {
namespace {

/// Returns the size of a work space. It differs from the size of the block, so that a wrong size is noticed.
int work_size(int rows, int cols) { return 64 + 3 * std::max(rows, cols); }

template <class T>
DeviceBlock block(const T* data, int rows, int cols, int ld) {
  return {data, rows, cols, ld, sizeof(T)};
}

bool fits(const DeviceBlock& block) {
  return block.rows >= 0 && block.cols >= 0 && block.ld >= std::max<std::int64_t>(block.rows, 1);
}

/// Enqueues a call that uses block `a`, perhaps also block `besides`, and a work space. The status goes to `info`.
template <class T, class F>
cusolverStatus_t enqueue(cusolverDnHandle_t handle, const DeviceBlock& a, const T* work, int* info, F call,
                         const DeviceBlock& besides = {}) {
  if (handle == nullptr) return CUSOLVER_STATUS_NOT_INITIALIZED;
  int device = -1;
  if (cudaGetDevice(&device) != cudaSuccess || device != handle->device) return CUSOLVER_STATUS_INTERNAL_ERROR;
  if (!fits(a)) return CUSOLVER_STATUS_INVALID_VALUE;
  const int size = work_size(static_cast<int>(a.rows), static_cast<int>(a.cols));
  const cudaError_t launched = device_calls().launch(handle->stream, [=](const FakeLaunch& launch) {
    if (!touches(launch, a) || !touches(launch, besides) || !touches(launch, block(work, size, 1, size)) ||
        !touches(launch, block(info, 1, 1, 1))) {
      return;
    }
    *info = call();
  });
  return launched == cudaSuccess ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_EXECUTION_FAILED;
}

/// Computes a Cholesky factorization. Returns the order of the first leading minor that is not positive; 0 if all are
/// positive. cuSOLVER 12 on an H200 returns a wrong order if this order is a multiple of 64: the next order, or 0 if
/// there is no next one. This function does the same. The diagonal element of the bad minor becomes NaN.
template <class T>
int factorize_definite(cublasFillMode_t uplo, int n, T* a, int lda) {
  constexpr int kColumns = 64;
  const int minor = kernels::fortran::potrf(uplo == CUBLAS_FILL_MODE_LOWER ? 'L' : 'U', n, a, lda);
  if (minor <= 0) return minor;
  const std::ptrdiff_t last = minor - 1;
  a[last + last * lda] = std::numeric_limits<T>::quiet_NaN();
  if (minor % kColumns != 0) return minor;
  return minor == n ? 0 : minor + 1;
}

template <class T>
cusolverStatus_t potrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* a, int lda, T* work, int size,
                       int* info) {
  if (size < work_size(n, n)) return CUSOLVER_STATUS_INVALID_VALUE;
  return enqueue(handle, block(a, n, n, lda), work, info, [=] { return factorize_definite(uplo, n, a, lda); });
}

/// Factorizes without pivoting and continues after a zero pivot. Reports the last zero pivot, because cuSOLVER's manual
/// does not promise the first one.
template <class T>
int factorize(int n, T* a, std::ptrdiff_t lda) {
  int info = 0;
  for (int k = 0; k < n; ++k) {
    if (a[k + k * lda] == T{0}) info = k + 1;
    for (int i = k + 1; i < n; ++i) a[i + k * lda] /= a[k + k * lda];
    for (int j = k + 1; j < n; ++j) {
      for (int i = k + 1; i < n; ++i) a[i + j * lda] -= a[i + k * lda] * a[k + j * lda];
    }
  }
  return info;
}

/// Factorizes with pivoting. Reports the last zero pivot, like `factorize`. NaN counts as zero, like in cuSOLVER 13 on
/// an H100: for a panel with a NaN it returned no NaN, and for a column of NaN it returned zeros.
template <class T>
int factorize_with_pivots(int m, int n, T* a, std::ptrdiff_t lda, int* pivots) {
  for (int j = 0; j < n; ++j) {
    T* const column = a + j * lda;
    std::replace_if(
        column, column + m, [](T x) { return std::isnan(x); }, T{0});
  }
  int info = kernels::fortran::getrf(m, n, a, static_cast<int>(lda), pivots);
  for (int k = 0; k < std::min(m, n); ++k) {
    if (a[k + k * lda] == T{0}) info = k + 1;
  }
  return info;
}

template <class T>
cusolverStatus_t getrf(cusolverDnHandle_t handle, int m, int n, T* a, int lda, T* work, int* pivots, int* info) {
  if (pivots != nullptr) {
    const DeviceBlock all = block(pivots, std::min(m, n), 1, std::min(m, n));
    return enqueue(
        handle, block(a, m, n, lda), work, info, [=] { return factorize_with_pivots(m, n, a, lda, pivots); }, all);
  }
  if (m != n) return CUSOLVER_STATUS_NOT_SUPPORTED;  // Without pivoting, Troupe only factorizes square blocks.
  return enqueue(handle, block(a, n, n, lda), work, info, [=] { return factorize(n, a, lda); });
}

}  // namespace
}  // namespace troupe::tests::fake_cuda

namespace fake = troupe::tests::fake_cuda;

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* handle) {
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return CUSOLVER_STATUS_NOT_INITIALIZED;
  *handle = new cusolverDnContext{device, nullptr};
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDestroy(cusolverDnHandle_t handle) {
  delete handle;
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnSetStream(cusolverDnHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUSOLVER_STATUS_SUCCESS;
}

#define TROUPE_FAKE(T, p)                                                                                             \
  cusolverStatus_t cusolverDn##p##potrf_bufferSize(cusolverDnHandle_t, cublasFillMode_t, int n, T*, int, int* size) { \
    *size = fake::work_size(n, n);                                                                                    \
    return CUSOLVER_STATUS_SUCCESS;                                                                                   \
  }                                                                                                                   \
  cusolverStatus_t cusolverDn##p##potrf(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T* a, int lda,       \
                                        T* work, int size, int* info) {                                               \
    return fake::potrf(handle, uplo, n, a, lda, work, size, info);                                                    \
  }                                                                                                                   \
  cusolverStatus_t cusolverDn##p##getrf_bufferSize(cusolverDnHandle_t, int m, int n, T*, int, int* size) {            \
    *size = fake::work_size(m, n);                                                                                    \
    return CUSOLVER_STATUS_SUCCESS;                                                                                   \
  }                                                                                                                   \
  cusolverStatus_t cusolverDn##p##getrf(cusolverDnHandle_t handle, int m, int n, T* a, int lda, T* work, int* pivots, \
                                        int* info) {                                                                  \
    return fake::getrf(handle, m, n, a, lda, work, pivots, info);                                                     \
  }
TROUPE_FAKE(float, S)
TROUPE_FAKE(double, D)
#undef TROUPE_FAKE
