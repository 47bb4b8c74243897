/// Reuse of host memory: blocks for data that are released are kept for the next data of the same size.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "platform/memory/host_buffer.hpp"
#include "platform/memory/pinned_memory.hpp"
#include "proto/spin_lock.hpp"
#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe::platform {

/// Lends blocks of host memory, and keeps the blocks that come back for later loans. Without the pool, each large block
/// would be mapped, filled with zeros by the system page by page, and unmapped again.
///
/// The sizes of blocks are rounded up to size classes, 16 for each doubling, so at most one sixteenth of a block is
/// lost. A block serves data of its own size class and its own NUMA node only. The block that came back last is lent
/// first, because caches may still hold it.
///
/// Blocks that have come back at least once take at most `most_kept` bytes in all, whether they are kept or lent again.
/// If a block that comes back would exceed this bound, the blocks that have been kept for the longest time go to the
/// system; if that is not enough, the returning block goes to the system, too. Lent blocks count because their pages
/// have memory: a program that makes data long before tasks touch them would otherwise take memory for all data that
/// wait. Blocks of more than a quarter of `most_kept` are not kept.
///
/// Thread-safe. No thread waits long: a thread that does not get the lock within microseconds uses the system instead
/// of the pool. So a child of `fork` does not wait for ever for a lock whose holder exists only in its parent.
class HostPool : public std::enable_shared_from_this<HostPool> {
 public:
  static constexpr Bytes kUsualMost{std::uint64_t{256} << 20U};
  /// The node of blocks whose pages come from wherever they are first touched.
  static constexpr int kAnyNode = -1;

  /// Returns the bound for a pool in this process: `kUsualMost`, and less on machines and in control groups with less
  /// than 4 GiB of memory. Returns zero if AddressSanitizer watches this process, because a block that is lent again
  /// would hide that its last user still uses it.
  [[nodiscard]] static Bytes most_kept_here();

  /// Makes a pool. It lives as long as the last of its owners and loans.
  [[nodiscard]] static std::shared_ptr<HostPool> make(Bytes most_kept);
  explicit HostPool(Bytes most_kept) : most_kept_(most_kept) {}
  HostPool(const HostPool&) = delete;
  HostPool& operator=(const HostPool&) = delete;
  ~HostPool();

  /// Lends `size` bytes, aligned as in `HostBuffer`, on NUMA node `node` (by the operating system's index) if `node` is
  /// not negative. The content is undefined. Blocks of at least `kHugePage` bytes are pinned for GPUs, if that is
  /// possible. The block returns when the last owner of the pointer is destroyed. Returns a null pointer if `size` is
  /// zero. If the system has no memory left, gives all kept blocks back to it and tries again. Fails with
  /// `out_of_memory`; the message gives the requested size.
  [[nodiscard]] Result<std::shared_ptr<std::byte>> lend(Bytes size, int node);

  /// Gives all kept blocks back to the system. Does nothing if the lock is not free within microseconds.
  void clear() noexcept;
  /// Gives all kept blocks back to the system, and keeps none from now on.
  void close() noexcept;
  /// Returns the memory that the pool keeps and nobody uses.
  [[nodiscard]] Bytes kept() const;

 private:
  struct Stack;
  /// A block of memory. While the pool keeps it, the block is in two lists: in the list of all kept blocks, from the
  /// newest to the oldest, and in the stack of its size class and node.
  struct Block {
    HostBuffer buffer;
    /// Declared after the buffer, so that the pinning ends before the memory is freed.
    PinnedMemory pinned;
    Stack* stack = nullptr;
    /// True if the block has been kept before, so that `in_turn_` counts it.
    bool in_turn = false;
    Block* newer = nullptr;
    Block* older = nullptr;
    Block* above = nullptr;
    Block* below = nullptr;
  };
  /// The kept blocks of one size class on one node.
  struct Stack {
    Block* top = nullptr;
  };
  struct Node {
    int number = kAnyNode;
    std::unique_ptr<Stack[]> stacks;
  };
  /// Gives a lent block back, in the thread that destroys the last owner.
  struct GiveBack {
    void operator()(std::byte* data) const noexcept;
    std::shared_ptr<HostPool> pool;
    Block* block;
  };

  [[nodiscard]] bool try_to_lock() noexcept TROUPE_TRY_ACQUIRES(true, lock_);
  /// Returns a kept block of the size class and node, or null. Sets `stack` to the stack to which such a block will
  /// return; leaves `stack` alone if the pool will not keep such a block.
  [[nodiscard]] std::unique_ptr<Block> take(Bytes size, int node, Stack*& stack);
  [[nodiscard]] static Result<std::unique_ptr<Block>> make_block(Bytes size, int node);
  [[nodiscard]] Stack& stack_of(std::size_t size_class, int node) TROUPE_REQUIRES(lock_);
  void add(Block& block) noexcept TROUPE_REQUIRES(lock_);
  void remove(Block& block) noexcept TROUPE_REQUIRES(lock_);
  /// Keeps the block, or frees it.
  void give_back(std::unique_ptr<Block> block) noexcept;
  /// Subtracts the size of the block from `in_turn_` if it was counted there, because the block will be freed.
  void leave_turn(const Block& block) noexcept;
  /// Removes the oldest blocks until `in_turn_` is at most `most`, or no block is kept. Returns the removed blocks as a
  /// list linked through `older`.
  [[nodiscard]] Block* remove_beyond(Bytes most) noexcept TROUPE_REQUIRES(lock_);
  static void free_all(Block* list) noexcept;

  mutable SpinLock lock_;
  Bytes most_kept_ TROUPE_GUARDED_BY(lock_);
  Bytes kept_ TROUPE_GUARDED_BY(lock_);
  /// The bytes of all blocks that have been kept and not been freed since: of kept blocks and of some lent blocks.
  /// Relaxed accesses suffice: all but one are made under the lock, and the remaining access only subtracts.
  std::atomic<std::uint64_t> in_turn_{0};
  std::vector<Node> nodes_ TROUPE_GUARDED_BY(lock_);
  Block* newest_ TROUPE_GUARDED_BY(lock_) = nullptr;
  Block* oldest_ TROUPE_GUARDED_BY(lock_) = nullptr;
};

}  // namespace troupe::platform
