/// Locks that the compiler checks: clang refuses code that touches guarded data without its lock (-Wthread-safety).
/// Other compilers see a `std::mutex` and nothing else; none of this costs anything at run time.
///
///     Mutex mutex_;
///     int balance_ TROUPE_GUARDED_BY(mutex_) = 0;
///     void pay(int amount) TROUPE_REQUIRES(mutex_);
///
/// For clang, a lambda is a function of its own. So a lambda that is called with the lock held needs its own
/// `TROUPE_REQUIRES`: `changed_.wait(lock, [this]() TROUPE_REQUIRES(mutex_) { return balance_ > 0; })`. Constructors
/// and destructors are not checked.
#pragma once

#include <mutex>

#if defined(__clang__)
#define TROUPE_THREAD_SAFETY(attribute) __attribute__((attribute))
#else
#define TROUPE_THREAD_SAFETY(attribute)
#endif

/// Marks a class as a lock; compiler messages call it `name`.
#define TROUPE_LOCK(name) TROUPE_THREAD_SAFETY(capability(name))
/// Marks a class that holds a lock while it lives.
#define TROUPE_SCOPED_LOCK TROUPE_THREAD_SAFETY(scoped_lockable)
/// Marks a member that is read and written only while the lock is held.
#define TROUPE_GUARDED_BY(...) TROUPE_THREAD_SAFETY(guarded_by(__VA_ARGS__))
/// `TROUPE_REQUIRES` marks a function whose caller holds the lock, `TROUPE_EXCLUDES` one that acquires it itself.
#define TROUPE_REQUIRES(...) TROUPE_THREAD_SAFETY(requires_capability(__VA_ARGS__))
#define TROUPE_EXCLUDES(...) TROUPE_THREAD_SAFETY(locks_excluded(__VA_ARGS__))
/// `TROUPE_ACQUIRES` marks a function that acquires the lock, `TROUPE_TRY_ACQUIRES` one that does so only if its result
/// is the first argument, and `TROUPE_RELEASES` one that releases the lock.
#define TROUPE_ACQUIRES(...) TROUPE_THREAD_SAFETY(acquire_capability(__VA_ARGS__))
#define TROUPE_TRY_ACQUIRES(...) TROUPE_THREAD_SAFETY(try_acquire_capability(__VA_ARGS__))
#define TROUPE_RELEASES(...) TROUPE_THREAD_SAFETY(release_capability(__VA_ARGS__))
/// Marks a function that the analysis cannot follow. Give the reason beside it.
#define TROUPE_NO_THREAD_SAFETY_ANALYSIS TROUPE_THREAD_SAFETY(no_thread_safety_analysis)

namespace troupe {

class TROUPE_LOCK("mutex") Mutex : public std::mutex {
 public:
  void lock() TROUPE_ACQUIRES() { std::mutex::lock(); }
  bool try_lock() TROUPE_TRY_ACQUIRES(true) { return std::mutex::try_lock(); }
  void unlock() TROUPE_RELEASES() { std::mutex::unlock(); }
};

class TROUPE_LOCK("mutex") TimedMutex : public std::timed_mutex {
 public:
  void lock() TROUPE_ACQUIRES() { std::timed_mutex::lock(); }
  bool try_lock() TROUPE_TRY_ACQUIRES(true) { return std::timed_mutex::try_lock(); }
  template <class Duration>
  bool try_lock_for(const Duration& patience) TROUPE_TRY_ACQUIRES(true) {
    return std::timed_mutex::try_lock_for(patience);
  }
  void unlock() TROUPE_RELEASES() { std::timed_mutex::unlock(); }
};

/// Works like `std::lock_guard`, for any of our locks.
template <class Lock>
class TROUPE_SCOPED_LOCK LockGuard {
 public:
  explicit LockGuard(Lock& lock) TROUPE_ACQUIRES(lock) : lock_(lock) { lock_.lock(); }
  /// Takes over the lock, which the caller holds.
  LockGuard(Lock& lock, std::adopt_lock_t) TROUPE_REQUIRES(lock) : lock_(lock) {}
  ~LockGuard() TROUPE_RELEASES() { lock_.unlock(); }
  LockGuard(const LockGuard&) = delete;
  LockGuard& operator=(const LockGuard&) = delete;

 private:
  Lock& lock_;
};

/// Works like `std::unique_lock`, for condition variables and for locks that are released in between.
class TROUPE_SCOPED_LOCK UniqueLock : public std::unique_lock<std::mutex> {
 public:
  explicit UniqueLock(Mutex& mutex) TROUPE_ACQUIRES(mutex) : unique_lock(mutex) {}
  ~UniqueLock() TROUPE_RELEASES() {}
  UniqueLock(const UniqueLock&) = delete;
  UniqueLock& operator=(const UniqueLock&) = delete;
  void lock() TROUPE_ACQUIRES() { unique_lock::lock(); }
  void unlock() TROUPE_RELEASES() { unique_lock::unlock(); }
};

}  // namespace troupe
