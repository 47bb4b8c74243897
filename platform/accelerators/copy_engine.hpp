/// The copies of an emulated accelerator in one direction: one after the other, in a thread of their own.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "platform/accelerators/copy_queue.hpp"
#include "proto/mutex.hpp"
#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe::platform {

/// An engine that really moves a copy's bytes, and takes at least latency + bytes / bandwidth for it. If a copy had to
/// wait for an earlier copy, its time begins at the planned end of the earlier one. So several copies in a row take the
/// sum of their times, however late a thread wakes up. The bytes move in pieces, each at the end of its own time, so
/// that code that reads or writes too early has wrong data, as with a real device. Thread-safe.
class CopyEngine {
 public:
  struct Options {
    /// The name of the thread, for debuggers.
    std::string name;
    CopySpeed speed;
    /// Called once for each copy that begins; if it returns a failure, the copy ends with that failure. May be null:
    /// then no copy fails.
    std::function<Result<void>()> fault = nullptr;
  };

  explicit CopyEngine(Options options);
  CopyEngine(const CopyEngine&) = delete;
  CopyEngine& operator=(const CopyEngine&) = delete;
  ~CopyEngine();
  /// Completes the copy under way without waiting for the rest of its time; ends waiting copies with `transfer_failed`.
  /// Later copies fail in the same way, inside the call. Called by one thread.
  void stop();

  /// Begins a copy as `Accelerator::copy` does.
  void copy(const BlockCopy& copy, CopyNumber number, bool urgent, CopyDone done);
  /// Makes a copy urgent as `Accelerator::hurry` does; does nothing if this engine has no such copy waiting.
  void hurry(CopyNumber number);
  /// From now on ends every copy at once with this failure, also the one under way.
  void lose(const Failure& failure);

  [[nodiscard]] const CopySpeed& speed() const { return options_.speed; }
  /// Returns the traffic of the copies that succeeded.
  [[nodiscard]] CopyTraffic traffic() const;

 private:
  void work();
  /// Makes a copy. Gives the lock back while bytes move.
  Result<void> perform(const PendingCopy& order, UniqueLock& lock) TROUPE_REQUIRES(mutex_);
  Result<void> move(const PendingCopy& order, TimeStamp begin, bool fails, UniqueLock& lock) TROUPE_REQUIRES(mutex_);
  [[nodiscard]] Duration time_of(Bytes bytes) const;
  void count(const PendingCopy& order, TimeStamp begin) TROUPE_REQUIRES(mutex_);

  const Options options_;
  /// The number of bytes that are moved at a time.
  const std::size_t piece_bytes_;

  mutable Mutex mutex_;
  std::condition_variable wake_;
  CopyQueue queue_ TROUPE_GUARDED_BY(mutex_);
  /// The reason why nothing is copied any more.
  std::optional<Failure> lost_ TROUPE_GUARDED_BY(mutex_);
  bool stopping_ TROUPE_GUARDED_BY(mutex_) = false;
  /// The time when the last copy was to end, and the time when a copy last ended.
  TimeStamp free_at_ TROUPE_GUARDED_BY(mutex_){};
  TimeStamp ended_ TROUPE_GUARDED_BY(mutex_){};
  CopyTraffic traffic_ TROUPE_GUARDED_BY(mutex_);

  /// The engine's thread. It is the last member, as it uses the others.
  std::thread thread_;
};

}  // namespace troupe::platform
