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
    row_begin_.push_back(parts_.size());
    const std::vector<kernels::BlockMask> masks = masks_of(pattern_, row, cut.side, supers_);
    for (int col = 0; col < supers_; ++col) {
      const kernels::BlockMask mask = masks[static_cast<std::size_t>(col)];
      if (mask == 0) continue;
      Part part;
      part.row_ = row;
      part.col_ = col;
      part.mask_ = mask;
      if (storage == BlockStorage::memory) {
        const auto count =
            static_cast<std::size_t>(cut.block * cut.block) * static_cast<std::size_t>(std::popcount(mask));
        try {
          part.elements_ = std::make_unique<T[]>(count);
        } catch (const std::bad_alloc&) {
          throw Error(ErrorCode::out_of_memory, fmt::format("no memory for {} blocks of {} x {} ({} bytes)",
                                                            stored_blocks(), cut.block, cut.block, bytes().count));
        }
      }
      parts_.push_back(std::move(part));
    }
  }
  row_begin_.push_back(parts_.size());
  // Register the data after all memory has been allocated. If an allocation failed later, the registered data would
  // have to be released, which itself needs memory.
  for (Part& part : parts_) {
    part.data_ = runtime.matrix(part.elements_.get(), cut.block, cut.block * std::popcount(part.mask_), cut.block,
                                fmt::format("A({},{})", part.row_, part.col_));
  }
}

template <class T>
Bytes BlockMatrix<T>::bytes() const {
  return {static_cast<std::uint64_t>(stored_blocks() * cut_.block * cut_.block) * sizeof(T)};
}

template <class T>
const typename BlockMatrix<T>::Part* BlockMatrix<T>::find(int row, int col) const {
  const auto first = parts_.begin() + static_cast<std::ptrdiff_t>(row_begin(row));
  const auto last = parts_.begin() + static_cast<std::ptrdiff_t>(row_begin(row + 1));
  const auto found = std::lower_bound(first, last, col, [](const Part& part, int of) { return part.col() < of; });
  return found != last && found->col() == col ? &*found : nullptr;
}

template <class T>
kernels::SuperBlock<T> BlockMatrix<T>::super_block(const Part& part) const {
  const MatrixView<T> packed{part.elements_.get(), cut_.block, cut_.block * std::popcount(part.mask_), cut_.block};
  return {packed, part.mask_, cut_.side};
}

template <class T>
MatrixView<T> BlockMatrix<T>::block(int i, int j) const {
  return super_block(*find(i / cut_.side, j / cut_.side)).block(i % cut_.side, j % cut_.side);
}

template <class T>
void BlockMatrix<T>::bring_home() const {
  for (const Part& part : parts_) (void)runtime_->acquire(part.handle(), AccessMode::read);
}

template class BlockMatrix<float>;
template class BlockMatrix<double>;

}  // namespace troupe::linalg
