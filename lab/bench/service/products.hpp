/// Matrix products for benchmarks of the service: the work of the well-behaved client (the victim), and of some
/// attackers.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "troupe/runtime.hpp"

namespace troupe::bench {

/// Submits products. Products on the same block run one after the other, products on different blocks at the same time.
class Products {
 public:
  /// Makes `independent` blocks of order `order`, with the factors of their products, and waits until they are filled.
  Products(Runtime& runtime, std::int64_t order, int independent);

  /// Submits products until the time `until`, with 64 products in flight, and returns their number.
  std::int64_t run_until(std::chrono::steady_clock::time_point until);

 private:
  Runtime& runtime_;
  std::vector<Data> blocks_;
};

/// The size and number of small products. Each takes far less than a millisecond, and they keep all workers busy.
constexpr std::int64_t kSmallOrder = 160;
constexpr int kSmallIndependent = 16;

}  // namespace troupe::bench
