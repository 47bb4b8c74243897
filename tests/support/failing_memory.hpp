/// Memory that runs out. An executable that uses this has a global `operator new` of its own.
#pragma once

#include <cstddef>

namespace troupe::tests {

/// While an object of this class lives, this thread can allocate `allocations` pieces of memory and no more.
class FailingMemory {
 public:
  explicit FailingMemory(std::size_t allocations = 0);
  ~FailingMemory();
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;
};

}  // namespace troupe::tests
