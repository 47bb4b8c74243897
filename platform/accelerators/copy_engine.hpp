/// The copies of an emulated accelerator in one direction. One thread makes them, one after the other.
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

/// An engine that really moves a copy's bytes, and takes at least the time latency + bytes / bandwidth. If a copy had
/// to wait for an earlier copy, its time begins at the planned end of the earlier copy. So several copies in a row take
/// the sum of their times, even if the thread wakes up late. The bytes move in pieces, each piece at the end of its own
/// time, so that code that reads or writes too early has wrong data, as with a real device. Thread-safe.
class CopyEngine {
 public:
  struct Options {
    /// The name of the thread, for debuggers.
    std::string name;
    CopySpeed speed;
    /// Called once for each copy that begins; if `fault` returns a failure, the copy ends with that failure. If `fault`
    /// is null, no copy fails.
    std::function<Result<void>()> fault = nullptr;
  };

  explicit CopyEngine(Options options);
  CopyEngine(const CopyEngine&) = delete;
  CopyEngine& operator=(const CopyEngine&) = delete;
  ~CopyEngine();
  /// Completes the copy under way without waiting for the rest of its time; ends waiting copies with `transfer_failed`.
  /// Later copies fail in the same way, inside the call of `copy`. Only one thread may call `stop`.
  void stop();

  /// Begins a copy as `Accelerator::copy` does.
  void copy(const BlockCopy& copy, CopyNumber number, bool urgent, CopyDone done);
  /// Makes a copy urgent as `Accelerator::hurry` does; does nothing if no such copy waits in this engine.
  void hurry(CopyNumber number);
  /// Ends the copy under way and every later copy at once with this failure.
  void lose(const Failure& failure);

  [[nodiscard]] const CopySpeed& speed() const { return options_.speed; }
  /// Returns the traffic of the copies that succeeded.
  [[nodiscard]] CopyTraffic traffic() const;

 private:
  void work();
  /// Makes a copy. Releases the lock while bytes move.
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
  /// The failure that `lose` was called with; nothing if the device works.
  std::optional<Failure> lost_ TROUPE_GUARDED_BY(mutex_);
  bool stopping_ TROUPE_GUARDED_BY(mutex_) = false;
  /// `free_at_` is the planned end of the last copy; `ended_` is the real end of the last copy that has ended.
  TimeStamp free_at_ TROUPE_GUARDED_BY(mutex_){};
  TimeStamp ended_ TROUPE_GUARDED_BY(mutex_){};
  CopyTraffic traffic_ TROUPE_GUARDED_BY(mutex_);

  /// The engine's thread. Declared last, because it uses the other members.
  std::thread thread_;
};

}  // namespace troupe::platform
