/// The number of threads of the BLAS library, which is set to one while Troupe's kernels use BLAS. Private to kernels/.
#pragma once

#include <atomic>

#include "proto/mutex.hpp"

// The symbols are weak, because the program may be linked with a BLAS library that does not have these functions.
extern "C" {
[[gnu::weak]] void openblas_set_num_threads(int);
[[gnu::weak]] int openblas_get_num_threads();
}

namespace troupe::kernels {

/// Counts the users that need BLAS to run in one thread. There is one object, because the number of threads is one
/// setting for the whole process.
struct BlasSetting {
  Mutex mutex;
  /// The number of live objects of `single_threaded_blas`. Written under the lock. Reads may be relaxed, because a
  /// worker gets a task that calls BLAS only after this number was raised.
  std::atomic<int> users{0};
  /// True if Troupe has set the number of threads to one and has saved the program's own number in `of_the_program`.
  /// Written under the lock; a thread that reads an old value reads the value again under the lock.
  std::atomic<bool> taken{false};
  int of_the_program TROUPE_GUARDED_BY(mutex) = 1;

  [[nodiscard]] static bool can_be_set() {
    return openblas_set_num_threads != nullptr && openblas_get_num_threads != nullptr;
  }
  void take() TROUPE_REQUIRES(mutex) {
    const int now = openblas_get_num_threads();
    if (now == 1 && taken.load(std::memory_order_relaxed)) return;
    of_the_program = now;
    taken.store(true, std::memory_order_relaxed);
    openblas_set_num_threads(1);
  }
  void give_back() TROUPE_REQUIRES(mutex) {
    if (!taken.exchange(false, std::memory_order_relaxed)) return;
    // If the program has set another number meanwhile, keep that number.
    if (openblas_get_num_threads() == 1) openblas_set_num_threads(of_the_program);
  }
};
inline BlasSetting blas_setting;

/// Must be called before each call of BLAS: since the last call, the program may have set the number of threads, or
/// `give_back` may have restored the program's number.
inline void before_blas() {
  if (blas_setting.users.load(std::memory_order_relaxed) == 0 || !BlasSetting::can_be_set()) return;
  if (openblas_get_num_threads() == 1 && blas_setting.taken.load(std::memory_order_relaxed)) return;
  const LockGuard lock(blas_setting.mutex);
  blas_setting.take();
}

}  // namespace troupe::kernels
