#include "linalg/sparse/block_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

namespace troupe::linalg {
namespace {

/// Returns the masks of one row of super-blocks, by column.
std::vector<kernels::BlockMask> masks_of(const BlockPattern& pattern, int super_row, int side, int supers) {
  std::vector<kernels::BlockMask> masks(static_cast<std::size_t>(supers), 0);
  for (int i = 0; i < side && super_row * side + i < pattern.blocks(); ++i) {
    pattern.for_row(super_row * side + i, 0,
                    [&](int j) { masks[static_cast<std::size_t>(j / side)] |= kernels::block_bit(i, j % side, side); });
  }
  return masks;
}

}  // namespace

void check_cut(const BlockCut& cut) {
  constexpr std::int64_t kLargestBlock = 1 << 14;
  if (cut.block < 1 || cut.block > kLargestBlock) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("a block of {} rows cannot be: give from 1 to {}", cut.block, kLargestBlock));
  }
  if (cut.side < 1 || cut.side > kernels::kLargestSide) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("a super-block cannot have {0} x {0} blocks: its mask holds 1 x 1 to {1} x {1}", cut.side,
                            kernels::kLargestSide));
  }
}

template <class T>
BlockMatrix<T>::BlockMatrix(Runtime& runtime, BlockPattern pattern, const BlockCut& cut, BlockStorage storage)
    : runtime_(&runtime), pattern_(std::move(pattern)), cut_(cut) {
  check_cut(cut);
  supers_ = (pattern_.blocks() + cut.side - 1) / cut.side;
  for (int row = 0; row < supers_; ++row) {
    row_begin_.push_back(super_blocks_.size());
    const std::vector<kernels::BlockMask> masks = masks_of(pattern_, row, cut.side, supers_);
    for (int col = 0; col < supers_; ++col) {
      const kernels::BlockMask mask = masks[static_cast<std::size_t>(col)];
      if (mask == 0) continue;
      StoredSuperBlock stored;
      stored.row_ = row;
      stored.col_ = col;
      stored.mask_ = mask;
      if (storage == BlockStorage::memory) {
        const auto count =
            static_cast<std::size_t>(cut.block * cut.block) * static_cast<std::size_t>(std::popcount(mask));
        try {
          stored.elements_ = std::make_unique<T[]>(count);
        } catch (const std::bad_alloc&) {
          throw Error(ErrorCode::out_of_memory, fmt::format("no memory for {} blocks of {} x {} ({} bytes)",
                                                            stored_blocks(), cut.block, cut.block, bytes().count));
        }
      }
      super_blocks_.push_back(std::move(stored));
    }
  }
  row_begin_.push_back(super_blocks_.size());
  // Register the data after all memory has been allocated. If an allocation failed later, the registered data would
  // have to be released, which itself needs memory.
  for (StoredSuperBlock& stored : super_blocks_) {
    stored.data_ = runtime.matrix(stored.elements_.get(), cut.block, cut.block * std::popcount(stored.mask_), cut.block,
                                  fmt::format("A({},{})", stored.row_, stored.col_));
  }
}

template <class T>
Bytes BlockMatrix<T>::bytes() const {
  return {static_cast<std::uint64_t>(stored_blocks() * cut_.block * cut_.block) * sizeof(T)};
}

template <class T>
const typename BlockMatrix<T>::StoredSuperBlock* BlockMatrix<T>::find(int row, int col) const {
  const auto first = super_blocks_.begin() + static_cast<std::ptrdiff_t>(row_begin(row));
  const auto last = super_blocks_.begin() + static_cast<std::ptrdiff_t>(row_begin(row + 1));
  const auto found =
      std::lower_bound(first, last, col, [](const StoredSuperBlock& stored, int of) { return stored.col() < of; });
  return found != last && found->col() == col ? &*found : nullptr;
}

template <class T>
kernels::SuperBlock<T> BlockMatrix<T>::super_block(const StoredSuperBlock& stored) const {
  const MatrixView<T> packed{stored.elements_.get(), cut_.block, cut_.block * std::popcount(stored.mask_), cut_.block};
  return {packed, stored.mask_, cut_.side};
}

template <class T>
MatrixView<T> BlockMatrix<T>::block(int i, int j) const {
  return super_block(*find(i / cut_.side, j / cut_.side)).block(i % cut_.side, j % cut_.side);
}

template <class T>
void BlockMatrix<T>::bring_home() const {
  for (const StoredSuperBlock& stored : super_blocks_) (void)runtime_->acquire(stored.handle(), AccessMode::read);
}

template class BlockMatrix<float>;
template class BlockMatrix<double>;

}  // namespace troupe::linalg
