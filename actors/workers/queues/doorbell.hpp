/// Doorbell: a worker's thread sleeps here until another thread rings.
#pragma once

#include <atomic>
#include <cstdint>

namespace troupe::workers {

/// Any thread may ring the bell, and one thread waits. A ring while no thread waits is kept, and several rings count as
/// one.
class Doorbell {
 public:
  void ring() noexcept {
    if (rung_.exchange(1, std::memory_order_seq_cst) == 0) rung_.notify_one();
  }
  /// Returns when the bell has been rung since the last `clear` or `wait`.
  void wait() noexcept {
    while (rung_.exchange(0, std::memory_order_seq_cst) == 0) rung_.wait(0, std::memory_order_relaxed);
  }
  /// Forgets earlier rings. A caller that looks for work after this call sees all work for which the bell was rung
  /// before.
  void clear() noexcept {
    if (rung_.load(std::memory_order_relaxed) != 0) rung_.exchange(0, std::memory_order_seq_cst);
  }

 private:
  std::atomic<std::uint32_t> rung_{0};
};

}  // namespace troupe::workers
