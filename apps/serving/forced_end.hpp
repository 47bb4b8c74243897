/// Ends a process that was requested to stop twice, even if kernels or threads still run in it.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include "troupe/units.hpp"

namespace troupe::apps {

/// A kernel cannot be interrupted, so an orderly end may take as long as a kernel does. From its construction on, this
/// object waits for a second signal in a thread of its own. Some seconds after the signal (or after `hurry`), it ends
/// the process, unless the object was destroyed before. Neither slow work nor waiting threads can delay this end.
class ForcedEnd {
 public:
  struct Options {
    /// Waits for a signal, at most for the given time; returns true if a signal came.
    std::function<bool(Duration)> told;
    /// Called just before the process ends; must not wait long for other threads.
    std::function<void()> last_words;
    Duration patience;
  };
  /// Throws `std::system_error` if no thread can be started.
  explicit ForcedEnd(Options options);
  ~ForcedEnd();
  ForcedEnd(const ForcedEnd&) = delete;
  ForcedEnd& operator=(const ForcedEnd&) = delete;

  /// Returns true if a second signal came or `hurry` was called. Any thread may call this function.
  [[nodiscard]] bool hurries() const { return hurries_.load(std::memory_order_relaxed); }
  void hurry() { hurries_.store(true, std::memory_order_relaxed); }

 private:
  void run();

  const Options options_;
  std::atomic<bool> hurries_{false};
  std::atomic<bool> done_{false};
  std::thread thread_;
};

}  // namespace troupe::apps
