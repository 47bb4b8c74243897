/// A mutex for what every task passes.
#pragma once

#include <atomic>
#include <cstdint>

#include "proto/mutex.hpp"

namespace troupe::graph {

/// As `Mutex`, but taking it and giving it back where nobody else wants it is one atomic operation each, without a
/// call: a quarter of the instructions of the system's. Who has to wait sleeps. Not for condition variables.
///
/// `free` -> `held` (`lock`) -> `free` (`unlock`); a thread that finds it held makes it `awaited`, and whoever gives
/// back an awaited one wakes one thread, which takes it as `awaited` again, as others may sleep still.
class TROUPE_LOCK("mutex") LightMutex {
 public:
  LightMutex() = default;
  LightMutex(const LightMutex&) = delete;
  LightMutex& operator=(const LightMutex&) = delete;

  void lock() noexcept TROUPE_ACQUIRES() {
    std::uint32_t state = kFree;
    // Acquire: what was done under the lock before, which `unlock` releases.
    if (!state_.compare_exchange_strong(state, kHeld, std::memory_order_acquire, std::memory_order_relaxed))
        [[unlikely]]
      wait();
  }
  void unlock() noexcept TROUPE_RELEASES() {
    if (state_.exchange(kFree, std::memory_order_release) == kAwaited) [[unlikely]]
      state_.notify_one();
  }

 private:
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kAwaited = 2;

  [[gnu::noinline, gnu::cold]] void wait() noexcept {
    while (state_.exchange(kAwaited, std::memory_order_acquire) != kFree) {
      state_.wait(kAwaited, std::memory_order_relaxed);
    }
  }

  std::atomic<std::uint32_t> state_{kFree};
};

}  // namespace troupe::graph
