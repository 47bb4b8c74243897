#include "platform/accelerators/copy_queue.hpp"

#include <algorithm>
#include <utility>

namespace troupe::platform {

void CopyQueue::add(PendingCopy copy, bool urgent) { (urgent ? urgent_ : others_).push_back(std::move(copy)); }

void CopyQueue::hurry(CopyNumber number) {
  const auto found = std::ranges::find(others_, number, &PendingCopy::number);
  if (found == others_.end()) return;
  urgent_.push_back(std::move(*found));
  others_.erase(found);
}

std::optional<PendingCopy> CopyQueue::take() {
  std::deque<PendingCopy>& from = urgent_.empty() ? others_ : urgent_;
  if (from.empty()) return std::nullopt;
  PendingCopy copy = std::move(from.front());
  from.pop_front();
  return copy;
}

}  // namespace troupe::platform
