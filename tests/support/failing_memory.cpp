#include "tests/support/failing_memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <new>

namespace troupe::tests {

namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
thread_local std::size_t allocations_left = kAll;

void* allocate(std::size_t size, std::size_t alignment) noexcept {
  if (allocations_left == 0) return nullptr;
  if (allocations_left != kAll) --allocations_left;
  alignment = std::max(alignment, alignof(std::max_align_t));
  return std::aligned_alloc(alignment, (std::max<std::size_t>(size, 1) + alignment - 1) / alignment * alignment);
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  if (void* memory = allocate(size, alignment)) return memory;
  throw std::bad_alloc();
}

}  // namespace

FailingMemory::FailingMemory(std::size_t allocations) { allocations_left = allocations; }
FailingMemory::~FailingMemory() { allocations_left = kAll; }

}  // namespace troupe::tests

// NOLINTBEGIN: those of the executable
void* operator new(std::size_t size) { return troupe::tests::allocate_or_throw(size, 1); }
void* operator new[](std::size_t size) { return troupe::tests::allocate_or_throw(size, 1); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return troupe::tests::allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return troupe::tests::allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return troupe::tests::allocate(size, 1); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return troupe::tests::allocate(size, 1); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
// NOLINTEND
