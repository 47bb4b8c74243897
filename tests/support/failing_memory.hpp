/// Makes memory allocations fail. An executable that contains this code has its own global `operator new`.
#pragma once

#include <cstddef>

namespace troupe::tests {

/// While an object of this class lives, this thread can allocate memory `allocations` times. Later allocations fail.
class FailingMemory {
 public:
  explicit FailingMemory(std::size_t allocations = 0);
  ~FailingMemory();
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;
};

}  // namespace troupe::tests
