#include "platform/memory/host_pool.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "platform/machine/host_memory.hpp"

// AddressSanitizer's run-time library defines this function; in all other processes its address is null. A program may
// have been built with the sanitizer although this library was not.
extern "C" __attribute__((weak)) void __asan_poison_memory_region(const volatile void* begin, std::size_t size);

namespace troupe::platform {

namespace {

constexpr std::uint64_t kGranule = kBufferAlignment.count;
constexpr std::uint64_t kClassesPerDoubling = 16;
/// A pool keeps at most the machine's memory divided by this number.
constexpr std::uint64_t kMemoryPerPool = 16;
/// A kept block has at most the size that the pool may keep, divided by this number.
constexpr std::uint64_t kPoolPerBlock = 4;
constexpr int kLockTries = 1000;

/// A size class: its number, and the size of its blocks in bytes.
struct SizeClass {
  std::size_t number;
  std::uint64_t size;
};

/// Returns the class of a size. Up to 32 granules, each multiple of `kGranule` is a class. Above, each doubling is
/// divided into 16 classes.
constexpr SizeClass size_class_of(std::uint64_t size) {
  const std::uint64_t steps = (std::max<std::uint64_t>(size, 1) + kGranule - 1) / kGranule;
  if (steps <= 2 * kClassesPerDoubling) return {static_cast<std::size_t>(steps), steps * kGranule};
  const auto doublings = static_cast<unsigned>(std::bit_width(steps - 1) - std::bit_width(2 * kClassesPerDoubling - 1));
  const std::uint64_t units = (steps + (std::uint64_t{1} << doublings) - 1) >> doublings;
  return {static_cast<std::size_t>(kClassesPerDoubling * doublings + units), (units << doublings) * kGranule};
}

static_assert(size_class_of(1).size == 128 && size_class_of(8192).size == 8192 && size_class_of(8193).size == 8704);
static_assert(size_class_of(4096).number + 1 == size_class_of(4097).number);
static_assert(size_class_of(8192).number + 1 == size_class_of(8193).number);

}  // namespace

Bytes HostPool::most_kept_here() {
  if (__asan_poison_memory_region != nullptr) return {};
  return std::min(kUsualMost, Bytes{read_host_memory().total.count / kMemoryPerPool});
}

std::shared_ptr<HostPool> HostPool::make(Bytes most_kept) { return std::make_shared<HostPool>(most_kept); }

HostPool::~HostPool() { clear(); }

bool HostPool::try_to_lock() noexcept {
  for (int i = 0; i < kLockTries; ++i) {
    if (lock_.try_lock()) return true;
    SpinLock::pause();
  }
  return false;
}

HostPool::Stack& HostPool::stack_of(std::size_t size_class, int node) {
  auto found = std::ranges::find(nodes_, node, &Node::number);
  if (found == nodes_.end()) {
    const std::size_t classes = size_class_of(most_kept_.count / kPoolPerBlock).number + 1;
    found = nodes_.insert(nodes_.end(), {node, std::make_unique<Stack[]>(classes)});
  }
  return found->stacks[size_class];
}

void HostPool::add(Block& block) noexcept {
  block.older = newest_;
  (newest_ != nullptr ? newest_->newer : oldest_) = &block;
  newest_ = &block;
  block.below = block.stack->top;
  if (block.below != nullptr) block.below->above = &block;
  block.stack->top = &block;
  kept_.count += block.buffer.size().count;
}

void HostPool::remove(Block& block) noexcept {
  (block.newer != nullptr ? block.newer->older : newest_) = block.older;
  (block.older != nullptr ? block.older->newer : oldest_) = block.newer;
  (block.above != nullptr ? block.above->below : block.stack->top) = block.below;
  if (block.below != nullptr) block.below->above = block.above;
  block.newer = block.older = block.above = block.below = nullptr;
  kept_.count -= block.buffer.size().count;
}

std::unique_ptr<HostPool::Block> HostPool::take(Bytes size, int node, Stack*& stack) {
  if (!try_to_lock()) return nullptr;
  const LockGuard lock(lock_, std::adopt_lock);
  if (size.count > most_kept_.count / kPoolPerBlock) return nullptr;
  stack = &stack_of(size_class_of(size.count).number, node);
  Block* const top = stack->top;
  if (top != nullptr) remove(*top);
  return std::unique_ptr<Block>(top);
}

Result<std::unique_ptr<HostPool::Block>> HostPool::make_block(Bytes size, int node) {
  auto buffer = node < 0 ? HostBuffer::allocate(size) : HostBuffer::allocate_on(size, node);
  if (!buffer) return buffer.failure();
  auto block = std::make_unique<Block>();
  block->buffer = std::move(buffer).value();
  // Only large buffers are pinned, because smaller buffers share pages with others. A buffer that cannot be pinned is
  // used all the same.
  if (size >= kHugePage) {
    auto pinned = PinnedMemory::pin(block->buffer.data(), size);
    if (pinned) block->pinned = std::move(pinned).value();
  }
  return block;
}

Result<std::shared_ptr<std::byte>> HostPool::lend(Bytes size, int node) {
  if (size.count == 0) return std::shared_ptr<std::byte>();
  node = std::max(node, kAnyNode);
  Stack* stack = nullptr;
  std::unique_ptr<Block> block = take(size, node, stack);
  if (block == nullptr) {
    auto made = make_block(stack != nullptr ? Bytes{size_class_of(size.count).size} : size, node);
    if (!made) {
      clear();
      stack = nullptr;
      made = make_block(size, node);
    }
    if (!made) return made.failure();
    block = std::move(made).value();
    block->stack = stack;
  }
  std::byte* const data = block->buffer.data();
  // If the constructor of `std::shared_ptr` throws, it calls the deleter.
  return std::shared_ptr<std::byte>(data, GiveBack{shared_from_this(), block.release()});
}

void HostPool::GiveBack::operator()(std::byte* /*data*/) const noexcept {
  pool->give_back(std::unique_ptr<Block>(block));
}

void HostPool::give_back(std::unique_ptr<Block> block) noexcept {
  if (block->stack == nullptr) return;
  if (!try_to_lock()) return leave_turn(*block);
  Block* list = nullptr;
  {
    const LockGuard lock(lock_, std::adopt_lock);
    if (!std::exchange(block->in_turn, true)) {
      in_turn_.fetch_add(block->buffer.size().count, std::memory_order_relaxed);
    }
    list = remove_beyond(most_kept_);
    if (in_turn_.load(std::memory_order_relaxed) > most_kept_.count) {
      leave_turn(*block);
    } else {
      add(*block.release());
    }
  }
  free_all(list);
}

void HostPool::leave_turn(const Block& block) noexcept {
  if (block.in_turn) in_turn_.fetch_sub(block.buffer.size().count, std::memory_order_relaxed);
}

HostPool::Block* HostPool::remove_beyond(Bytes most) noexcept {
  Block* list = nullptr;
  while (in_turn_.load(std::memory_order_relaxed) > most.count && oldest_ != nullptr) {
    Block* const oldest = oldest_;
    remove(*oldest);
    leave_turn(*oldest);
    oldest->older = list;
    list = oldest;
  }
  return list;
}

void HostPool::free_all(Block* list) noexcept {
  while (list != nullptr) {
    const std::unique_ptr<Block> block(list);
    list = block->older;
  }
}

void HostPool::clear() noexcept {
  if (!try_to_lock()) return;
  Block* list = nullptr;
  {
    const LockGuard lock(lock_, std::adopt_lock);
    list = remove_beyond({});
  }
  free_all(list);
}

void HostPool::close() noexcept {
  Block* list = nullptr;
  {
    const LockGuard lock(lock_);
    most_kept_ = {};
    list = remove_beyond({});
  }
  free_all(list);
}

Bytes HostPool::kept() const {
  const LockGuard lock(lock_);
  return kept_;
}

}  // namespace troupe::platform
