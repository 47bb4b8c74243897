/// LU without pivoting of a sparse matrix of blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/codelets.hpp"
#include "kernels/factor.hpp"
#include "kernels/sparse/super_block_codelets.hpp"
#include "linalg/sparse/block_matrix.hpp"
#include "linalg/sparse/block_pattern.hpp"
#include "troupe/runtime.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::linalg {

/// One step of the factorization on super-blocks, described by numbers alone. For the k-th diagonal super-block, first
/// comes the step on the diagonal, then one step for each solve below and to the right of it, then one step for each
/// product of a lower super-block with an upper super-block.
struct BlockStep {
  enum class Kind { diagonal, lower, upper, product };
  Kind kind = Kind::diagonal;
  /// The super-block that the step changes (`row`, `col`), and the diagonal super-block to which the step belongs
  /// (`k`).
  int row = 0;
  int col = 0;
  int k = 0;
};

/// Returns the steps for a pattern, in the order of a sequential program. Updates of empty blocks are left out, and so
/// are products of super-blocks in which no two full blocks meet.
[[nodiscard]] std::vector<BlockStep> block_lu_steps(const BlockPattern& pattern, int side);

/// Returns the priorities of `steps` on a matrix with this cut: upward ranks, rounded as in the dense algorithms
/// (linalg/tile_priorities.hpp). If there is much work beside the critical path and super-blocks are small, groups of
/// super-blocks, about 960 rows on a side, share a rank. Consecutive tasks then find their blocks in the cache
/// (measured: docs/notes/measurements.md).
[[nodiscard]] std::vector<int> block_lu_priorities(const BlockPattern& pattern, const BlockCut& cut,
                                                   const std::vector<BlockStep>& steps);

/// The numbers of replaced pivots. The object must live until the tasks that use it have ended.
class ReplacedPivotCounts {
 public:
  /// Makes counts for `supers` diagonal super-blocks.
  ReplacedPivotCounts(Runtime& runtime, int supers);
  [[nodiscard]] Handle of(int k) const { return handles_[static_cast<std::size_t>(k)].handle(); }
  /// Returns the sum of all counts after all steps. Waits for the steps.
  [[nodiscard]] kernels::ReplacedPivots total() const;

 private:
  Runtime* runtime_;
  std::vector<Data> handles_;
};

/// Throws `invalid_argument` if a block on the diagonal is empty. The message names the first such block.
void require_diagonal(const BlockPattern& pattern);

/// The steps of the factorization for which `block_lu` submits tasks.
enum class BlockSteps {
  all,
  /// Only the products, as if the panels were already factorized. Use it to measure the products alone.
  products
};

/// Returns `all`, or `3` for the products: the paper (see `BlockStructure`) numbers the steps.
[[nodiscard]] const char* to_string(BlockSteps steps);

/// Returns the number of operations of these steps on super-blocks of `side` x `side` blocks of `block` rows. Products
/// inside super-blocks of a panel are part of the panel's steps, so a larger `side` leaves fewer `products`.
[[nodiscard]] double block_lu_flops(const BlockPattern& pattern, int side, std::int64_t block, BlockSteps steps);

/// The codelets of the tasks. If each super-block is a single block, steps off the diagonal use `tile`; all other steps
/// use `super`.
template <class T>
struct BlockLuKernels {
  kernels::SuperBlockCodelets<T> super;
  kernels::TileCodelets<T> tile;
};
/// Returns the codelets. If super-blocks have more than one block, `tasks` says whether idle cores help with the pieces
/// of a step.
template <class T>
[[nodiscard]] BlockLuKernels<T> block_lu_kernels(kernels::SuperTasks tasks = kernels::SuperTasks::whole);

struct BlockLuOptions {
  /// A pivot whose absolute value is below `least` is replaced by `least`, and is counted. If `least` is 0, a pivot
  /// that is exactly zero is a `numerical` failure.
  double least = 0;
  BlockSteps steps = BlockSteps::all;
};

/// Submits the tasks that overwrite `a` with L (unit lower) and U: one task for each step, with priorities by critical
/// path. In each block the same products are computed in the same order. So, on cores and emulated accelerators, the
/// bits of the result do not depend on the placement of tasks or on the side of super-blocks; GPUs round differently.
/// Throws `invalid_argument` if a block on the diagonal is empty.
template <class T>
void block_lu(Runtime& runtime, BlockMatrix<T>& a, const ReplacedPivotCounts& counts, const BlockLuOptions& options,
              const BlockLuKernels<T>& kernels);
template <class T>
void block_lu(Runtime& runtime, BlockMatrix<T>& a, const ReplacedPivotCounts& counts, double least,
              kernels::SuperTasks tasks = kernels::SuperTasks::whole) {
  block_lu(runtime, a, counts, {.least = least}, block_lu_kernels<T>(tasks));
}

/// Runs the steps of `block_lu` one after the other, in the calling thread.
template <class T>
kernels::ReplacedPivots block_lu_in_sequence(BlockMatrix<T>& a, double least);

/// Returns the largest difference between elements of `a` and `b`, divided by the largest element of `b`; 0 if all bits
/// are the same, NaN if some difference is NaN.
template <class T>
[[nodiscard]] double block_difference(const BlockMatrix<T>& a, const BlockMatrix<T>& b);

/// The rule by which a super-block gets its index of reuse (`Runtime::set_reuse`).
enum class BlockReuse {
  /// The sum of the row and column of the super-block: J.-Y. Vet, P. Carribault and A. Cohen (2012), section 4.1.
  position,
  /// The number of steps that use the super-block.
  uses
};
[[nodiscard]] const char* to_string(BlockReuse reuse);

/// Returns the index of reuse of each super-block, in the order of `BlockMatrix::super_blocks`.
template <class T>
[[nodiscard]] std::vector<std::int64_t> reuse_indexes(const BlockMatrix<T>& a, BlockReuse reuse,
                                                      BlockSteps steps = BlockSteps::all);
/// Passes the results of `reuse_indexes` to the runtime.
template <class T>
void set_reuse(Runtime& runtime, const BlockMatrix<T>& a, BlockReuse reuse, BlockSteps steps = BlockSteps::all);

/// The places where tasks of `block_lu_of_tiles` may run.
enum class PanelPlace {
  anywhere,
  /// The steps on the diagonal and the solves run only on cores, as in the paper (`BlockStructure`). Accelerators run
  /// the products.
  cores
};

/// Submits the tasks of `block_lu` on the tiles of `a`, which has as many tiles as the pattern has blocks. Meant for
/// runs in virtual time, where empty tiles need no memory. The tasks have no priorities, so the policy chooses the
/// order.
template <class T>
void block_lu_of_tiles(Runtime& runtime, TiledMatrix<T>& a, const BlockPattern& pattern,
                       const kernels::TileCodelets<T>& kernel, PanelPlace panel);

}  // namespace troupe::linalg
