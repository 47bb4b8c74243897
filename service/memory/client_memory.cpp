#include "service/memory/client_memory.hpp"

#include <fmt/format.h>

#include <utility>

namespace troupe::service {
namespace {

Failure connection_ended() { return {ErrorCode::stopped, "the client's connection to the memory socket has ended"}; }

}  // namespace

Result<ClientMemory::Allocated> ClientMemory::allocate(Bytes size) {
  {
    const LockGuard lock(mutex_);
    if (ended_) return connection_ended();
    if (segments_.size() >= most_segments_) {
      return Failure{
          ErrorCode::invalid_argument,
          fmt::format("the client has {} segments of shared memory, and may have no more (limits.segments): allocate "
                      "fewer and larger ones",
                      segments_.size())};
    }
  }
  // The lock is not held here, because large allocations take long. Only the connection's thread allocates.
  BudgetHold hold(budgets_, Resource::segments, peer_.user);
  if (auto held = hold.set(1); !held) return held.failure();
  auto segment = SharedSegment::create(size, account_, std::move(hold));
  if (!segment) return segment.failure();
  const std::uint64_t id = next_id_.fetch_add(1, std::memory_order_relaxed);
  const LockGuard lock(mutex_);
  if (ended_) return connection_ended();
  Allocated allocated{id, segment.value()->size(), segment.value()->take_descriptor()};
  segments_.emplace(id, std::move(segment).value());
  return allocated;
}

Result<void> ClientMemory::release(std::uint64_t id) {
  std::shared_ptr<SharedSegment> last;
  const LockGuard lock(mutex_);
  const auto found = segments_.find(id);
  if (found == segments_.end()) {
    return Failure{ErrorCode::invalid_argument, fmt::format("there is no segment {} of shared memory", id)};
  }
  last = std::move(found->second);
  last->take_away();
  segments_.erase(found);
  return {};
}

std::shared_ptr<SharedSegment> ClientMemory::find(std::uint64_t id) const {
  const LockGuard lock(mutex_);
  const auto found = segments_.find(id);
  return found == segments_.end() ? nullptr : found->second;
}

void ClientMemory::end(bool take_away) {
  std::map<std::uint64_t, std::shared_ptr<SharedSegment>> segments;
  const LockGuard lock(mutex_);
  ended_ = true;
  segments.swap(segments_);
  if (take_away) {
    for (const auto& [id, segment] : segments) segment->take_away();
  }
  if (gone_) std::exchange(gone_, nullptr)();
}

bool ClientMemory::watch(std::function<void()> gone) {
  const LockGuard lock(mutex_);
  if (watched_) return false;
  watched_ = true;
  if (ended_) {
    gone();
  } else {
    gone_ = std::move(gone);
  }
  return true;
}

void ClientMemory::unwatch() {
  const LockGuard lock(mutex_);
  watched_ = false;
  gone_ = nullptr;
}

}  // namespace troupe::service
