/// Copies that have been asked for and have not begun.
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

/// The waiting copies of one direction: urgent ones first, the others in the order in which they came. The owner's lock
/// protects them.
class CopyQueue {
 public:
  [[nodiscard]] bool empty() const { return urgent_.empty() && others_.empty(); }
  void add(PendingCopy copy, bool urgent);
  /// Makes a copy urgent as `Accelerator::hurry` does; does nothing if no such copy waits here.
  void hurry(CopyNumber number);
  /// Takes the next copy; returns nothing if there is none.
  [[nodiscard]] std::optional<PendingCopy> take();

 private:
  std::deque<PendingCopy> urgent_;
  std::deque<PendingCopy> others_;
};

}  // namespace troupe::platform
