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

/// Urgent ones first, else in the order in which they came. Of one direction; its owner has a lock.
class CopyQueue {
 public:
  [[nodiscard]] bool empty() const { return urgent_.empty() && others_.empty(); }
  void add(PendingCopy copy, bool urgent);
  /// As `Accelerator::hurry`; nothing where no such copy waits here.
  void hurry(CopyNumber number);
  /// The next one; nothing where there is none.
  [[nodiscard]] std::optional<PendingCopy> take();

 private:
  std::deque<PendingCopy> urgent_;
  std::deque<PendingCopy> others_;
};

}  // namespace troupe::platform
