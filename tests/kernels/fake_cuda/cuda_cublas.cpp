// A fake cuBLAS with the functions that Troupe calls. Checks the arguments like the real library, and runs the calls
// with the host's BLAS on the streams of the fake CUDA runtime library.
#include <cublas_v2.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "kernels/fortran.hpp"
#include "tests/kernels/fake_cuda/cuda_device_call.hpp"
#include "tests/kernels/fake_cuda/cuda_tile_kernels.hpp"

extern "C" {
void strmm_(const char*, const char*, const char*, const char*, const int*, const int*, const float*, const float*,
            const int*, float*, const int*, std::size_t, std::size_t, std::size_t, std::size_t);
void dtrmm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*, const double*,
            const int*, double*, const int*, std::size_t, std::size_t, std::size_t, std::size_t);
}

// The control of the fake CUDA runtime library. The library that contains this file is linked to the fake runtime.
extern "C" troupe::tests::FakeCudaControl* fake_cuda_control();

struct cublasContext {
  int device = 0;
  cudaStream_t stream = nullptr;
  bool has_workspace = false;
};

namespace troupe::tests::fake_cuda {
namespace {

namespace blas = troupe::kernels::fortran;

void trmm(char side, char uplo, char trans, char diag, int m, int n, const float* a, int lda, float* b, int ldb) {
  const float one = 1;
  strmm_(&side, &uplo, &trans, &diag, &m, &n, &one, a, &lda, b, &ldb, 1, 1, 1, 1);
}
void trmm(char side, char uplo, char trans, char diag, int m, int n, const double* a, int lda, double* b, int ldb) {
  const double one = 1;
  dtrmm_(&side, &uplo, &trans, &diag, &m, &n, &one, a, &lda, b, &ldb, 1, 1, 1, 1);
}

char letter(cublasOperation_t operation) { return operation == CUBLAS_OP_N ? 'N' : 'T'; }
char letter(cublasFillMode_t uplo) { return uplo == CUBLAS_FILL_MODE_LOWER ? 'L' : 'U'; }
char letter(cublasSideMode_t side) { return side == CUBLAS_SIDE_LEFT ? 'L' : 'R'; }
char letter(cublasDiagType_t diag) { return diag == CUBLAS_DIAG_UNIT ? 'U' : 'N'; }

template <class T>
DeviceBlock block(const T* data, int rows, int cols, int ld) {
  return {data, rows, cols, ld, sizeof(T)};
}

bool fits(const DeviceBlock& block) {
  return block.rows >= 0 && block.cols >= 0 && block.ld >= std::max<std::int64_t>(block.rows, 1);
}

/// Makes the checks that the real library makes before a call returns, and enqueues the call. The handle must belong to
/// the current device. The handle must have a work space, because otherwise the real library would allocate memory.
cublasStatus_t enqueue(cublasHandle_t handle, const std::vector<DeviceBlock>& shapes, DeviceCalls::Call call) {
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  int device = -1;
  if (cudaGetDevice(&device) != cudaSuccess || device != handle->device) return CUBLAS_STATUS_INTERNAL_ERROR;
  if (!handle->has_workspace) return CUBLAS_STATUS_ALLOC_FAILED;
  for (const DeviceBlock& one : shapes) {
    if (!fits(one)) return CUBLAS_STATUS_INVALID_VALUE;
  }
  const cudaError_t launched = device_calls().launch(handle->stream, std::move(call));
  return launched == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

/// Checks the shapes of these blocks and enqueues a call that accesses them.
template <class F>
cublasStatus_t enqueue_on(cublasHandle_t handle, const std::vector<DeviceBlock>& blocks, F call) {
  return enqueue(handle, blocks, [blocks, call](const FakeLaunch& launch) {
    for (const DeviceBlock& one : blocks) {
      if (!touches(launch, one)) return;
    }
    call();
  });
}

template <class T>
cublasStatus_t gemm(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                    const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta, T* c, int ldc) {
  const bool plain_a = ta == CUBLAS_OP_N;
  const bool plain_b = tb == CUBLAS_OP_N;
  return enqueue_on(handle,
                    {block(a, plain_a ? m : k, plain_a ? k : m, lda), block(b, plain_b ? k : n, plain_b ? n : k, ldb),
                     block(c, m, n, ldc)},
                    [=, alpha = *alpha, beta = *beta] {
                      blas::gemm(letter(ta), letter(tb), m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
                    });
}

template <class T>
cublasStatus_t syrk(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n, int k, const T* alpha,
                    const T* a, int lda, const T* beta, T* c, int ldc) {
  const bool plain = trans == CUBLAS_OP_N;
  return enqueue_on(handle, {block(a, plain ? n : k, plain ? k : n, lda), block(c, n, n, ldc)},
                    [=, alpha = *alpha, beta = *beta] {
                      blas::syrk(letter(uplo), letter(trans), n, k, alpha, a, lda, beta, c, ldc);
                    });
}

template <class T>
cublasStatus_t trsm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t trans,
                    cublasDiagType_t diag, int m, int n, const T* alpha, const T* a, int lda, T* b, int ldb) {
  const int order = side == CUBLAS_SIDE_LEFT ? m : n;
  return enqueue_on(handle, {block(a, order, order, lda), block(b, m, n, ldb)}, [=, alpha = *alpha] {
    blas::trsm(letter(side), letter(uplo), letter(trans), letter(diag), m, n, alpha, a, lda, b, ldb);
  });
}

/// The arguments of a batched call. The addresses of its operands lie in the device's memory.
struct BatchCall {
  cublasHandle_t handle;
  int count;
  /// The shape of each operand's blocks, without addresses. The checks before the call is enqueued use these shapes.
  std::vector<DeviceBlock> shapes;
};

/// Reads the addresses of all operands, one operand after the other. Returns an empty list if the device cannot access
/// a block, or if a result is also used as another result or operand, which is a race on a GPU.
template <class T>
std::vector<std::vector<const T*>> read_addresses(const FakeLaunch& launch, const BatchCall& batch,
                                                  const std::vector<const T* const*>& arrays) {
  std::vector<std::vector<const T*>> all;
  std::map<const T*, int> used;
  for (std::size_t operand = 0; operand < arrays.size(); ++operand) {
    const auto count = static_cast<std::size_t>(batch.count);
    if (!launch.touches(arrays[operand], count * sizeof(T*))) return {};
    all.emplace_back(arrays[operand], arrays[operand] + count);
    for (const T* address : all.back()) {
      DeviceBlock block = batch.shapes[operand];
      block.data = address;
      if (!touches(launch, block)) return {};
      ++used[address];
    }
  }
  for (const T* result : all.back()) {
    // No device owns the null address, so this access makes the launch a fault.
    if (used[result] > 1 && !launch.touches(nullptr, 1)) return {};
  }
  return all;
}

/// Runs `call(addresses)` for each product or solve of the batch. `addresses` are the addresses of the operands.
template <class T, class F>
cublasStatus_t enqueue_batch(const BatchCall& batch, std::vector<const T* const*> arrays, F call) {
  if (batch.count < 0) return CUBLAS_STATUS_INVALID_VALUE;
  for (const T* const* array : arrays) {
    cudaPointerAttributes attributes{};
    if (cudaPointerGetAttributes(&attributes, array) != cudaSuccess || attributes.type != cudaMemoryTypeDevice) {
      return CUBLAS_STATUS_INVALID_VALUE;
    }
  }
  return enqueue(batch.handle, batch.shapes, [batch, arrays, call](const FakeLaunch& launch) {
    const auto all = read_addresses<T>(launch, batch, arrays);
    if (all.empty()) return;
    for (std::size_t i = 0; i < static_cast<std::size_t>(batch.count); ++i) {
      std::vector<const T*> one;
      for (const auto& operand : all) one.push_back(operand[i]);
      call(one);
    }
  });
}

template <class T>
cublasStatus_t gemm_batched(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k,
                            const T* alpha, const T* const* a, int lda, const T* const* b, int ldb, const T* beta,
                            T* const* c, int ldc, int count) {
  // Troupe never transposes the matrices of these products.
  if (ta != CUBLAS_OP_N || tb != CUBLAS_OP_N) return CUBLAS_STATUS_NOT_SUPPORTED;
  const BatchCall batch{
      handle, count, {block<T>(nullptr, m, k, lda), block<T>(nullptr, k, n, ldb), block<T>(nullptr, m, n, ldc)}};
  return enqueue_batch<T>(batch, {a, b, c}, [=, alpha = *alpha, beta = *beta](const std::vector<const T*>& one) {
    blas::gemm('N', 'N', m, n, k, alpha, one[0], lda, one[1], ldb, beta, const_cast<T*>(one[2]), ldc);
  });
}

template <class T>
cublasStatus_t trsm_batched(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                            cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T* alpha,
                            const T* const* a, int lda, T* const* b, int ldb, int count) {
  const int order = side == CUBLAS_SIDE_LEFT ? m : n;
  const BatchCall batch{handle, count, {block<T>(nullptr, order, order, lda), block<T>(nullptr, m, n, ldb)}};
  return enqueue_batch<T>(batch, {a, b}, [=, alpha = *alpha](const std::vector<const T*>& one) {
    blas::trsm(letter(side), letter(uplo), letter(trans), letter(diag), m, n, alpha, one[0], lda,
               const_cast<T*>(one[1]), ldb);
  });
}

template <class T>
cublasStatus_t triangular_product(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                                  cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T* alpha,
                                  const T* a, int lda, const T* b, int ldb, T* c, int ldc) {
  const int order = side == CUBLAS_SIDE_LEFT ? m : n;
  // Troupe only multiplies in place and with a factor of 1.
  if (*alpha != T{1} || b != c || ldb != ldc) return CUBLAS_STATUS_NOT_SUPPORTED;
  return enqueue_on(handle, {block(a, order, order, lda), block(b, m, n, ldb)},
                    [=] { trmm(letter(side), letter(uplo), letter(trans), letter(diag), m, n, a, lda, c, ldc); });
}

template <class T>
cublasStatus_t geam(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, const T* alpha,
                    const T* a, int lda, const T* beta, const T* b, int ldb, T* c, int ldc) {
  // Troupe never transposes the matrices that it adds.
  if (ta != CUBLAS_OP_N || tb != CUBLAS_OP_N) return CUBLAS_STATUS_NOT_SUPPORTED;
  // The result may be in the place of an operand only if both have the same layout.
  if ((a == c && lda != ldc) || (b == c && ldb != ldc)) return CUBLAS_STATUS_INVALID_VALUE;
  return enqueue_on(handle, {block(a, m, n, lda), block(b, m, n, ldb), block(c, m, n, ldc)},
                    [=, alpha = *alpha, beta = *beta] {
                      for (std::ptrdiff_t j = 0; j < n; ++j) {
                        for (std::ptrdiff_t i = 0; i < m; ++i) {
                          const T added = beta == T{0} ? T{0} : beta * b[i + j * ldb];
                          c[i + j * ldc] = alpha * a[i + j * lda] + added;
                        }
                      }
                    });
}

}  // namespace
}  // namespace troupe::tests::fake_cuda

namespace fake = troupe::tests::fake_cuda;

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  // Register Troupe's own kernels with the fake GPUs here, because every program that launches such a kernel also
  // creates a handle of this library.
  static const bool registered = [] {
    troupe::tests::register_tile_kernels(*fake_cuda_control());
    return true;
  }();
  (void)registered;
  int device = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return CUBLAS_STATUS_NOT_INITIALIZED;
  *handle = new cublasContext{device, nullptr, false};
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  // According to cuBLAS's manual, this call sets the work space to the default one.
  handle->has_workspace = false;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* memory, std::size_t size) {
  cudaPointerAttributes attributes{};
  if (reinterpret_cast<std::uintptr_t>(memory) % 256 != 0 || size == 0 ||
      cudaPointerGetAttributes(&attributes, memory) != cudaSuccess || attributes.type != cudaMemoryTypeDevice ||
      attributes.device != handle->device) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  handle->has_workspace = true;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t, cublasMath_t mode) {
  return mode == CUBLAS_DEFAULT_MATH ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS: return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_INVALID_VALUE: return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_EXECUTION_FAILED: return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_NOT_SUPPORTED: return "CUBLAS_STATUS_NOT_SUPPORTED";
    case CUBLAS_STATUS_ALLOC_FAILED: return "CUBLAS_STATUS_ALLOC_FAILED";
    default: return "CUBLAS_STATUS_INTERNAL_ERROR";
  }
}

