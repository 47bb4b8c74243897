/// The steps of LU without pivoting on super-blocks, as codelets.
#pragma once

#include <cstdint>

#include "troupe/codelet.hpp"

namespace troupe::kernels {

/// Codelets for cores, clusters of them, emulated accelerators and GPUs. A handle is a super-block as it is packed
/// (`SuperBlock`); its mask (uint64) is an argument, as is the number of blocks on a side (int64). Like `TileCodelets`
/// they keep the BLAS library single-threaded and count their operations. The division of a step into pieces does not
/// change the result, except on GPUs, which round differently. If the build had no compiler for device code, none runs
/// on a GPU.
template <class T>
struct SuperBlockCodelets {
  /// D rw, R w (int64, 2 of them); mask, side, first, least (double): D <- L and U. R: the number of pivots that
  /// were replaced, as their absolute value was below `least`, and the row of the first; D's first row is row `first`.
  /// With a `least` of zero a pivot of exactly zero throws `numerical` with its row, counted from 1.
  Codelet factorize;
  Codelet solve_upper;  ///< D r, A rw; masks of D and A, side: A <- A U^-1
  Codelet solve_lower;  ///< D r, B rw; masks of D and B, side: B <- L^-1 B, L with a unit diagonal
  Codelet multiply;     ///< A r, B r, C rw; masks of A, B and C, side: C <- C - A B, where C is full
};

/// The workers that share the pieces of a solve or a product.
enum class SuperTasks {
  /// The worker on which the task was placed; on a cluster the members of the team share the pieces.
  whole,
  /// The worker on which the task was placed begins, and cores that have nothing else to do help (`Codelet::pieces`).
  pieces
};

/// Returns the codelets for `T`, built at first use. `T` is float or double.
template <class T>
const SuperBlockCodelets<T>& super_block_codelets(SuperTasks tasks = SuperTasks::whole);

}  // namespace troupe::kernels
