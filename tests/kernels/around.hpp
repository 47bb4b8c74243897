/// The shapes of tall tiles, which have rows above and below their diagonal block.
#pragma once

#include <cstdint>

namespace troupe::tests {

/// The numbers of rows of a tall tile above and below its diagonal block.
struct Around {
  std::int64_t above;
  std::int64_t below;
};
inline constexpr Around kAround[] = {{0, 0}, {3, 0}, {0, 4}, {5, 17}};

}  // namespace troupe::tests
