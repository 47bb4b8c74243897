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

/// One step of the factorization on super-blocks, as numbers alone. For the k-th diagonal super-block there is first
/// the step on the diagonal, then one for each solve below it and right of it, then one for each product of a lower
/// with an upper one.
struct BlockStep {
  enum class Kind { diagonal, lower, upper, product };
  Kind kind = Kind::diagonal;
  /// The super-block that the step changes, and the diagonal one that it belongs to.
  int row = 0;
  int col = 0;
  int k = 0;
};

/// Returns the steps for a pattern, in the order of a sequential program. Updates of empty blocks are left out, and so
/// are products of super-blocks in which no two full blocks meet.
[[nodiscard]] std::vector<BlockStep> block_lu_steps(const BlockPattern& pattern, int side);

/// Returns the priorities of such steps on a matrix with this cut: upward ranks, rounded as those of the dense
/// algorithms (linalg/tile_priorities.hpp). If there is much work beside the critical path and super-blocks are small,
/// groups of them, about 960 rows on a side, share a rank: consecutive tasks then find their blocks in the cache
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

/// Throws `invalid_argument` if a block on the diagonal is empty, and names the first.
void require_diagonal(const BlockPattern& pattern);

/// The steps of the factorization that are to be done.
enum class BlockSteps {
  all,
  /// Only the products, as if the panels had been factorized before: for measurements of the products alone.
  products
};

/// Returns `all` or `3`, as the paper (`BlockStructure`) numbers them.
[[nodiscard]] const char* to_string(BlockSteps steps);

/// Returns the operations of these steps on super-blocks of `side` x `side` blocks of `block` rows. Products inside
/// super-blocks of a panel are part of the panel's steps, so a larger `side` leaves fewer `products`.
[[nodiscard]] double block_lu_flops(const BlockPattern& pattern, int side, std::int64_t block, BlockSteps steps);

/// The codelets of the tasks: `super` on super-blocks and on each block of the diagonal, `tile` if super-blocks are
/// single blocks.
template <class T>
struct BlockLuKernels {
  kernels::SuperBlockCodelets<T> super;
  kernels::TileCodelets<T> tile;
};
/// Returns the codelets. `tasks` says which workers share the pieces of super-blocks of more than one block.
template <class T>
[[nodiscard]] BlockLuKernels<T> block_lu_kernels(kernels::SuperTasks tasks = kernels::SuperTasks::whole);

struct BlockLuOptions {
  /// A pivot whose absolute value is below `least` is replaced by `least`, and is counted. If `least` is 0, a pivot
  /// that is exactly zero is a `numerical` failure.
  double least = 0;
  BlockSteps steps = BlockSteps::all;
};

/// Submits the tasks that overwrite `a` by L (unit lower) and U: one for each step, with priorities by critical path.
/// In each block the same products come in the same order, so that on cores and emulated accelerators the bits depend
/// neither on the placement of tasks nor on the side of super-blocks; GPUs round in their own ways. Throws
/// `invalid_argument` if a block on the diagonal is empty.
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

/// Returns the largest difference divided by the largest element of `b`; 0 if all bits are the same, NaN if some
/// difference is NaN.
template <class T>
[[nodiscard]] double block_difference(const BlockMatrix<T>& a, const BlockMatrix<T>& b);

/// The rule by which a super-block gets its index of reuse (`Runtime::set_reuse`).
enum class BlockReuse {
  /// The sum of row and column: J.-Y. Vet, P. Carribault and A. Cohen (2012), section 4.1.
  position,
  /// The number of steps that use the super-block.
  uses
};
[[nodiscard]] const char* to_string(BlockReuse reuse);

/// Returns the index of each of `BlockMatrix::parts`.
template <class T>
[[nodiscard]] std::vector<std::int64_t> reuse_indexes(const BlockMatrix<T>& a, BlockReuse reuse,
                                                      BlockSteps steps = BlockSteps::all);
/// Passes the results of `reuse_indexes` to the runtime.
template <class T>
void set_reuse(Runtime& runtime, const BlockMatrix<T>& a, BlockReuse reuse, BlockSteps steps = BlockSteps::all);

/// The places where tasks of `block_lu_of_tiles` may run.
enum class PanelPlace {
  anywhere,
  /// The diagonal and the solves run on cores alone, as in the paper (`BlockStructure`); accelerators run the products.
  cores
};

/// Submits the tasks of `block_lu`, each on single tiles of `a`, which has as many tiles as the pattern has blocks: for
/// runs in virtual time, where empty tiles cost nothing. The policy chooses the order; the tasks have no priorities.
template <class T>
void block_lu_of_tiles(Runtime& runtime, TiledMatrix<T>& a, const BlockPattern& pattern,
                       const kernels::TileCodelets<T>& kernel, PanelPlace panel);

}  // namespace troupe::linalg
