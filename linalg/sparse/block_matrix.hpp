/// A sparse matrix of blocks, in super-blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/sparse/super_block.hpp"
#include "linalg/sparse/block_pattern.hpp"
#include "troupe/runtime.hpp"

namespace troupe::linalg {

/// The cut of a square matrix into blocks and super-blocks.
struct BlockCut {
  /// The number of rows of a block. The last block is as large as the others. The user of the matrix chooses the
  /// content of the rows beyond the matrix.
  std::int64_t block = 1;
  /// The number of blocks on a side of a super-block, at most `kernels::kLargestSide`. With 1, each block has a handle
  /// of its own.
  int side = 1;
};

/// Throws `invalid_argument` for impossible sizes. The message gives the possible sizes.
void check_cut(const BlockCut& cut);

/// The storage of the full blocks.
enum class BlockStorage {
  memory,
  /// The blocks have no memory, as with `TileStorage::none`: for runs in virtual time, whose tasks never touch data.
  none
};

/// A matrix that stores only its full blocks; the blocks of a super-block share one piece of memory and one handle. The
/// object is cheap to move; the runtime must outlive it. Before a program reads or writes elements, it must wait for
/// the tasks that use them.
template <class T>
class BlockMatrix {
 public:
  /// Makes a matrix whose full blocks are zero. Throws `out_of_memory`, `invalid_argument`.
  BlockMatrix(Runtime& runtime, BlockPattern pattern, const BlockCut& cut, BlockStorage storage = BlockStorage::memory);

  [[nodiscard]] const BlockPattern& pattern() const { return pattern_; }
  [[nodiscard]] const BlockCut& cut() const { return cut_; }
  /// `blocks` returns the number of blocks on a side of the matrix, `supers` the number of super-blocks on a side.
  [[nodiscard]] int blocks() const { return pattern_.blocks(); }
  [[nodiscard]] int supers() const { return supers_; }
  /// Returns the number of rows, including the padding in the last block.
  [[nodiscard]] std::int64_t rows() const { return blocks() * cut_.block; }
  [[nodiscard]] std::int64_t stored_blocks() const { return pattern_.count(); }
  [[nodiscard]] Bytes bytes() const;

  /// A super-block that has at least one full block.
  class StoredSuperBlock {
   public:
    [[nodiscard]] int row() const { return row_; }
    [[nodiscard]] int col() const { return col_; }
    [[nodiscard]] kernels::BlockMask mask() const { return mask_; }
    [[nodiscard]] Handle handle() const { return data_.handle(); }

   private:
    friend class BlockMatrix;
    int row_ = 0;
    int col_ = 0;
    kernels::BlockMask mask_ = 0;
    std::unique_ptr<T[]> elements_;
    Data data_;
  };

  /// Returns the super-blocks that have full blocks, row by row, in each row by rising columns.
  [[nodiscard]] const std::vector<StoredSuperBlock>& super_blocks() const { return super_blocks_; }
  /// Returns the index of the first stored super-block in a row of super-blocks. Row I has the super-blocks from
  /// `row_begin(I)` to `row_begin(I + 1)` - 1.
  [[nodiscard]] std::size_t row_begin(int row) const { return row_begin_[static_cast<std::size_t>(row)]; }
  /// Returns the super-block; null if all its blocks are empty.
  [[nodiscard]] const StoredSuperBlock* find(int row, int col) const;

  /// Returns a view of the super-block in the program's memory.
  [[nodiscard]] kernels::SuperBlock<T> super_block(const StoredSuperBlock& stored) const;
  /// Returns a block that is full.
  [[nodiscard]] MatrixView<T> block(int i, int j) const;
  /// Returns an element of a block that is full.
  [[nodiscard]] T& operator()(std::int64_t row, std::int64_t col) const {
    return block(static_cast<int>(row / cut_.block), static_cast<int>(col / cut_.block))(row % cut_.block,
                                                                                         col % cut_.block);
  }

  /// Copies all parts of the matrix that accelerators have written back to the program's memory, and waits for these
  /// copies.
  void bring_home() const;

 private:
  Runtime* runtime_;
  BlockPattern pattern_;
  BlockCut cut_;
  int supers_;
  std::vector<StoredSuperBlock> super_blocks_;
  std::vector<std::size_t> row_begin_;
};

}  // namespace troupe::linalg