const char* cublasGetStatusString(cublasStatus_t) { return "said by a fake"; }

#define TROUPE_FAKE(T, p)                                                                                              \
  cublasStatus_t cublas##p##gemm_v2(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n,   \
                                    int k, const T* alpha, const T* a, int lda, const T* b, int ldb, const T* beta,    \
                                    T* c, int ldc) {                                                                   \
    return fake::gemm(handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);                                   \
  }                                                                                                                    \
  cublasStatus_t cublas##p##syrk_v2(cublasHandle_t handle, cublasFillMode_t uplo, cublasOperation_t trans, int n,      \
                                    int k, const T* alpha, const T* a, int lda, const T* beta, T* c, int ldc) {        \
    return fake::syrk(handle, uplo, trans, n, k, alpha, a, lda, beta, c, ldc);                                         \
  }                                                                                                                    \
  cublasStatus_t cublas##p##trsm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,               \
                                    cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T* alpha,      \
                                    const T* a, int lda, T* b, int ldb) {                                              \
    return fake::trsm(handle, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb);                                   \
  }                                                                                                                    \
  cublasStatus_t cublas##p##gemmBatched(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m,      \
                                        int n, int k, const T* alpha, const T* const a[], int lda, const T* const b[], \
                                        int ldb, const T* beta, T* const c[], int ldc, int count) {                    \
    return fake::gemm_batched(handle, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, count);                    \
  }                                                                                                                    \
  cublasStatus_t cublas##p##trsmBatched(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,           \
                                        cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T* alpha,  \
                                        const T* const a[], int lda, T* const b[], int ldb, int count) {               \
    return fake::trsm_batched(handle, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb, count);                    \
  }                                                                                                                    \
  cublasStatus_t cublas##p##trmm_v2(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,               \
                                    cublasOperation_t trans, cublasDiagType_t diag, int m, int n, const T* alpha,      \
                                    const T* a, int lda, const T* b, int ldb, T* c, int ldc) {                         \
    return fake::triangular_product(handle, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb, c, ldc);             \
  }                                                                                                                    \
  cublasStatus_t cublas##p##geam(cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n,      \
                                 const T* alpha, const T* a, int lda, const T* beta, const T* b, int ldb, T* c,        \
                                 int ldc) {                                                                            \
    return fake::geam(handle, ta, tb, m, n, alpha, a, lda, beta, b, ldb, c, ldc);                                      \
  }
TROUPE_FAKE(float, S)
TROUPE_FAKE(double, D)
#undef TROUPE_FAKE
