/// A thread that copies in one direction, for accelerators whose copy functions block until all bytes have arrived.
#pragma once

#include <condition_variable>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "platform/accelerators/copy_queue.hpp"
#include "proto/mutex.hpp"
#include "troupe/errors.hpp"
#include "troupe/units.hpp"

namespace troupe::platform {

/// Makes one copy after the other, urgent copies first. Thread-safe.
class CopyThread {
 public:
  struct Options {
    /// The name of the thread, for debuggers.
    std::string name;
    /// A description of the copies for messages, such as "copy to OpenCL device 0 (name)".
    std::string what;
    /// Makes a copy, and returns when the copy has ended. Called only by the copying thread, and never for an empty
    /// copy.
    std::function<Result<void>(const BlockCopy&)> copy;
  };

  explicit CopyThread(Options options);
  CopyThread(const CopyThread&) = delete;
  CopyThread& operator=(const CopyThread&) = delete;
  /// Ends the copies as `stop` does.
  ~CopyThread();
  /// Waits for the copy under way, and ends the waiting copies with `transfer_failed`. Later copies fail in the same
  /// way, inside the call of `add`.
  void stop();

  /// Adds a copy as `Accelerator::copy` does.
  void add(const BlockCopy& copy, CopyNumber number, bool urgent, CopyDone done);
  /// Makes a copy urgent as `Accelerator::hurry` does; does nothing if no such copy waits here.
  void hurry(CopyNumber number);
  /// Returns the traffic of the copies that succeeded.
  [[nodiscard]] CopyTraffic traffic() const;

 private:
  void work();
  /// Waits for a copy and takes it out of the queue; returns nothing when the thread must end.
  [[nodiscard]] std::optional<PendingCopy> take();
  [[nodiscard]] Result<void> perform(const BlockCopy& copy);
  [[nodiscard]] Failure given_up() const;

  const Options options_;

  mutable Mutex mutex_;
  std::condition_variable wake_;
  CopyQueue queue_ TROUPE_GUARDED_BY(mutex_);
  bool stopping_ TROUPE_GUARDED_BY(mutex_) = false;
  CopyTraffic traffic_ TROUPE_GUARDED_BY(mutex_);

  Mutex joining_;
  /// The copying thread. The lock `joining_` is held while it is joined. Declared last, because the thread uses the
  /// other members.
  std::thread thread_;
};

}  // namespace troupe::platform
