/// The steps of LU without pivoting on super-blocks, as codelets.
#pragma once

#include <cstdint>

#include "troupe/codelet.hpp"

namespace troupe::kernels {

/// Codelets for cores, clusters, emulated accelerators and GPUs. A handle is a packed super-block (`SuperBlock`). Its
/// mask (uint64) and the number of blocks on a side (int64) are arguments. Like `TileCodelets`, these codelets keep the
/// BLAS library single-threaded and count their operations. The division of a step into pieces does not change the
/// result, except on GPUs, which round differently. If the build had no compiler for device code, the codelets do not
/// run on GPUs.
///
/// A member's comment lists the handles with their modes (r read, w write, rw read and write), after the semicolon the
/// arguments by value, and after the colon what the kernel computes.
template <class T>
struct SuperBlockCodelets {
  /// D rw, R w (int64, 2 of them); mask, side, first, least (double): D <- L and U. The first row of D is row `first`
  /// of the whole matrix. R gets the number of pivots that were replaced because their absolute value was below
  /// `least`, and the row of the first such pivot. If `least` is zero, a pivot of exactly zero throws `numerical` with
  /// its row, counted from 1.
  Codelet factorize;
  Codelet solve_upper;  ///< D r, A rw; masks of D and A, side: A <- A U^-1
  Codelet solve_lower;  ///< D r, B rw; masks of D and B, side: B <- L^-1 B, L with a unit diagonal
  Codelet multiply;     ///< A r, B r, C rw; masks of A, B and C, side: C <- C - A B, where C is full
};

/// The workers that share the pieces of a solve or a product.
enum class SuperTasks {
  /// Only the worker on which the task was placed runs the pieces. On a cluster, the members of its team share the
  /// pieces.
  whole,
  /// The worker on which the task was placed begins, and idle cores help (`Codelet::pieces`).
  pieces
};

/// Returns the codelets for `T`, built at first use. `T` is float or double.
template <class T>
const SuperBlockCodelets<T>& super_block_codelets(SuperTasks tasks = SuperTasks::whole);

}  // namespace troupe::kernels
