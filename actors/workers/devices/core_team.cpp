#include "actors/workers/devices/core_team.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "platform/machine/binding.hpp"
#include "platform/machine/cycles.hpp"
#include "proto/spin_lock.hpp"

namespace troupe::workers {

namespace {

/// The low bits of `entry_` hold the number of members in the call; 0 ends all helpers.
constexpr std::uint32_t kCountBits = 12;
constexpr std::uint32_t kCountMask = (1U << kCountBits) - 1;
constexpr std::uint32_t kLeft = 1U << 16U;
/// The number of readings of a word between two readings of the clock. It is above 1 because reading the clock takes as
/// long as reading a word several times.
constexpr int kLooks = 64;

std::chrono::steady_clock::time_point now() noexcept { return std::chrono::steady_clock::now(); }

using Gained = std::atomic<std::int64_t>;

/// Returns the processor's ticks. They are used because reading the clock takes twice as long, and waits for the
/// instructions that the core has begun.
std::int64_t ticks() noexcept { return static_cast<std::int64_t>(platform::rough_ticks()); }

/// Adds to a counter. Called only by the member to which the counter belongs. Relaxed: the master reads the exact sum
/// only between two calls of `enter`, when it has waited for all helpers (`pending_`).
void add(Gained& gained, std::int64_t amount) noexcept {
  gained.store(gained.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
}

/// The counter of the member that runs in the calling thread.
thread_local Gained* own_gained = nullptr;

/// While an object of this class exists, the calling member waits and does not compute. The destructor subtracts this
/// time from the member's counter.
class Pause {
 public:
  Pause() = default;
  Pause(const Pause&) = delete;
  Pause& operator=(const Pause&) = delete;
  ~Pause() { add(*own_gained, begin_ - ticks()); }

 private:
  const std::int64_t begin_ = ticks();
};

}  // namespace

CoreTeam::CoreTeam(Options options) : options_(std::move(options)), team_(options_.helpers.size() + 1) {
  if (static_cast<std::uint32_t>(members()) > kCountMask) throw std::length_error("a team has at most 4095 cores");
  active_ = members();
  if (!options_.doorbells.empty()) return;
  threads_.reserve(options_.helpers.size());
  try {
    for (int rank = 1; rank < members(); ++rank) threads_.emplace_back([this, rank] { help(rank); });
  } catch (...) {
    stop();
    throw;
  }
}

CoreTeam::~CoreTeam() { stop(); }

void CoreTeam::stop() noexcept {
  entry_.store((entry_.load(std::memory_order_relaxed) | kCountMask) + 1, std::memory_order_seq_cst);
  entry_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void CoreTeam::limit(int members) noexcept { active_ = std::clamp(members, 1, this->members()); }

std::int64_t CoreTeam::gained_ticks() const noexcept {
  std::int64_t sum = 0;
  for (const Member& member : team_) sum += member.gained.load(std::memory_order_relaxed);
  return sum;
}

template <class Word>
std::uint32_t CoreTeam::changed(Word& word, std::uint32_t old) const noexcept {
  // Acquire: pairs with the store of the new value, and makes visible what was written before that store.
  std::uint32_t seen = word.load(std::memory_order_acquire);
  if (seen != old) return seen;
  const auto begin = now();
  do {
    for (int i = 0; i < kLooks; ++i) {
      seen = word.load(std::memory_order_acquire);
      if (seen != old) return seen;
      SpinLock::pause();
    }
  } while (now() - begin < options_.spin);
  while ((seen = word.load(std::memory_order_acquire)) == old) word.wait(old, std::memory_order_acquire);
  return seen;
}

void CoreTeam::enter(Body body, void* work) {
  const auto helpers = static_cast<std::uint32_t>(active_ - 1);
  body_ = body;
  work_ = work;
  scope_ = graph::ExecutionScope::innermost();
  own_gained = &team_.front().gained;
  if (helpers == 0) {
    run_body(0);
  } else {
    at_barrier_.store(0, std::memory_order_relaxed);
    pending_.store(helpers, std::memory_order_relaxed);
    // Publishes `body_`, and all that the master has done, to helpers, which load `entry_` with acquire in `changed`.
    // Sequentially consistent, because `notify_all` looks for sleeping threads: a thread that is about to sleep either
    // sees the new entry or is seen by `notify_all`.
    entry_.store(((entry_.load(std::memory_order_relaxed) | kCountMask) + 1) | (helpers + 1),
                 std::memory_order_seq_cst);
    entry_.notify_all();
    for (std::uint32_t i = 0; i < helpers && i < options_.doorbells.size(); ++i) options_.doorbells[i]->ring();
    run_body(0);
    if (std::uint32_t left = pending_.load(std::memory_order_acquire); left != 0) {
      const Pause pause;
      while (left != 0) left = changed(pending_, left);
    }
  }
  std::exception_ptr first;
  for (Member& member : team_) {
    if (member.error && !first) first = member.error;
    member.error = nullptr;
  }
  if (first) std::rethrow_exception(first);
}

void CoreTeam::run_body(int rank) noexcept {
  try {
    body_(work_, rank);
  } catch (...) {
    team_[static_cast<std::size_t>(rank)].error = std::current_exception();
  }
  leave();
}

bool CoreTeam::bind_like(int rank) const {
  if (rank == 0) return true;
  const platform::CpuSet& pus = options_.helpers[static_cast<std::size_t>(rank) - 1];
  return pus.empty() || platform::bind_this_thread(pus).ok();
}

void CoreTeam::help(int rank) noexcept {
  platform::name_this_thread(options_.name + "." + std::to_string(rank));
  // A helper that cannot be bound to its processing units (PUs) is only slower.
  (void)bind_like(rank);
  platform::use_one_openmp_thread();
  std::uint32_t seen = 0;
  while (true) {
    seen = changed(entry_, seen);
    if ((seen & kCountMask) == 0) return;
    answer(rank, seen);
  }
}

bool CoreTeam::answer(int rank, std::uint32_t entry) noexcept {
  if (static_cast<std::uint32_t>(rank) >= (entry & kCountMask)) return false;
  own_gained = &team_[static_cast<std::size_t>(rank)].gained;
  const std::int64_t begin = ticks();
  {
    const graph::ExecutionScope::Joined joined(scope_);
    run_body(rank);
  }
  add(*own_gained, ticks() - begin);
  // Publishes the effects of this member's call of `body_` to the master, which loads `pending_` with acquire in
  // `enter`. Only the last helper wakes the master.
  if (pending_.fetch_sub(1, std::memory_order_seq_cst) == 1) pending_.notify_one();
  return true;
}

bool CoreTeam::take_what_is_there(int rank) noexcept {
  Member& self = team_[static_cast<std::size_t>(rank)];
  for (int i = 0; i < kLooks; ++i) {
    // Sequentially consistent: a thread that has cleared its doorbell sees here all entries for which the bell was rung
    // before. So the thread cannot miss an entry and sleep.
    const std::uint32_t entry = entry_.load(std::memory_order_seq_cst);
    if (entry != std::exchange(self.seen, entry) && answer(rank, entry)) return true;
    SpinLock::pause();
  }
  return false;
}

void CoreTeam::leave() noexcept {
  if (active_ > 1) arrive(0, 1);
}

void CoreTeam::barrier() noexcept {
  if (active_ == 1) return;
  // The number of the round cannot change before this member has arrived.
  const std::uint32_t round = barriers_.load(std::memory_order_relaxed);
  arrive(1, 0);
  // Acquire: pairs with `barriers_.fetch_add` in `arrive`.
  if (barriers_.load(std::memory_order_acquire) != round) return;
  const Pause pause;
  (void)changed(barriers_, round);
}

void CoreTeam::arrive(std::uint32_t arrived, std::uint32_t left) noexcept {
  std::uint32_t before = at_barrier_.load(std::memory_order_relaxed);
  while (true) {
    std::uint32_t after = before + arrived + left * kLeft;
    const std::uint32_t waiting = after % kLeft;
    const bool opens = waiting > 0 && waiting + after / kLeft == static_cast<std::uint32_t>(active_);
    if (opens) after -= waiting;
    // Acquire and release: a member that passes the barrier sees all that the other members did before.
    if (!at_barrier_.compare_exchange_weak(before, after, std::memory_order_acq_rel, std::memory_order_relaxed)) {
      continue;
    }
    if (!opens) return;
    barriers_.fetch_add(1, std::memory_order_seq_cst);
    barriers_.notify_all();
    return;
  }
}

}  // namespace troupe::workers
