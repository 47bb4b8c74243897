/// Offset allocator: finds free blocks in an arena, without touching the arena's memory.
#pragma once

#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

#include "troupe/units.hpp"

namespace troupe::memory {

/// Allocates blocks of an arena. It never touches the arena's memory, so it serves device memory, host memory and
/// models. Takes the smallest free block that is large enough; among equals, the block at the lowest offset. Joins free
/// blocks that are neighbours. Offsets and sizes are multiples of `kAlignment`. Each call takes O(log n) for n free
/// blocks. Not thread-safe.
class OffsetAllocator {
 public:
  static constexpr std::uint64_t kAlignment = 256;
  /// The number of a block that was allocated and not yet freed.
  using Block = std::uint32_t;
  static constexpr Block kNone = 0xffffffff;

  /// `capacity` is rounded down to the alignment. At most 1 TiB less 256 bytes are used.
  explicit OffsetAllocator(Bytes capacity);

  /// Returns the memory that a block of this size takes: `size` rounded up to a multiple of `kAlignment`, above zero.
  [[nodiscard]] static Bytes rounded(Bytes size);

  /// Allocates a block; returns `kNone` if no free block is large enough.
  [[nodiscard]] Block allocate(Bytes size);
  void free(Block block);

  /// Returns the offset in bytes from the beginning of the arena.
  [[nodiscard]] std::uint64_t offset(Block block) const { return blocks_[block].offset * kAlignment; }
  [[nodiscard]] Bytes size(Block block) const { return {blocks_[block].size * kAlignment}; }

  [[nodiscard]] Bytes capacity() const { return {capacity_ * kAlignment}; }
  [[nodiscard]] Bytes used() const { return {(capacity_ - free_) * kAlignment}; }
  [[nodiscard]] Bytes free_bytes() const { return {free_ * kAlignment}; }
  [[nodiscard]] Bytes largest_free() const;

 private:
  /// A block, allocated or free. `offset` and `size` count pieces of `kAlignment` bytes. `before` and `after` are the
  /// block's neighbours in the arena.
  struct Piece {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    Block before = kNone;
    Block after = kNone;
    bool free = false;
  };
  struct Hole {
    std::uint64_t size = 0;
    std::uint64_t offset = 0;
    Block block = kNone;
    friend bool operator<(const Hole& a, const Hole& b) {
      return std::tie(a.size, a.offset) < std::tie(b.size, b.offset);
    }
  };

  Block new_piece();
  void add_hole(Block block);
  void remove_hole(Block block);
  /// Joins `block` and the next block into one.
  void join_next(Block block);

  std::uint64_t capacity_;
  std::uint64_t free_;
  std::vector<Piece> blocks_;
  std::vector<Block> unused_;
  std::set<Hole> holes_;
};

}  // namespace troupe::memory
