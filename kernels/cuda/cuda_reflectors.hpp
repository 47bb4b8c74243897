/// Tile QR on a GPU: LAPACK's geqrt, gemqrt, tpqrt and tpmqrt.
#pragma once

#include "kernels/cuda/cuda_stream.hpp"
#include "troupe/layout.hpp"

namespace troupe::kernels {

// Views are of the device's memory. The inner block is the number of rows of T. All functions enqueue a few launches
// for each inner block, and work in the stream's memory.

/// A <- R and reflectors (rows >= columns). Needs our own kernels.
template <class T>
void geqrt(CudaStream& stream, MatrixView<T> a, MatrixView<T> t);

/// QR of the upper triangle of `upper` (its first columns-of-B rows) on top of B. Needs our own kernels.
template <class T>
void tpqrt(CudaStream& stream, MatrixView<T> upper, MatrixView<T> b, MatrixView<T> t);

/// C <- Q C (`trans` 'N') or Q^T C ('T'), Q from `geqrt`'s V and T. Needs our own kernels.
template <class T>
void gemqrt(CudaStream& stream, char trans, MatrixView<const T> v, MatrixView<const T> t, MatrixView<T> c);

/// [A; B] <- Q [A; B] or Q^T [A; B], Q from `tpqrt`'s V and T, with the first rows of A, as many as V has columns.
template <class T>
void tpmqrt(CudaStream& stream, char trans, MatrixView<const T> v, MatrixView<const T> t, MatrixView<T> a,
            MatrixView<T> b);

}  // namespace troupe::kernels
