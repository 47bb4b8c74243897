/// Parts of a vector, for tests of parts that change.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "troupe/runtime.hpp"

namespace troupe::tests {

/// Returns consecutive blocks of a vector with these numbers of elements.
inline std::vector<Block> blocks_of(std::initializer_list<std::int64_t> sizes) {
  std::vector<Block> blocks;
  std::int64_t begin = 0;
  for (const std::int64_t size : sizes) {
    blocks.push_back({begin, 0, size, 1});
    begin += size;
  }
  return blocks;
}

/// Twelve ones that are registered, in three parts of four.
struct InParts {
  explicit InParts(Runtime& runtime)
      : whole(runtime.vector(x, "x")), parts(runtime.partition(whole, blocks_of({4, 4, 4}))) {}
  std::vector<double> x = std::vector<double>(12, 1.0);
  Vector<double> whole;
  std::vector<Handle> parts;
};

}  // namespace troupe::tests
