// A fake cuBLASXt, for the comparisons in troupe-gpu-bench. It runs the host's BLAS in host memory.
#include <cublasXt.h>

#include "kernels/fortran.hpp"

cublasStatus_t cublasXtCreate(cublasXtHandle_t* handle) {
  static int some;
  *handle = reinterpret_cast<cublasXtHandle_t>(&some);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasXtDestroy(cublasXtHandle_t) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t, int, int*) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t, int) { return CUBLAS_STATUS_SUCCESS; }

cublasStatus_t cublasXtDgemm(cublasXtHandle_t, cublasOperation_t ta, cublasOperation_t tb, std::size_t m, std::size_t n,
                             std::size_t k, const double* alpha, const double* a, std::size_t lda, const double* b,
                             std::size_t ldb, const double* beta, double* c, std::size_t ldc) {
  const auto as_int = [](std::size_t value) { return static_cast<int>(value); };
  troupe::kernels::fortran::gemm(ta == CUBLAS_OP_N ? 'N' : 'T', tb == CUBLAS_OP_N ? 'N' : 'T', as_int(m), as_int(n),
                                 as_int(k), *alpha, a, as_int(lda), b, as_int(ldb), *beta, c, as_int(ldc));
  return CUBLAS_STATUS_SUCCESS;
}
