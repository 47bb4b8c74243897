#include "opencl/commands/host_ranges.hpp"

#include <algorithm>

namespace troupe::opencl {

namespace {

bool conflict(const HostRange& a, const HostRange& b) {
  return (a.writes || b.writes) && a.begin < b.begin + b.size && b.begin < a.begin + a.size;
}

}  // namespace

void HostRanges::add(const std::shared_ptr<Command>& command, const HostRange& range,
                     std::vector<std::shared_ptr<Command>>& awaited) {
  // `ended` is declared before the lock, so that the commands in it are destroyed after the lock is released.
  std::vector<Use> ended;
  const LockGuard lock(mutex_);
  const auto first_ended =
      std::stable_partition(uses_.begin(), uses_.end(), [](const Use& use) { return !use.command->ended(); });
  std::move(first_ended, uses_.end(), std::back_inserter(ended));
  uses_.erase(first_ended, uses_.end());
  for (const Use& use : uses_) {
    if (conflict(use.range, range)) awaited.push_back(use.command);
  }
  uses_.push_back({range, command});
}

}  // namespace troupe::opencl
