#include "actors/memory/offset_allocator.hpp"

#include <algorithm>
#include <cassert>

namespace troupe::memory {

namespace {
constexpr std::uint64_t kMostUnits = 0xffffffff;

std::uint64_t units(Bytes size) { return OffsetAllocator::rounded(size).count / OffsetAllocator::kAlignment; }
}  // namespace

OffsetAllocator::OffsetAllocator(Bytes capacity)
    : capacity_(std::min(capacity.count / kAlignment, kMostUnits)), free_(capacity_) {
  if (capacity_ == 0) return;
  const Block whole = new_piece();
  blocks_[whole].size = capacity_;
  add_hole(whole);
}

Bytes OffsetAllocator::rounded(Bytes size) {
  const std::uint64_t rest = size.count % kAlignment;
  if (size.count == 0) return {kAlignment};
  return rest == 0 ? size : Bytes{size.count + (kAlignment - rest)};
}

OffsetAllocator::Block OffsetAllocator::allocate(Bytes size) {
  const std::uint64_t wanted = units(size);
  const auto hole = holes_.lower_bound(Hole{wanted, 0, 0});
  if (hole == holes_.end()) return kNone;
  const Block block = hole->block;
  holes_.erase(hole);
  blocks_[block].free = false;
  free_ -= wanted;
  if (blocks_[block].size > wanted) {
    const Block rest = new_piece();
    Piece& taken = blocks_[block];
    blocks_[rest] = {taken.offset + wanted, taken.size - wanted, block, taken.after, false};
    if (taken.after != kNone) blocks_[taken.after].before = rest;
    taken.after = rest;
    taken.size = wanted;
    add_hole(rest);
  }
  return block;
}

void OffsetAllocator::free(Block block) {
  assert(block < blocks_.size() && !blocks_[block].free && blocks_[block].size > 0 && "a block is freed once");
  free_ += blocks_[block].size;
  const Block after = blocks_[block].after;
  if (after != kNone && blocks_[after].free) {
    remove_hole(after);
    join_next(block);
  }
  const Block before = blocks_[block].before;
  if (before != kNone && blocks_[before].free) {
    remove_hole(before);
    join_next(before);
    block = before;
  }
  add_hole(block);
}

void OffsetAllocator::join_next(Block block) {
  const Block gone = blocks_[block].after;
  blocks_[block].size += blocks_[gone].size;
  blocks_[block].after = blocks_[gone].after;
  if (blocks_[gone].after != kNone) blocks_[blocks_[gone].after].before = block;
  blocks_[gone] = {};
  unused_.push_back(gone);
}

OffsetAllocator::Block OffsetAllocator::new_piece() {
  if (unused_.empty()) {
    blocks_.emplace_back();
    return static_cast<Block>(blocks_.size() - 1);
  }
  const Block block = unused_.back();
  unused_.pop_back();
  return block;
}

void OffsetAllocator::add_hole(Block block) {
  blocks_[block].free = true;
  holes_.insert({blocks_[block].size, blocks_[block].offset, block});
}

void OffsetAllocator::remove_hole(Block block) {
  holes_.erase({blocks_[block].size, blocks_[block].offset, block});
  blocks_[block].free = false;
}

Bytes OffsetAllocator::largest_free() const {
  return holes_.empty() ? Bytes{} : Bytes{holes_.rbegin()->size * kAlignment};
}

}  // namespace troupe::memory
