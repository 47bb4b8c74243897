#include "actors/workers/shares.hpp"

#include <algorithm>
#include <mutex>

namespace troupe::workers {

Shares::Shares() { shares_.reserve(64); }

Share& Shares::open(double weight) {
  auto share = std::make_unique<Share>(weight);
  Share& opened = *share;
  const std::lock_guard lock(mutex_);
  opened.virtual_ns = virtual_ns_;
  shares_.push_back(std::move(share));
  return opened;
}

void Shares::close(const Share& share) {
  std::unique_ptr<Share> closed;
  const std::lock_guard lock(mutex_);
  const auto found = std::find_if(shares_.begin(), shares_.end(), [&](const auto& one) { return one.get() == &share; });
  closed = std::move(*found);
  shares_.erase(found);
}

void Shares::activated(Share& share, std::size_t tasks) noexcept {
  if (tasks == 0) return;
  const auto more = static_cast<std::int64_t>(tasks);
  active_.fetch_add(more, std::memory_order_seq_cst);
  if (share.active.fetch_add(more, std::memory_order_relaxed) != 0) return;
  if (busy_clients_.fetch_add(1, std::memory_order_relaxed) == 1) contentions_.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  const double credit = static_cast<double>(kCredit.count()) / share.weight.load(std::memory_order_relaxed);
  share.virtual_ns = std::max(share.virtual_ns, virtual_ns_ - credit);
}

void Shares::left(Share& share) noexcept {
  active_.fetch_sub(1, std::memory_order_seq_cst);
  // Release: who sees that nothing is active may close the share.
  if (share.active.fetch_sub(1, std::memory_order_release) == 1) busy_clients_.fetch_sub(1, std::memory_order_relaxed);
}

void Shares::push(Share& share, graph::TaskList& tasks) noexcept {
  const std::size_t count = tasks.size();
  share.waiting.push(tasks);
  // After the tasks can be found, and before anybody looks for an idle worker.
  waiting_.fetch_add(count, std::memory_order_seq_cst);
}

Share* Shares::next() const {
  Share* least = nullptr;
  for (const auto& share : shares_) {
    if (share->waiting.size() == 0) continue;
    if (least == nullptr || share->virtual_ns < least->virtual_ns) least = share.get();
  }
  return least;
}

Shares::Turn Shares::take(bool in_advance) noexcept {
  Turn turn;
  if (waiting_.load(std::memory_order_relaxed) == 0) return turn;
  const std::lock_guard lock(mutex_);
  turn.share = next();
  if (turn.share == nullptr) return turn;
  Share& share = *turn.share;
  const std::int64_t expected_ns = share.mean_ns.load(std::memory_order_relaxed);
  if (in_advance) turn.charged_ns = expected_ns;
  const std::int64_t fit = expected_ns > 0 ? kTurn_ns / expected_ns : 1;
  const std::size_t most = std::clamp<std::size_t>(static_cast<std::size_t>(fit), 1, kMostInTurn);
  while (turn.tasks.size() < most) {
    graph::Task* const task = share.waiting.pop_oldest();
    if (task == nullptr) break;
    turn.tasks.push_back(task);
  }
  waiting_.fetch_sub(turn.tasks.size(), std::memory_order_relaxed);
  virtual_ns_ = std::max(virtual_ns_, share.virtual_ns);
  share.virtual_ns += static_cast<double>(turn.charged_ns) / share.weight.load(std::memory_order_relaxed);
  return turn;
}

void Shares::settle(Share& share, std::int64_t charged_ns, std::int64_t took_ns) noexcept {
  if (took_ns > 0) {
    share.used_ns.fetch_add(took_ns, std::memory_order_relaxed);
    const std::int64_t mean = share.mean_ns.load(std::memory_order_relaxed);
    share.mean_ns.store(mean == 0 ? took_ns : mean + (took_ns - mean) / 8, std::memory_order_relaxed);
  }
  // Who is alone takes from nobody.
  if (charged_ns == 0 && !contended()) return;
  const std::lock_guard lock(mutex_);
  share.virtual_ns += static_cast<double>(took_ns - charged_ns) / share.weight.load(std::memory_order_relaxed);
}

}  // namespace troupe::workers
