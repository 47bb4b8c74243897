/// Functions of cuBLAS and cuSOLVER on views, with one name for float and double. Character arguments are as in BLAS.
/// All functions enqueue on the stream and return; for blocks without elements they do nothing. They throw
/// `kernel_failed`.
#pragma once

#include <type_traits>

#include "kernels/cuda/cuda_stream.hpp"

namespace troupe::kernels::cuda {

inline int as_int(std::int64_t value) { return static_cast<int>(value); }
inline cublasOperation_t operation(char trans) { return trans == 'N' ? CUBLAS_OP_N : CUBLAS_OP_T; }
inline cublasFillMode_t triangle(char uplo) { return uplo == 'L' ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER; }
inline cublasSideMode_t side_of(char side) { return side == 'L' ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT; }
inline cublasDiagType_t diagonal(char diag) { return diag == 'U' ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT; }

/// Returns the function for the element type `T` from two functions that differ only in the element type.
template <class T, class Single, class Double>
auto choose(Single single, Double two) {
  if constexpr (std::is_same_v<T, float>) {
    return single;
  } else {
    return two;
  }
}

/// Computes C <- alpha op(A) op(B) + beta C.
template <class T>
void gemm(CudaStream& s, char ta, char tb, T alpha, MatrixView<const T> a, MatrixView<const T> b, T beta,
          MatrixView<T> c) {
  const std::int64_t inner = ta == 'N' ? a.cols : a.rows;
  if (c.rows == 0 || c.cols == 0 || (inner == 0 && beta == T{1})) return;
  const auto call = choose<T>(s.blas().cublasSgemm_v2, s.blas().cublasDgemm_v2);
  require(s.blas(),
          call(s.blas_handle(), operation(ta), operation(tb), as_int(c.rows), as_int(c.cols), as_int(inner), &alpha,
               a.data, as_int(a.ld), b.data, as_int(b.ld), &beta, c.data, as_int(c.ld)),
          "cublasGemm");
}

/// Computes the lower triangle of C <- C - A A^T.
template <class T>
void subtract_own_product(CudaStream& s, MatrixView<const T> a, MatrixView<T> c) {
  if (c.cols == 0 || a.cols == 0) return;
  const T minus_one{-1};
  const T one{1};
  const auto call = choose<T>(s.blas().cublasSsyrk_v2, s.blas().cublasDsyrk_v2);
  require(s.blas(),
          call(s.blas_handle(), CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, as_int(c.cols), as_int(a.cols), &minus_one, a.data,
               as_int(a.ld), &one, c.data, as_int(c.ld)),
          "cublasSyrk");
}

/// Computes B <- op(A)^-1 B or B op(A)^-1, where A is a triangle.
template <class T>
void solve_triangular(CudaStream& s, char side, char uplo, char trans, char diag, MatrixView<const T> a,
                      MatrixView<T> b) {
  if (b.rows == 0 || b.cols == 0) return;
  const T one{1};
  const auto call = choose<T>(s.blas().cublasStrsm_v2, s.blas().cublasDtrsm_v2);
  require(s.blas(),
          call(s.blas_handle(), side_of(side), triangle(uplo), operation(trans), diagonal(diag), as_int(b.rows),
               as_int(b.cols), &one, a.data, as_int(a.ld), b.data, as_int(b.ld)),
          "cublasTrsm");
}

/// Square blocks of the same order, given by an array of their addresses in the device's memory.
template <class T>
struct Blocks {
  T* const* at;
  std::int64_t ld;
};

/// Computes C <- C - A B for each of `count` triples of blocks.
template <class T>
void subtract_products(CudaStream& s, std::int64_t order, std::int64_t count, Blocks<const T> a, Blocks<const T> b,
                       Blocks<T> c) {
  const T minus_one{-1};
  const T one{1};
  const auto call = choose<T>(s.blas().cublasSgemmBatched, s.blas().cublasDgemmBatched);
  const int n = as_int(order);
  require(s.blas(),
          call(s.blas_handle(), CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &minus_one, a.at, as_int(a.ld), b.at, as_int(b.ld),
               &one, c.at, as_int(c.ld), as_int(count)),
          "cublasGemmBatched");
}

/// Computes B <- A^-1 B or B A^-1 for each of `count` pairs of blocks, where A is a triangle.
template <class T>
void solve_triangles(CudaStream& s, char side, char uplo, char diag, std::int64_t order, std::int64_t count,
                     Blocks<const T> a, Blocks<T> b) {
  const T one{1};
  const auto call = choose<T>(s.blas().cublasStrsmBatched, s.blas().cublasDtrsmBatched);
  const int n = as_int(order);
  require(s.blas(),
          call(s.blas_handle(), side_of(side), triangle(uplo), CUBLAS_OP_N, diagonal(diag), n, n, &one, a.at,
               as_int(a.ld), b.at, as_int(b.ld), as_int(count)),
          "cublasTrsmBatched");
}

/// Computes B <- op(A) B, where A is an upper triangle.
template <class T>
void multiply_upper(CudaStream& s, char trans, MatrixView<const T> a, MatrixView<T> b) {
  if (b.rows == 0 || b.cols == 0) return;
  const T one{1};
  const auto call = choose<T>(s.blas().cublasStrmm_v2, s.blas().cublasDtrmm_v2);
  // The library works in place if B is also the result.
  require(s.blas(),
          call(s.blas_handle(), CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, operation(trans), CUBLAS_DIAG_NON_UNIT,
               as_int(b.rows), as_int(b.cols), &one, a.data, as_int(a.ld), b.data, as_int(b.ld), b.data, as_int(b.ld)),
          "cublasTrmm");
}

/// Computes C <- alpha A + beta B; B may be C.
template <class T>
void add(CudaStream& s, T alpha, MatrixView<const T> a, T beta, MatrixView<const T> b, MatrixView<T> c) {
  if (c.rows == 0 || c.cols == 0) return;
  const auto call = choose<T>(s.blas().cublasSgeam, s.blas().cublasDgeam);
  require(s.blas(),
          call(s.blas_handle(), CUBLAS_OP_N, CUBLAS_OP_N, as_int(c.rows), as_int(c.cols), &alpha, a.data, as_int(a.ld),
               &beta, b.data, as_int(b.ld), c.data, as_int(c.ld)),
          "cublasGeam");
}

/// Computes the Cholesky factor L of A in A's lower triangle. `info`, in the device's memory, gets the same value as in
/// LAPACK. A must not be empty.
template <class T>
void potrf(CudaStream& s, MatrixView<T> a, int* info) {
  int size = 0;
  const auto size_of = choose<T>(s.solver().cusolverDnSpotrf_bufferSize, s.solver().cusolverDnDpotrf_bufferSize);
  require(size_of(s.solver_handle(), CUBLAS_FILL_MODE_LOWER, as_int(a.cols), a.data, as_int(a.ld), &size),
          "cusolverDnPotrf_bufferSize");
  const auto call = choose<T>(s.solver().cusolverDnSpotrf, s.solver().cusolverDnDpotrf);
  T* const work = s.work_space<T>(static_cast<std::size_t>(size));
  require(call(s.solver_handle(), CUBLAS_FILL_MODE_LOWER, as_int(a.cols), a.data, as_int(a.ld), work, size, info),
          "cusolverDnPotrf");
}

/// Returns the number of elements that `getrf` needs as work space.
template <class T>
std::size_t getrf_work_size(CudaStream& s, MatrixView<T> a) {
  int size = 0;
  const auto size_of = choose<T>(s.solver().cusolverDnSgetrf_bufferSize, s.solver().cusolverDnDgetrf_bufferSize);
  require(size_of(s.solver_handle(), as_int(a.rows), as_int(a.cols), a.data, as_int(a.ld), &size),
          "cusolverDnGetrf_bufferSize");
  return static_cast<std::size_t>(size);
}

/// Computes A <- L (unit lower) and U. `pivots` and `info` are in the device's memory and get the same values as in
/// LAPACK; if `pivots` is null, no rows are exchanged. `info` is below zero for a wrong argument. A must not be empty.
template <class T>
void getrf(CudaStream& s, MatrixView<T> a, T* work, int* pivots, int* info) {
  const auto call = choose<T>(s.solver().cusolverDnSgetrf, s.solver().cusolverDnDgetrf);
  require(call(s.solver_handle(), as_int(a.rows), as_int(a.cols), a.data, as_int(a.ld), work, pivots, info),
          "cusolverDnGetrf");
}

}  // namespace troupe::kernels::cuda
