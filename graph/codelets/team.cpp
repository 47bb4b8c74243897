#include "troupe/team.hpp"

#include <atomic>

namespace troupe {

void Team::hand_out(std::size_t count, Each call, void* work) {
  std::atomic<std::size_t> next{0};
  run([&](int, int) {
    // Relaxed: the `fetch_add` only has to give each number to one member. `enter` orders all other memory accesses.
    for (std::size_t i; (i = next.fetch_add(1, std::memory_order_relaxed)) < count;) call(work, i);
  });
}

}  // namespace troupe
