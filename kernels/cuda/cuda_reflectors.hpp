/// Tile QR on a GPU: LAPACK's geqrt, gemqrt, tpqrt and tpmqrt.
#pragma once

#include "kernels/cuda/cuda_stream.hpp"
#include "troupe/layout.hpp"

namespace troupe::kernels {

// All views are of the device's memory. An inner block is a block of as many columns as T has rows. All functions
// enqueue a few launches for each inner block, and use the work space of `stream`.

/// Computes the QR factorization of A (rows >= columns): A <- R and reflectors. Needs Troupe's own kernels.
template <class T>
void geqrt(CudaStream& stream, MatrixView<T> a, MatrixView<T> t);

/// Computes the QR factorization of the upper triangle of `upper` (as many of its first rows as B has columns) on top
/// of B. Needs Troupe's own kernels.
template <class T>
void tpqrt(CudaStream& stream, MatrixView<T> upper, MatrixView<T> b, MatrixView<T> t);

/// Computes C <- Q C (`trans` 'N') or Q^T C ('T'), where Q is given by V and T from `geqrt`. Needs Troupe's own
/// kernels.
template <class T>
void gemqrt(CudaStream& stream, char trans, MatrixView<const T> v, MatrixView<const T> t, MatrixView<T> c);

/// Computes [A; B] <- Q [A; B] or Q^T [A; B], where Q is given by V and T from `tpqrt`. Only the first rows of A take
/// part, as many as V has columns.
template <class T>
void tpmqrt(CudaStream& stream, char trans, MatrixView<const T> v, MatrixView<const T> t, MatrixView<T> a,
            MatrixView<T> b);

}  // namespace troupe::kernels
