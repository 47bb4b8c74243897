/// Memory that runs out. Defines the global `operator new`, so one source file of an executable includes it.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>

namespace troupe::tests {

inline thread_local std::size_t allocations_left = std::numeric_limits<std::size_t>::max();

/// While one lives, this thread gets `allocations` pieces of memory and no more.
class FailingMemory {
 public:
  explicit FailingMemory(std::size_t allocations = 0) { allocations_left = allocations; }
  ~FailingMemory() { allocations_left = std::numeric_limits<std::size_t>::max(); }
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;
};

}  // namespace troupe::tests

void* operator new(std::size_t size) {
  if (troupe::tests::allocations_left == 0) throw std::bad_alloc();
  if (troupe::tests::allocations_left != std::numeric_limits<std::size_t>::max()) --troupe::tests::allocations_left;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t /*size*/) noexcept { std::free(memory); }
