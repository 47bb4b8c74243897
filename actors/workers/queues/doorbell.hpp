/// Where a worker's thread sleeps.
#pragma once

#include <atomic>
#include <cstdint>

namespace troupe::workers {

/// Any thread rings; one waits. A ring while nobody waits is kept, and several are one.
class Doorbell {
 public:
  void ring() noexcept {
    if (rung_.exchange(1, std::memory_order_seq_cst) == 0) rung_.notify_one();
  }
  /// Returns once it was rung since the last `clear` or `wait`.
  void wait() noexcept {
    while (rung_.exchange(0, std::memory_order_seq_cst) == 0) rung_.wait(0, std::memory_order_relaxed);
  }
  /// What it was rung for so far will be seen by whoever looks from here on.
  void clear() noexcept {
    if (rung_.load(std::memory_order_relaxed) != 0) rung_.exchange(0, std::memory_order_seq_cst);
  }

 private:
  std::atomic<std::uint32_t> rung_{0};
};

}  // namespace troupe::workers
