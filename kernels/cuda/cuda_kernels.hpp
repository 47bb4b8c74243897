/// Functions that enqueue the kernels of kernels/cuda/cuda_tile_kernels.cu.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/block_column.hpp"
#include "kernels/cuda/cuda_kernel_shapes.hpp"
#include "kernels/cuda/cuda_stream.hpp"
#include "troupe/layout.hpp"

namespace troupe::kernels {

/// Returns true if this build had a compiler for device code. If not, the functions below throw `no_implementation`.
[[nodiscard]] bool has_device_code();

// All views refer to the device's memory. `T` is float or double. For empty blocks the functions enqueue nothing;
// otherwise they enqueue one launch, unless stated otherwise.

/// Returns the column in the form that the functions below take. Writes the places of its tiles to `places`, which is
/// in the device's memory and has an entry for each tile. Needs one launch for each group of up to `TilePlaces::kMost`
/// tiles.
template <class T>
TiledColumn<T> place_tiles(CudaStream& stream, const BlockColumn<T>& column, TilePlace<T>* places);

/// If `gather` is true, copies the column's rows, from row `offset` on, to W. Otherwise copies W to these rows. W has
/// the shape of these rows.
template <class T>
void copy_column(CudaStream& stream, const TiledColumn<T>& column, std::int64_t offset, MatrixView<T> w, bool gather);

/// Converts the pivots `given`, counted from 1 in a panel as LAPACK counts them, to `pivots`, counted from 0 in the
/// whole matrix. The panel has `rows` rows and begins with row `first` of the whole matrix. Both arrays are in the
/// device's memory. T only selects the kernel.
template <class T>
void settle_pivots(CudaStream& stream, const int* given, std::span<int> pivots, std::int64_t rows, std::int64_t first);

/// Exchanges rows `offset + i` and `pivots[i] - above` of C in the order of i, where i counts the pivots of all pieces.
/// If a pivot is not a row of C, nothing is exchanged for it; `info` (in the device's memory) becomes i + 1 for one
/// such i, or 0 if there is none. Returns false, and leaves `info` as it was, if C is empty or there are no pivots.
/// Needs one launch for each piece.
template <class T>
bool swap_rows(CudaStream& stream, const TiledColumn<T>& c, std::span<const std::span<const int>> pieces,
               std::int64_t offset, std::int64_t above, int* info);

/// Writes the unit lower triangle of V to W, with ones on the diagonal and zeros above. Both have the same shape.
template <class T>
void unit_lower(CudaStream& stream, MatrixView<const T> v, MatrixView<T> w);

/// The condition that the pivots of a factorization must meet. NaN and infinity do not count as `positive`.
enum class NeededPivots { not_zero, positive };

/// Writes to `info` (in the device's memory) the first i, from 1, where A(i, i) does not meet the condition; 0 if there
/// is none. A is square.
template <class T>
void first_bad_pivot(CudaStream& stream, MatrixView<const T> a, NeededPivots needed, int* info);

/// Writes to `info` (in the device's memory) the first column of A, from 1, with an element that is not finite. If all
/// elements are finite, writes a number that is larger than the number of columns. Enqueues a fill of `info` and one
/// launch.
template <class T>
void first_not_finite(CudaStream& stream, MatrixView<const T> a, int* info);

/// Fills A with the part of `symmetric_element`'s matrix that begins at (`row`, `col`).
template <class T>
void fill_symmetric(CudaStream& stream, MatrixView<T> a, std::int64_t row, std::int64_t col, std::uint64_t seed,
                    double diagonal);

/// Computes the QR factorization of a panel as one inner block, as LAPACK's geqrt does: A (rows >= columns) becomes R
/// and the reflectors, T their triangular factor.
template <class T>
void factor_reflectors(CudaStream& stream, MatrixView<T> a, MatrixView<T> t);

/// Computes the QR factorization of the upper triangle of R on top of B, as LAPACK's tpqrt does. B may have no rows.
template <class T>
void factor_stacked_reflectors(CudaStream& stream, MatrixView<T> r, MatrixView<T> b, MatrixView<T> t);

/// Writes to `pointers` (in the device's memory) the addresses of the blocks at the first `count` of `places`. `count`
/// must be above zero.
template <class T>
void note_blocks(CudaStream& stream, const BlockPlaces& places, int count, const BlockMemory<T>& memory,
                 BlockPointers<T>* pointers);

/// Computes A <- L (unit lower) and U without exchanging rows. A is square. `report` has two numbers: the number of
/// pivots of the super-block that were replaced so far, and the row of the first replaced pivot
/// (`SuperBlockCodelets::factorize`). `zero_pivot` is the first row of the super-block so far, from 1, whose pivot is
/// exactly zero; 0 if there is none. `report` and `zero_pivot` are in the device's memory.
template <class T>
void factor_block(CudaStream& stream, MatrixView<T> a, const PivotTask<T>& task, std::int64_t* report, int* zero_pivot);

}  // namespace troupe::kernels
