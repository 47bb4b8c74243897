#include "actors/workers/shares.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/data/size_classes.hpp"
#include "graph/task_graph.hpp"
#include "proto/mutex.hpp"

namespace troupe::workers {

namespace {
using Time = std::chrono::steady_clock::time_point;

/// The number of tasks per worker, of all clients together, that a placing policy is given at the same time. It is
/// large enough that the policy has a choice, and small enough that clients take turns.
constexpr std::size_t kPlacedPerWorker = 8;
/// The least time that a worker needs for any task, even if only to see that it has been cancelled.
constexpr std::int64_t kLeast_ns = 500;
/// Running tasks are charged at most this often.
constexpr Duration kChargeEvery = std::chrono::milliseconds(1);

std::int64_t in_ns(Time now) { return Duration(now.time_since_epoch()).count(); }

double credit_of(const std::atomic<double>& weight) {
  return static_cast<double>(Shares::kCredit.count()) / weight.load(std::memory_order_relaxed);
}
}  // namespace

Shares::Shares(std::size_t workers, TaskDeque* activation, Now now)
    : activation_(activation), now_(now), hands_(workers) {
  shares_.reserve(64);
  users_.reserve(64);
  own_ = &open(1);
}

Share& Shares::of(const graph::Task& task) const {
  return task.client.graph != nullptr ? *static_cast<Share*>(task.client.graph->options().owner) : *own_;
}

Share& Shares::open(double weight, std::optional<std::uint64_t> user) {
  const LockGuard lock(mutex_);
  const auto same = [&](const auto& one) { return user.has_value() && one->user == user; };
  auto found = std::find_if(users_.begin(), users_.end(), same);
  if (found == users_.end()) {
    users_.push_back(std::make_unique<UserShare>(user, weight));
    users_.back()->virtual_ns = virtual_ns_;
    found = users_.end() - 1;
  }
  UserShare& whose = **found;
  whose.weight.store(weight, std::memory_order_relaxed);
  ++whose.clients;
  shares_.push_back(std::make_unique<Share>(weight, whose));
  shares_.back()->virtual_ns = whose.served_ns;
  // A client that connects is about to have work.
  if (user.has_value()) whose.last_active_ns.store(in_ns(now_()), std::memory_order_relaxed);
  guard(now_());
  return *shares_.back();
}

void Shares::close(const Share& share) {
  std::unique_ptr<Share> closed;
  std::unique_ptr<UserShare> gone;
  const LockGuard lock(mutex_);
  const auto found = std::find_if(shares_.begin(), shares_.end(), [&](const auto& one) { return one.get() == &share; });
  for (Hand& hand : hands_) pay(hand);
  closed = std::move(*found);
  shares_.erase(found);
  // A user with a number is kept, with the virtual time and the long kernels, because the user may come again.
  if (--closed->user.clients > 0 || closed->user.user.has_value()) return;
  const auto user =
      std::find_if(users_.begin(), users_.end(), [&](const auto& one) { return one.get() == &closed->user; });
  gone = std::move(*user);
  users_.erase(user);
}

void Shares::activated(Share& share, std::size_t tasks) noexcept {
  if (tasks == 0) return;
  const auto more = static_cast<std::int64_t>(tasks);
  active_.fetch_add(more, std::memory_order_seq_cst);
  if (share.active.fetch_add(more, std::memory_order_relaxed) != 0) return;
  const bool second = busy_clients_.fetch_add(1, std::memory_order_relaxed) == 1;
  if (second) begin_contention();
  const Time now = now_();
  const LockGuard lock(mutex_);
  if (second) forgive_running(now);
  UserShare& user = share.user;
  const bool user_was_busy = std::any_of(shares_.begin(), shares_.end(), [&](const auto& one) {
    return one.get() != &share && &one->user == &user && one->active.load(std::memory_order_relaxed) > 0;
  });
  if (!user_was_busy) user.virtual_ns = std::max(user.virtual_ns, virtual_ns_ - credit_of(user.weight));
  share.virtual_ns = std::max(share.virtual_ns, user.served_ns - credit_of(share.weight));
  user.last_active_ns.store(in_ns(now), std::memory_order_relaxed);
  guard(now);
}

void Shares::left(Share& share) noexcept {
  active_.fetch_sub(1, std::memory_order_seq_cst);
  // The time is stored before the task leaves, because afterwards another thread may close the share, which may also
  // remove the share's user.
  if (share.active.load(std::memory_order_relaxed) == 1) {
    share.user.last_active_ns.store(in_ns(now_()), std::memory_order_relaxed);
  }
  // Release: a thread that sees that nothing is active may close the share.
  if (share.active.fetch_sub(1, std::memory_order_release) == 1) busy_clients_.fetch_sub(1, std::memory_order_relaxed);
}

bool Shares::is_long(const Share& share, const graph::Task& task) {
  return task.codelet != nullptr && share.user.long_kernels.expected(task.codelet->name) > Duration{};
}

void Shares::push(Share& share, graph::TaskList& tasks) noexcept {
  const std::size_t count = tasks.size();
  if (share.user.has_long.load(std::memory_order_relaxed)) {
    graph::TaskList others;
    const LockGuard lock(mutex_);
    while (!tasks.empty()) {
      graph::Task* const task = tasks.pop_front();
      if (is_long(share, *task)) {
        share.long_waiting.push(task);
      } else {
        others.push_back(task);
      }
    }
    tasks.append(others);
  }
  if (!tasks.empty()) share.waiting.push(tasks);
  // The tasks are counted after they have been put into the queues, so that a worker that sees the count finds them.
  // They are counted before any thread looks for an idle worker.
  waiting_.fetch_add(count, std::memory_order_seq_cst);
  look_again();
}

template <class Visit>
void Shares::visit_hands(const Visit& visit) {
  for (Hand& hand : hands_) {
    const LockGuard lock(hand.lock);
    for (Charge& charge : hand.charges) visit(charge);
    if (hand.next.share != nullptr) visit(hand.next);
  }
}

void Shares::count_long(Time now) {
  for (const auto& user : users_) user->long_running = 0;
  long_running_ = 0;
  visit_hands([&](const Charge& charge) TROUPE_REQUIRES(mutex_) {
    if (!charge.is_long && charge.took_ns(now) < LongKernels::kLong.count()) return;
    ++charge.share->user.long_running;
    ++long_running_;
  });
}

void Shares::count_around(Time now) {
  const std::int64_t since = in_ns(now) - Duration(kLately).count();
  for (const auto& user : users_) {
    const std::int64_t last = user->last_active_ns.load(std::memory_order_relaxed);
    user->around = last != 0 && last >= since;
    user->wants_more = user->had_more != Time{} && now - user->had_more < kWantsMore;
  }
  for (const auto& share : shares_) {
    if (share->active.load(std::memory_order_relaxed) > 0) share->user.around = true;
  }
}

void Shares::guard(Time now) {
  const bool any_long = std::any_of(users_.begin(), users_.end(),
                                    [](const auto& user) { return user->has_long.load(std::memory_order_relaxed); });
  bool wanted = false;
  if (any_long && activation_ == nullptr && hands_.size() > 1) {
    count_around(now);
    wanted = std::count_if(users_.begin(), users_.end(), [](const auto& user) { return user->around; }) > 1;
  }
  const bool was = guarded_.exchange(wanted, std::memory_order_relaxed);
  if (wanted && !was) begin_contention();
  if (was && !wanted) look_again();
}

std::size_t Shares::kept_from(const UserShare& user) const {
  bool any = false;
  double wanted = 0;
  double weights = 0;
  for (const auto& other : users_) {
    if (!other->around && other.get() != &user) continue;
    const double weight = other->weight.load(std::memory_order_relaxed);
    weights += weight;
    if (other.get() == &user || other->long_running > 0) continue;
    any = true;
    if (other->wants_more) wanted += weight;
  }
  if (!any) return 0;
  const double share = static_cast<double>(hands_.size()) * wanted / weights;
  return std::clamp<std::size_t>(static_cast<std::size_t>(share), 1, hands_.size() - 1);
}

bool Shares::waits_for_room(const UserShare& user) const {
  if (!guarded()) return false;
  const std::size_t kept = kept_from(user);
  return kept > 0 && long_running_ + kept >= hands_.size();
}

Shares::Served Shares::next(Time now) {
  Served least;
  bool counted = false;
  for (const auto& share : shares_) {
    TaskDeque* queue = share->waiting.size() > 0 ? &share->waiting : nullptr;
    if (share->long_waiting.size() > 0 && (queue == nullptr || share->long_waiting.top() > queue->top())) {
      if (guarded() && !std::exchange(counted, true)) {
        count_long(now);
        count_around(now);
      }
      if (!waits_for_room(share->user)) queue = &share->long_waiting;
    }
    if (queue == nullptr) continue;
    const bool same_user = least.share != nullptr && &least.share->user == &share->user;
    const bool is_less = least.share == nullptr || (same_user ? share->virtual_ns < least.share->virtual_ns
                                                              : share->user.virtual_ns < least.share->user.virtual_ns);
    if (is_less) least = {share.get(), queue};
  }
  return least;
}

void Shares::add(Share& share, double ns) {
  share.virtual_ns += ns / share.weight.load(std::memory_order_relaxed);
  share.user.virtual_ns += ns / share.user.weight.load(std::memory_order_relaxed);
}

void Shares::charge_running(Time now) {
  if (now - charged_at_ < kChargeEvery) return;
  charged_at_ = now;
  for (Hand& hand : hands_) pay(hand);
  visit_hands([&](Charge& charge) {
    const std::int64_t more = charge.took_ns(now) - charge.charged_ns - charge.forgiven_ns;
    if (more <= 0) return;
    charge.charged_ns += more;
    add(*charge.share, static_cast<double>(more));
  });
}

void Shares::forgive_running(Time now) {
  visit_hands([&](Charge& charge) {
    charge.forgiven_ns += std::max<std::int64_t>(charge.took_ns(now) - charge.charged_ns - charge.forgiven_ns, 0);
  });
}

Shares::Turn Shares::take(bool in_advance, WorkerId worker) noexcept {
  Turn turn;
  if (waiting_.load(std::memory_order_relaxed) == 0) return turn;
  const Time now = now_();
  // `changes_` is read before the search for a task. If tasks come during the search, `changes_` differs from
  // `in_vain_` afterwards, and workers search again.
  const std::uint64_t changes = changes_.load(std::memory_order_seq_cst);
  const LockGuard lock(mutex_);
  if (worker.valid()) pay(hands_[worker.index()]);
  if (contended()) charge_running(now);
  const Served served = next(now);
  if (served.share == nullptr) {
    in_vain_.store(changes, std::memory_order_seq_cst);
    return turn;
  }
  turn.share = served.share;
  Share& share = *turn.share;
  const bool is_long = served.queue == &share.long_waiting;
  const std::int64_t mean_ns = share.mean_ns.load(std::memory_order_relaxed);
  const std::int64_t fit = mean_ns > 0 ? kTurn_ns / mean_ns : 1;
  const std::size_t most = is_long ? 1 : std::clamp<std::size_t>(static_cast<std::size_t>(fit), 1, kMostInTurn);
  while (turn.tasks.size() < most) {
    graph::Task* const task = served.queue->pop_oldest();
    if (task == nullptr) break;
    turn.tasks.push_back(task);
  }
  waiting_.fetch_sub(turn.tasks.size(), std::memory_order_relaxed);
  if (turn.tasks.empty()) return turn;
  if (share.count_waiting() > 0) share.user.had_more = now;
  if (in_advance) turn.charged_ns = is_long ? expected_ns(share, *turn.tasks.front()) : mean_ns;
  virtual_ns_ = std::max(virtual_ns_, share.user.virtual_ns);
  share.user.served_ns = std::max(share.user.served_ns, share.virtual_ns);
  add(share, static_cast<double>(turn.charged_ns));
  if (worker.valid()) {
    Hand& hand = hands_[worker.index()];
    const LockGuard hand_lock(hand.lock);
    hand.next = {};
    hand.next.share = &share;
    hand.next.charged_ns = turn.charged_ns;
    hand.next.is_long = is_long;
  }
  return turn;
}

std::int64_t Shares::expected_ns(const Share& share, const graph::Task& task) const {
  return share.user.long_kernels.expected(task.codelet->name).count();
}

void Shares::settle(Share& share, std::int64_t charged_ns, std::int64_t took_ns, std::int64_t busy_ns,
                    Hand* hand) noexcept {
  if (busy_ns > 0) share.used_ns.fetch_add(busy_ns, std::memory_order_relaxed);
  if (took_ns > 0) {
    const std::int64_t mean = share.mean_ns.load(std::memory_order_relaxed);
    share.mean_ns.store(mean == 0 ? busy_ns : mean + (busy_ns - mean) / 8, std::memory_order_relaxed);
  }
  // A client that is alone is not charged, because it takes time from no other client.
  if (charged_ns == 0 && !contended()) return;
  owe(hand, share, static_cast<double>(busy_ns - charged_ns));
}

void Shares::owe(Hand* hand, Share& share, double ns) noexcept {
  if (hand != nullptr) {
    const LockGuard lock(hand->lock);
    if (hand->owing == nullptr || hand->owing == &share) {
      hand->owing = &share;
      hand->owed_ns += ns;
      if (std::abs(hand->owed_ns) < static_cast<double>(kTurn_ns)) return;
      ns = 0;
    }
  }
  const LockGuard lock(mutex_);
  if (hand != nullptr) pay(*hand);
  add(share, ns);
}

void Shares::pay(Hand& hand) {
  const LockGuard lock(hand.lock);
  if (hand.owing != nullptr) add(*hand.owing, hand.owed_ns);
  hand.owing = nullptr;
  hand.owed_ns = 0;
}

Duration Shares::used(const Share& share) const noexcept {
  std::int64_t used = share.used_ns.load(std::memory_order_relaxed);
  const Time now = now_();
  for (const Hand& hand : hands_) {
    const LockGuard lock(hand.lock);
    for (const Charge& charge : hand.charges) used += charge.share == &share ? charge.took_ns(now) : 0;
  }
  return Duration(used);
}

double Shares::weight_among_all(const Share& share) const noexcept {
  const LockGuard lock(mutex_);
  const auto others = std::count_if(shares_.begin(), shares_.end(), [&](const auto& one) {
    return one.get() != &share && &one->user == &share.user && one->active.load(std::memory_order_relaxed) > 0;
  });
  return share.user.weight.load(std::memory_order_relaxed) / static_cast<double>(1 + others);
}

void Shares::charge(Share& share, Duration took) noexcept { settle(share, 0, 0, took.count(), nullptr); }

bool Shares::pass_on() noexcept {
  if (activation_ == nullptr) return false;
  // While one client alone has work, all tasks of this client go to the policy.
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
  const LockGuard lock(hand.lock);
  hand.charged_until = {};
  hand.next = {};
  hand.charges.clear();
  hand.charges.reserve(most);
}

bool Shares::contention_is_new(WorkerId worker) noexcept {
  if (activation_ != nullptr || !contended()) return false;
  const std::uint64_t now = contentions();
  return std::exchange(hands_[worker.index()].seen_contention, now) != now;
}

graph::Task* Shares::take_turn(WorkerId worker, TaskDeque& own) noexcept {
  Turn turn;
  if (turns_wait()) turn = take(true, worker);
  if (turn.tasks.empty()) {
    hands_[worker.index()].charged_until = {};
    return nullptr;
  }
  graph::Task* const first = turn.tasks.pop_front();
  if (!turn.tasks.empty()) own.push(turn.tasks);
  return first;
}

bool Shares::comes_first(const graph::Task& task) const noexcept {
  if (!turns_wait()) return true;
  const UserShare& user = of(task).user;
  const LockGuard lock(mutex_);
  return std::none_of(shares_.begin(), shares_.end(), [&](const auto& other) {
    return other->count_waiting() > 0 && other->user.virtual_ns < user.virtual_ns;
  });
}

void Shares::taken(WorkerId worker, const graph::Task& task) noexcept {
  Hand& hand = hands_[worker.index()];
  const LockGuard lock(hand.lock);
  Charge charge = std::exchange(hand.next, {});
  charge.task = &task;
  if (charge.share == nullptr) charge.share = &of(task);
  hand.charges.push_back(charge);
}

Shares::Charge* Shares::find(std::vector<Charge>& charges, const graph::Task& task) noexcept {
  const auto found = std::find_if(charges.begin(), charges.end(), [&](const Charge& one) { return one.task == &task; });
  return found != charges.end() ? &*found : nullptr;
}

void Shares::started(WorkerId worker, const graph::Task& task) noexcept {
  const Time now = now_();
  Hand& hand = hands_[worker.index()];
  const LockGuard lock(hand.lock);
  if (Charge* const charge = find(hand.charges, task)) charge->start = now;
}

void Shares::suspended(WorkerId worker, const graph::Task& task) noexcept {
  const Time now = now_();
  Hand& hand = hands_[worker.index()];
  // The next task of this worker, perhaps another client's, is not charged for what this kernel has taken.
  hand.charged_until = now;
  const LockGuard lock(hand.lock);
  if (Charge* const charge = find(hand.charges, task)) charge->waits_since = now;
}

void Shares::resumed(WorkerId worker, const graph::Task& task) noexcept {
  const Time now = now_();
  Hand& hand = hands_[worker.index()];
  // The wait is not charged when the task ends.
  hand.charged_until = now;
  const LockGuard lock(hand.lock);
  Charge* const charge = find(hand.charges, task);
  if (charge == nullptr || charge->waits_since == Time{}) return;
  charge->start += now - charge->waits_since;
  charge->waits_since = {};
}

Share& Shares::released(WorkerId worker, const graph::Task& task, Duration took) noexcept {
  Hand& hand = hands_[worker.index()];
  Charge charge;
  {
    const LockGuard lock(hand.lock);
    Charge* const found = find(hand.charges, task);
    if (found == nullptr) return of(task);
    charge = std::exchange(*found, hand.charges.back());
    hand.charges.pop_back();
  }
  const bool in_turns = contended();
  // If the device does not report a time, the worker measures the time with its own clock.
  const bool own_time = took < Duration{};
  const Time now = own_time && (charge.began() || in_turns) ? now_() : Time{};
  if (!charge.began()) {
    took = Duration{};
  } else if (own_time) {
    took = Duration(charge.took_ns(now));
  }
  Duration busy = took;
  if (own_time) {
    // The difference is negative if the kernel has waited: then it began before other tasks ran here and were charged.
    if (in_turns && hand.charged_until != Time{}) {
      busy += std::max(Duration{}, Duration((charge.began() ? charge.start : now) - hand.charged_until));
    }
    hand.charged_until = now;
  }
  Share& share = *charge.share;
  const bool was_long = charge.is_long || took >= LongKernels::kLong;
  if (charge.began() && (was_long || share.user.has_long.load(std::memory_order_relaxed))) {
    note_kernel(share.user, task, took);
  }
  // Each task is charged at least `kLeast_ns`. Even a cancelled task keeps the worker busy, and there may be millions
  // of cancelled tasks.
  const std::int64_t more_ns = in_turns ? std::max<std::int64_t>(kLeast_ns - busy.count(), 0) : 0;
  settle(share, charge.charged_ns + charge.forgiven_ns - more_ns, took.count(), busy.count(), &hand);
  // Other tasks may have waited for the end of this task.
  if (was_long) look_again();
  return share;
}

void Shares::followed_up(WorkerId worker, Share& share) noexcept {
  Hand& hand = hands_[worker.index()];
  if (hand.charged_until == Time{} || !contended()) return;
  const Time now = now_();
  const std::int64_t took_ns = Duration(now - std::exchange(hand.charged_until, now)).count();
  settle(share, 0, 0, took_ns, &hand);
}

void Shares::note_kernel(UserShare& user, const graph::Task& task, Duration took) {
  if (task.codelet == nullptr) return;
  const Time now = now_();
  // The smallest number of operations for which every core needs at least `kLong`. Kernels with fewer operations are
  // that slow only if something delayed them, so their speed would say nothing about the kernel.
  constexpr double kLongOnAnyCore = 1.5e9;
  const bool may_tell = took >= LongKernels::kLong && task.codelet->flops && task.codelet->pieces == nullptr;
  const double flops = may_tell ? graph::flops_of(task) : 0;
  const double speed = flops >= kLongOnAnyCore ? flops / seconds(took) : 0;
  const LockGuard lock(mutex_);
  if (speed > 0) {
    double& best = best_speeds_[task.codelet->name];
    best = std::max(best, speed);
  }
  user.long_kernels.note(task.codelet->name, took);
  user.has_long.store(user.long_kernels.any(), std::memory_order_relaxed);
  if (took >= LongKernels::kLong || guarded()) guard(now);
}

double Shares::best_speed(const std::string& codelet) const {
  const LockGuard lock(mutex_);
  const auto found = best_speeds_.find(codelet);
  return found != best_speeds_.end() ? found->second : 0;
}

}  // namespace troupe::workers
