/// The steps on super-blocks as batched calls. The blocks of each call are determined by the masks alone.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/sparse/block_places.hpp"
#include "kernels/sparse/super_block.hpp"

namespace troupe::kernels {

/// One call. Its operations are independent: no operation reads or writes the result of another.
struct BlockBatch {
  enum class Kind {
    factorize,    ///< result <- L and U of the result block; the call has only this block
    solve_upper,  ///< result <- result U^-1, U in the right operand; the left operand is not used
    solve_lower,  ///< result <- L^-1 result, L (unit) in the left operand; the right operand is not used
    multiply      ///< result <- result - left right
  };

  Kind kind = Kind::multiply;
  /// The index, within the super-block, of the row and column of the diagonal block to which the call belongs.
  int k = 0;
  /// Entries `first` to `first` + `count` - 1 of `BlockBatches::places` are the operands of the call.
  int first = 0;
  int count = 0;
};

/// A step's calls, in their order: at most one call of each kind for each diagonal block `BlockBatch::k`, and no call
/// without blocks. A result block gets its products in the order of rising k, as on cores.
class BlockBatches {
 public:
  [[nodiscard]] const std::vector<BlockBatch>& calls() const { return calls_; }
  [[nodiscard]] const BlockPlaces& places() const { return places_; }
  /// Returns the total number of blocks in this object's calls.
  [[nodiscard]] int count() const { return count_; }

  /// Adds a block to the last call if that call has this kind and this k. Otherwise begins a new call.
  void add(BlockBatch::Kind kind, int k, int left, int right, int result);

 private:
  std::vector<BlockBatch> calls_;
  BlockPlaces places_{};
  int count_ = 0;
};

/// Returns the calls for D <- L and U (`factorize_super_block`): all operands are blocks of D.
[[nodiscard]] BlockBatches factorization_batches(BlockMask d, int side);
/// Returns the calls for A <- A U^-1 (`SolveWithUpper`): left operands are blocks of A, right operands blocks of D.
[[nodiscard]] BlockBatches upper_solve_batches(BlockMask d, BlockMask a, int side);
/// Returns the calls for B <- L^-1 B (`SolveWithLower`): left operands are blocks of D, right operands blocks of B.
[[nodiscard]] BlockBatches lower_solve_batches(BlockMask d, BlockMask b, int side);
/// Returns the calls for C <- C - A B (`SubtractProduct`): left operands are blocks of A, right operands blocks of B.
[[nodiscard]] BlockBatches product_batches(BlockMask a, BlockMask b, BlockMask c, int side);

}  // namespace troupe::kernels
