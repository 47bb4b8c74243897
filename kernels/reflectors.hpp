/// Householder reflectors in blocks, stored as by LAPACK's geqrt, gemqrt, tpqrt and tpmqrt.
#pragma once

#include "troupe/layout.hpp"
#include "troupe/team.hpp"

namespace troupe::kernels {

// The number of rows of T is the inner block size. The factors differ from LAPACK's only by rounding; T's lower
// triangles are zero. Nearly all of the work is matrix products in which one dimension is the inner block size: a block
// is factorized by recursion on its halves (Elmroth and Gustavson, IBM J. Res. Dev. 44, 2000). Work space is kept per
// thread. The members of a team divide the columns to which reflectors are applied; one member factorizes.

/// Computes the QR factorization of A: A <- R and reflectors. A must have at least as many rows as columns.
template <class T>
void geqrt(Team& team, MatrixView<T> a, MatrixView<T> t);
/// Computes C <- Q C (`trans` 'N') or Q^T C ('T'). V's upper triangle is not read.
template <class T>
void gemqrt(Team& team, char trans, MatrixView<const T> v, MatrixView<const T> t, MatrixView<T> c);
/// Computes the QR factorization of the upper triangle of `upper` (as many of its first rows as B has columns) on top
/// of B.
template <class T>
void tpqrt(Team& team, MatrixView<T> upper, MatrixView<T> b, MatrixView<T> t);
/// Computes [A; B] <- Q [A; B] or Q^T [A; B], where only the first rows of A take part, as many as V has columns.
template <class T>
void tpmqrt(Team& team, char trans, MatrixView<const T> v, MatrixView<const T> t, MatrixView<T> a, MatrixView<T> b);

}  // namespace troupe::kernels
