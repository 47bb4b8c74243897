#include "platform/accelerators/copy_engine.hpp"

#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <utility>

#include "platform/machine/binding.hpp"

namespace troupe::platform {

namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

/// A copy moves in pieces. A piece takes about this time, unless the limits below change its size. With shorter pieces
/// the thread would wake up for every few bytes.
constexpr double kPiece_s = 100e-6;
constexpr std::size_t kLeastPiece = std::size_t{64} << 10U;
constexpr std::size_t kLargestPiece = std::size_t{64} << 20U;
/// The longest time that is computed for a copy, three years. Longer times could overflow a `Duration`.
constexpr double kLongest_ns = 1e17;
/// The thread's timer slack. The kernel's default of 50 us is longer than many copies take.
constexpr unsigned long kTimerSlack_ns = 1000;

TimeStamp now() { return std::chrono::steady_clock::now().time_since_epoch(); }

std::size_t piece_of(const CopySpeed& speed) {
  const double bytes = std::min(speed.bytes_per_s * kPiece_s, static_cast<double>(kLargestPiece));
  return std::max(kLeastPiece, static_cast<std::size_t>(bytes));
}

Failure given_up() { return {ErrorCode::transfer_failed, "the copy had not begun when the device was given up"}; }

/// Moves bytes without the lock, so that other threads may take it meanwhile. Clang's analysis does not see which mutex
/// `lock` holds.
void move_unlocked(const BlockCopy& copy, std::size_t begin, std::size_t end,
                   UniqueLock& lock) TROUPE_NO_THREAD_SAFETY_ANALYSIS {
  lock.unlock();
  move_bytes(copy, begin, end);
  lock.lock();
}

}  // namespace

CopyEngine::CopyEngine(Options options)
    : options_(std::move(options)), piece_bytes_(piece_of(options_.speed)), thread_([this] { work(); }) {}

CopyEngine::~CopyEngine() { stop(); }

void CopyEngine::stop() {
  {
    const LockGuard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void CopyEngine::copy(const BlockCopy& copy, CopyNumber number, bool urgent, CopyDone done) {
  UniqueLock lock(mutex_);
  if (stopping_) {
    // After `stop`, the engine's thread may never check the queue again. So the copy fails here, in the caller's
    // thread.
    lock.unlock();
    done(given_up());
    return;
  }
  queue_.add({copy, number, std::move(done), now()}, urgent);
  lock.unlock();
  wake_.notify_one();
}

void CopyEngine::hurry(CopyNumber number) {
  const LockGuard lock(mutex_);
  queue_.hurry(number);
}

void CopyEngine::lose(const Failure& failure) {
  {
    const LockGuard lock(mutex_);
    lost_ = failure;
  }
  wake_.notify_all();
}

CopyTraffic CopyEngine::traffic() const {
  const LockGuard lock(mutex_);
  return traffic_;
}

void CopyEngine::work() {
  name_this_thread(options_.name);
  (void)prctl(PR_SET_TIMERSLACK, kTimerSlack_ns, 0, 0, 0);
  UniqueLock lock(mutex_);
  while (true) {
    wake_.wait(lock, [this]() TROUPE_REQUIRES(mutex_) { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    PendingCopy order = *queue_.take();
    Result<void> outcome = perform(order, lock);
    lock.unlock();
    order.done(std::move(outcome));
    // Destroys `done` and the objects in it before the next copy begins, and without holding the lock.
    order.done = nullptr;
    lock.lock();
  }
}

Duration CopyEngine::time_of(Bytes bytes) const {
  const double ns = static_cast<double>(bytes.count) / options_.speed.bytes_per_s * 1e9;
  return options_.speed.latency + Duration(std::llround(std::min(ns, kLongest_ns)));
}

Result<void> CopyEngine::perform(const PendingCopy& order, UniqueLock& lock) {
  if (lost_) return *lost_;
  if (stopping_) return given_up();
  const TimeStamp begin = std::max(order.asked, free_at_);
  free_at_ = begin + time_of(order.block.bytes());
  Result<void> fault;
  if (options_.fault) fault = options_.fault();
  if (auto moved = move(order, begin, !fault, lock); !moved) return moved;
  if (fault) count(order, begin);
  return fault;
}

/// Moves the bytes, piece by piece. If `fails`, the last piece is not moved.
Result<void> CopyEngine::move(const PendingCopy& order, TimeStamp begin, bool fails, UniqueLock& lock) {
  const std::size_t all = order.block.bytes().count;
  std::size_t moved = 0;
  do {
    const std::size_t until = std::min(all, moved + piece_bytes_);
    wake_.wait_until(lock, SteadyTime(begin + time_of({until})),
                     [this]() TROUPE_REQUIRES(mutex_) { return stopping_ || lost_; });
    if (lost_) return *lost_;
    if (!fails || until < all) move_unlocked(order.block, moved, until, lock);
    moved = until;
  } while (moved < all);
  if (lost_) return *lost_;
  return {};
}

void CopyEngine::count(const PendingCopy& order, TimeStamp begin) {
  const TimeStamp end = now();
  traffic_.bytes += order.block.bytes();
  ++traffic_.copies;
  traffic_.busy += end - std::max(begin, ended_);
  ended_ = end;
}

}  // namespace troupe::platform
