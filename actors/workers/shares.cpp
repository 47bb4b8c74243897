#include "actors/workers/shares.hpp"

#include <algorithm>
#include <utility>

#include "graph/task_graph.hpp"
#include "proto/mutex.hpp"

namespace troupe::workers {

namespace {
/// Of several clients together: enough that a placing policy has a choice, and few enough that turns are kept.
constexpr std::size_t kPlacedPerWorker = 8;
}  // namespace

Shares::Shares(std::size_t workers, TaskDeque* activation) : activation_(activation), hands_(workers) {
  shares_.reserve(64);
  own_ = &open(1);
}

Share& Shares::of(const graph::Task& task) const {
  return task.graph != nullptr ? *static_cast<Share*>(task.graph->options().owner) : *own_;
}

Share& Shares::open(double weight) {
  auto share = std::make_unique<Share>(weight);
  Share& opened = *share;
  const LockGuard lock(mutex_);
  opened.virtual_ns = virtual_ns_;
  shares_.push_back(std::move(share));
  return opened;
}

void Shares::close(const Share& share) {
  std::unique_ptr<Share> closed;
  const LockGuard lock(mutex_);
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
  const LockGuard lock(mutex_);
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
  const LockGuard lock(mutex_);
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
  const LockGuard lock(mutex_);
  share.virtual_ns += static_cast<double>(took_ns - charged_ns) / share.weight.load(std::memory_order_relaxed);
}

void Shares::charge(Share& share, Duration took) noexcept {
  share.used_ns.fetch_add(took.count(), std::memory_order_relaxed);
  // Who is alone takes from nobody.
  if (!contended()) return;
  const LockGuard lock(mutex_);
  share.virtual_ns += static_cast<double>(took.count()) / share.weight.load(std::memory_order_relaxed);
}

bool Shares::pass_on() noexcept {
  if (activation_ == nullptr) return false;
  // While one client alone has work, the policy sees all of it.
  const auto most = static_cast<std::int64_t>(kPlacedPerWorker * hands_.size());
  bool any = false;
  while (waiting() > 0 && (!contended() || in_service() < most)) {
    Turn turn = take(false);
    if (turn.tasks.empty()) break;
    activation_->push(turn.tasks);
    any = true;
  }
  return any;
}

void Shares::begin(WorkerId worker, std::size_t most) {
  Hand& hand = hands_[worker.index()];
  hand.charges.clear();
  hand.charges.reserve(most);
}

bool Shares::contention_is_new(WorkerId worker) noexcept {
  if (activation_ != nullptr || !contended()) return false;
  const std::uint64_t now = contentions();
  return std::exchange(hands_[worker.index()].seen_contention, now) != now;
}

graph::Task* Shares::take_turn(WorkerId worker, TaskDeque& own) noexcept {
  if (!turns_wait()) return nullptr;
  Turn turn = take();
  if (turn.tasks.empty()) return nullptr;
  hands_[worker.index()].next_charge_ns = turn.charged_ns;
  graph::Task* const first = turn.tasks.pop_front();
  if (!turn.tasks.empty()) own.push(turn.tasks);
  return first;
}

void Shares::taken(WorkerId worker, const graph::Task& task) noexcept {
  Hand& hand = hands_[worker.index()];
  hand.charges.push_back({&task, &of(task), std::exchange(hand.next_charge_ns, 0), {}});
}

Shares::Charge* Shares::charge_of(WorkerId worker, const graph::Task& task) noexcept {
  for (Charge& charge : hands_[worker.index()].charges) {
    if (charge.task == &task) return &charge;
  }
  return nullptr;
}

void Shares::started(WorkerId worker, const graph::Task& task) noexcept {
  if (Charge* const charge = charge_of(worker, task)) charge->start = std::chrono::steady_clock::now();
}

Share& Shares::released(WorkerId worker, const graph::Task& task, Duration took) noexcept {
  Charge* const found = charge_of(worker, task);
  if (found == nullptr) return of(task);
  std::vector<Charge>& charges = hands_[worker.index()].charges;
  const Charge charge = std::exchange(*found, charges.back());
  charges.pop_back();
  const bool ran = charge.start != std::chrono::steady_clock::time_point{};
  if (!ran) {
    took = Duration{};
  } else if (took < Duration{}) {
    took = std::chrono::steady_clock::now() - charge.start;
  }
  settle(*charge.share, charge.charged_ns, took.count());
  return *charge.share;
}

}  // namespace troupe::workers
