/// The script tests/thread_safety_test.cmake compiles this file, but never links it. Without a definition, everything
/// in the file is right. Each definition adds one mistake.
#include <condition_variable>
#include <mutex>

#include "proto/mutex.hpp"
#include "proto/spin_lock.hpp"

namespace troupe {

class Account {
 public:
  int balance() {
#ifndef READS
    const LockGuard lock(mutex_);
#endif
    return balance_;
  }

  void pay(int amount) {
    UniqueLock lock(mutex_);
#ifdef LOOKS_IN_LAMBDA
    changed_.wait(lock, [this] { return balance_ > 0; });
#else
    changed_.wait(lock, [this]() TROUPE_REQUIRES(mutex_) { return balance_ > 0; });
#endif
    change(-amount);
    lock.unlock();
    changed_.notify_all();
#ifdef WRITES_AFTER_UNLOCK
    balance_ = 0;
#endif
    lock.lock();
    change(1);
  }

  bool try_to_receive(int amount) {
    if (!mutex_.try_lock()) return false;
    const LockGuard lock(mutex_, std::adopt_lock);
    change(amount);
    return true;
  }

  void receive(int amount) {
#ifndef CALLS
    const LockGuard lock(mutex_);
#endif
    change(amount);
  }

  void count() {
#ifndef SPINS
    const LockGuard lock(spin_lock_);
#endif
    ++counted_;
  }

 private:
  void change(int amount) TROUPE_REQUIRES(mutex_) { balance_ += amount; }

  Mutex mutex_;
  std::condition_variable changed_;
  int balance_ TROUPE_GUARDED_BY(mutex_) = 0;
  SpinLock spin_lock_;
  int counted_ TROUPE_GUARDED_BY(spin_lock_) = 0;
};

}  // namespace troupe
