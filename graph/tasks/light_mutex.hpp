/// A mutex for code that every task passes through.
#pragma once

#include <atomic>
#include <cstdint>

#include "proto/mutex.hpp"
#include "proto/spin_lock.hpp"

namespace troupe::graph {

/// A lock like `Mutex`, but without function calls. If no other thread wants the lock, locking and unlocking take one
/// atomic operation each: a quarter of the instructions of the system's mutex. A thread that has to wait looks a few
/// times before it sleeps, because the lock is held for less than a microsecond, and to wake a thread takes fifty. Not
/// for condition variables.
///
/// States: `free` -> `held` (`lock`) -> `free` (`unlock`). A thread that finds the mutex held sets it to `awaited`.
/// Unlocking an awaited mutex wakes one thread, which locks it as `awaited` again, because other threads may still
/// sleep.
class TROUPE_LOCK("mutex") LightMutex {
 public:
  LightMutex() = default;
  LightMutex(const LightMutex&) = delete;
  LightMutex& operator=(const LightMutex&) = delete;

  void lock() noexcept TROUPE_ACQUIRES() {
    std::uint32_t state = kFree;
    // The acquire order pairs with the release in `unlock`, which publishes what was done under the lock before.
    if (!state_.compare_exchange_strong(state, kHeld, std::memory_order_acquire, std::memory_order_relaxed))
        [[unlikely]]
      lock_awaited();
  }
  void unlock() noexcept TROUPE_RELEASES() {
    if (state_.exchange(kFree, std::memory_order_release) == kAwaited) [[unlikely]]
      state_.notify_one();
  }

 private:
  static constexpr std::uint32_t kFree = 0;
  static constexpr std::uint32_t kHeld = 1;
  static constexpr std::uint32_t kAwaited = 2;
  /// The number of looks. Together they take some ten microseconds. With as many, two kernels that submit children at
  /// the same time wait two thirds as long as without.
  static constexpr int kLooks = 300;

  [[gnu::noinline, gnu::cold]] void lock_awaited() noexcept {
    for (int i = 0; i < kLooks; ++i) {
      SpinLock::pause();
      std::uint32_t state = kFree;
      if (state_.load(std::memory_order_relaxed) == kFree &&
          state_.compare_exchange_weak(state, kHeld, std::memory_order_acquire, std::memory_order_relaxed)) {
        return;
      }
    }
    while (state_.exchange(kAwaited, std::memory_order_acquire) != kFree) {
      state_.wait(kAwaited, std::memory_order_relaxed);
    }
  }

  std::atomic<std::uint32_t> state_{kFree};
};

}  // namespace troupe::graph
