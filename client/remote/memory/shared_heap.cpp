#include "client/remote/memory/shared_heap.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "proto/mutex.hpp"

namespace troupe::remote {

namespace {

constexpr std::uint64_t kAlignment = 64;

std::uint64_t rounded(Bytes size) {
  return std::max<std::uint64_t>((size.count + kAlignment - 1) / kAlignment * kAlignment, kAlignment);
}

}  // namespace

/// The blocks of a heap; the heap and every block keep this object alive.
class SharedHeap::Blocks {
 public:
  explicit Blocks(std::unique_ptr<SegmentSource> source) : source_(std::move(source)) {}
  ~Blocks() {
    for (const auto& [begin, arena] : arenas_) source_->release(arena.segment);
  }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  /// Returns the address of a block of `size` bytes; `size` is a multiple of the alignment.
  Result<std::byte*> take(std::uint64_t size) {
    const LockGuard lock(mutex_);
    const bool large = size >= kLarge.count;
    for (auto arena = large ? arenas_.end() : arenas_.begin(); arena != arenas_.end(); ++arena) {
      if (std::byte* block = cut(arena->second, size)) return block;
    }
    auto segment = source_->allocate({large ? size : std::max(size, next_arena())});
    if (!segment && !large && segment.failure().code == ErrorCode::out_of_memory) {
      segment = source_->allocate({std::max(size, kSmallestArena.count)});
    }
    if (!segment) return segment.failure();
    Arena& arena = arenas_[segment.value().data];
    arena.segment = segment.value();
    arena.large = large;
    arena.free.emplace(0, arena.segment.size.count / kAlignment * kAlignment);
    if (!large) total_ += arena.segment.size.count;
    return cut(arena, size);
  }

  void give_back(std::byte* block, std::uint64_t size) noexcept {
    const LockGuard lock(mutex_);
    const auto found = std::prev(arenas_.upper_bound(block));
    Arena& arena = found->second;
    arena.used -= size;
    // The last arena for small blocks is not released, for programs that allocate and free one small block again and
    // again.
    if (arena.used == 0 && (arena.large || total_ > arena.segment.size.count)) {
      if (!arena.large) total_ -= arena.segment.size.count;
      source_->release(arena.segment);
      arenas_.erase(found);
      return;
    }
    arena.join(static_cast<std::uint64_t>(block - arena.segment.data), size);
  }

  [[nodiscard]] std::optional<SharedAddress> find(const std::byte* data, std::uint64_t size) const {
    const LockGuard lock(mutex_);
    auto found = arenas_.upper_bound(const_cast<std::byte*>(data));
    if (found == arenas_.begin()) return std::nullopt;
    const Segment& segment = (--found)->second.segment;
    const auto offset = static_cast<std::uint64_t>(data - segment.data);
    if (offset > segment.size.count || size > segment.size.count - offset) return std::nullopt;
    return SharedAddress{segment.id, offset};
  }

  [[nodiscard]] std::size_t segments() const {
    const LockGuard lock(mutex_);
    return arenas_.size();
  }

 private:
  struct Arena {
    Segment segment;
    bool large = false;
    std::uint64_t used = 0;
    /// Maps the offset of each free piece to its size. Neighbouring pieces are joined.
    std::map<std::uint64_t, std::uint64_t> free;

    void join(std::uint64_t offset, std::uint64_t size) {
      auto after = free.lower_bound(offset);
      if (after != free.end() && after->first == offset + size) {
        size += after->second;
        after = free.erase(after);
      }
      if (after != free.begin()) {
        const auto before = std::prev(after);
        if (before->first + before->second == offset) {
          before->second += size;
          return;
        }
      }
      free.emplace(offset, size);
    }
  };

  [[nodiscard]] std::uint64_t next_arena() const TROUPE_REQUIRES(mutex_) {
    return std::clamp(total_ / 8, kSmallestArena.count, kLargestArena.count);
  }

  /// Takes a block from the first free piece that is large enough; returns null if there is none.
  static std::byte* cut(Arena& arena, std::uint64_t size) {
    const auto fits = [size](const auto& piece) { return piece.second >= size; };
    const auto found = std::find_if(arena.free.begin(), arena.free.end(), fits);
    if (found == arena.free.end()) return nullptr;
    const auto [offset, length] = *found;
    arena.free.erase(found);
    if (length > size) arena.free.emplace(offset + size, length - size);
    arena.used += size;
    return arena.segment.data + offset;
  }

  mutable Mutex mutex_;
  std::unique_ptr<SegmentSource> source_;
  /// The arenas, by their addresses in this program.
  std::map<std::byte*, Arena> arenas_ TROUPE_GUARDED_BY(mutex_);
  /// The total size, in bytes, of the arenas for small blocks.
  std::uint64_t total_ TROUPE_GUARDED_BY(mutex_) = 0;
};

SharedHeap::SharedHeap(std::unique_ptr<SegmentSource> source) : blocks_(std::make_shared<Blocks>(std::move(source))) {}
SharedHeap::~SharedHeap() = default;

Result<std::shared_ptr<std::byte>> SharedHeap::allocate(Bytes size) {
  const std::uint64_t whole = rounded(size);
  if (whole < size.count) return Failure{ErrorCode::out_of_memory, "a block that is larger than any memory"};
  const auto block = blocks_->take(whole);
  if (!block) return block.failure();
  return std::shared_ptr<std::byte>(block.value(),
                                    [blocks = blocks_, whole](std::byte* memory) { blocks->give_back(memory, whole); });
}

std::optional<SharedAddress> SharedHeap::find(const std::byte* data, Bytes size) const {
  return blocks_->find(data, size.count);
}

std::size_t SharedHeap::segments() const { return blocks_->segments(); }

}  // namespace troupe::remote
