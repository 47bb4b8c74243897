/// Copies that have been requested and have not begun.
#pragma once

#include <deque>
#include <optional>

#include "platform/accelerators/accelerator.hpp"

namespace troupe::platform {

struct PendingCopy {
  BlockCopy block;
  CopyNumber number = 0;
  CopyDone done;
  TimeStamp asked{};
};

/// The waiting copies of one direction: urgent copies first, then the others in order of arrival. The owner's lock
/// protects the queue.
class CopyQueue {
 public:
  [[nodiscard]] bool empty() const { return urgent_.empty() && others_.empty(); }
  void add(PendingCopy copy, bool urgent);
  /// Makes a copy urgent as `Accelerator::hurry` does; does nothing if no such copy waits here.
  void hurry(CopyNumber number);
  /// Takes the next copy out of the queue; returns nothing if the queue is empty.
  [[nodiscard]] std::optional<PendingCopy> take();

 private:
  std::deque<PendingCopy> urgent_;
  std::deque<PendingCopy> others_;
};

}  // namespace troupe::platform
