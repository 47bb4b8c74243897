/// The copies of an emulated accelerator in one direction: one after the other, in a thread of their own.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "platform/accelerators/copy_queue.hpp"
#include "proto/errors.hpp"
#include "proto/mutex.hpp"
#include "proto/units.hpp"

namespace troupe::platform {

/// A copy really moves its bytes, and takes at least latency + bytes / bandwidth. Its end is reckoned from the end of
/// the copy before it where it had to wait for that, so several in a row take as long as the sum of their times,
/// however late a thread wakes up. The bytes move in pieces, each at the end of its own time: so whoever reads too
/// early or writes too early has wrong data, as with a real device. Thread-safe.
class CopyEngine {
 public:
  struct Options {
    /// Of the thread, for debuggers.
    std::string name;
    CopySpeed speed;
    /// Asked once for each copy that begins: where it returns a failure, that is the copy's end. Null: none fails.
    std::function<Result<void>()> fault = nullptr;
  };

  explicit CopyEngine(Options options);
  CopyEngine(const CopyEngine&) = delete;
  CopyEngine& operator=(const CopyEngine&) = delete;
  ~CopyEngine();
  /// Ends the copy under way without the rest of its time, and the others with `transfer_failed`; later ones, too,
  /// inside the call. Called by one thread.
  void stop();

  /// As `Accelerator::copy`.
  void copy(const BlockCopy& copy, CopyNumber number, bool urgent, CopyDone done);
  /// As `Accelerator::hurry`; nothing where this engine has no such copy waiting.
  void hurry(CopyNumber number);
  /// From now on every copy ends at once with this failure, also the one under way.
  void lose(const Failure& failure);

  [[nodiscard]] const CopySpeed& speed() const { return options_.speed; }
  /// Copies that succeeded.
  [[nodiscard]] CopyTraffic traffic() const;

 private:
  void work();
  /// Unlocks while bytes move.
  Result<void> perform(const PendingCopy& order, UniqueLock& lock) TROUPE_REQUIRES(mutex_);
  Result<void> move(const PendingCopy& order, TimeStamp begin, bool fails, UniqueLock& lock) TROUPE_REQUIRES(mutex_);
  [[nodiscard]] Duration time_of(Bytes bytes) const;
  void count(const PendingCopy& order, TimeStamp begin) TROUPE_REQUIRES(mutex_);

  const Options options_;
  /// How much is moved at once.
  const std::size_t piece_bytes_;

  mutable Mutex mutex_;
  std::condition_variable wake_;
  CopyQueue queue_ TROUPE_GUARDED_BY(mutex_);
  /// Why nothing is copied any more.
  std::optional<Failure> lost_ TROUPE_GUARDED_BY(mutex_);
  bool stopping_ TROUPE_GUARDED_BY(mutex_) = false;
  /// When the last copy was to end, and when one last ended.
  TimeStamp free_at_ TROUPE_GUARDED_BY(mutex_){};
  TimeStamp ended_ TROUPE_GUARDED_BY(mutex_){};
  CopyTraffic traffic_ TROUPE_GUARDED_BY(mutex_);

  /// Last: it uses the others.
  std::thread thread_;
};

}  // namespace troupe::platform
