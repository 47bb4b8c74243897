/// A lock that is held for a few dozen instructions only.
#pragma once

#include <atomic>
#include <thread>

#include "proto/mutex.hpp"

namespace troupe {

/// A test-and-test-and-set lock. After about a microsecond of waiting, the waiting thread yields its core: if there are
/// more threads than cores, the owner may need this core. Memory order: a thread that has called `lock` sees all that
/// was written before the last `unlock`.
class TROUPE_LOCK("spin lock") SpinLock {
 public:
  void lock() noexcept TROUPE_ACQUIRES() {
    for (int round = 0; locked_.exchange(true, std::memory_order_acquire); ++round) {
      while (locked_.load(std::memory_order_relaxed)) {
        if (++round > kSpins) {
          std::this_thread::yield();
        } else {
          pause();
        }
      }
    }
  }
  bool try_lock() noexcept TROUPE_TRY_ACQUIRES(true) {
    return !locked_.load(std::memory_order_relaxed) && !locked_.exchange(true, std::memory_order_acquire);
  }
  void unlock() noexcept TROUPE_RELEASES() { locked_.store(false, std::memory_order_release); }

  static void pause() noexcept {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

 private:
  static constexpr int kSpins = 64;
  std::atomic<bool> locked_{false};
};

}  // namespace troupe
