/// Matrix products for benchmarks of the service: the work of its well-behaved client, and of some of its attackers.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "troupe/runtime.hpp"

namespace troupe::bench {

/// Submits products. Products of the same block run one after the other, those of different blocks at the same time.
class Products {
 public:
  /// Makes `independent` blocks of order `order`, with their factors, and waits until they are filled.
  Products(Runtime& runtime, std::int64_t order, int independent);

  /// Submits products until `until`, with 64 in flight, and returns their number.
  std::int64_t run_until(std::chrono::steady_clock::time_point until);

 private:
  Runtime& runtime_;
  std::vector<Data> blocks_;
};

/// Small products with which a program keeps all workers busy; each takes far less than a millisecond.
constexpr std::int64_t kSmallOrder = 160;
constexpr int kSmallIndependent = 16;

}  // namespace troupe::bench
