/// The end of a process that was told to stop twice, whatever still runs in it.
#pragma once

#include <atomic>
#include <functional>
#include <thread>

#include "proto/units.hpp"

namespace troupe::apps {

/// A kernel cannot be interrupted, so an orderly end may take as long as a kernel does. From its construction on this
/// listens, in a thread of its own, for a second signal, and ends the process some seconds after it (or after `hurry`)
/// unless it was destroyed before: however long anything else takes, and whatever other threads wait for.
class ForcedEnd {
 public:
  struct Parts {
    /// Waits up to so long for a signal; true: there was one.
    std::function<bool(Duration)> told;
    /// Called before the end; must not wait for other threads for long.
    std::function<void()> last_words;
    Duration patience;
  };
  /// Fails by `std::system_error` where there is no thread.
  explicit ForcedEnd(Parts parts);
  ~ForcedEnd();
  ForcedEnd(const ForcedEnd&) = delete;
  ForcedEnd& operator=(const ForcedEnd&) = delete;

  /// A second signal came, or `hurry` was called. Any thread.
  [[nodiscard]] bool hurries() const { return hurries_.load(std::memory_order_relaxed); }
  void hurry() { hurries_.store(true, std::memory_order_relaxed); }

 private:
  void run();

  const Parts parts_;
  std::atomic<bool> hurries_{false};
  std::atomic<bool> done_{false};
  std::thread thread_;
};

}  // namespace troupe::apps
