#include "opencl/commands/event_state.hpp"

#include <CL/cl.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

namespace troupe::opencl {

EventState::EventState() : EventState(CL_QUEUED) {}

EventState::EventState(int first) : status_(first) {
  times_.queued = now();
  if (first <= CL_SUBMITTED) times_.submitted = times_.queued;
}

std::uint64_t EventState::now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

bool EventState::advance(int status) { return advance(status, 0); }

bool EventState::end(int status, std::uint64_t started) { return advance(std::min(status, CL_COMPLETE), started); }

bool EventState::advance(int status, std::uint64_t started) {
  std::vector<Waiting> due;
  {
    const LockGuard lock(mutex_);
    const int before = status_.load(std::memory_order_relaxed);
    if (before <= CL_COMPLETE || status >= before) return false;
    // A state that was skipped gets the time of the next later state.
    const std::uint64_t when = now();
    if (times_.submitted == 0) times_.submitted = started != 0 ? std::min(started, when) : when;
    if (status <= CL_RUNNING && times_.started == 0) {
      times_.started = started != 0 ? std::clamp(started, times_.submitted, when) : when;
    }
    if (status <= CL_COMPLETE) times_.ended = when;
    const auto later = std::stable_partition(waiting_.begin(), waiting_.end(),
                                             [status](const Waiting& one) { return one.at < status; });
    due.assign(std::make_move_iterator(later), std::make_move_iterator(waiting_.end()));
    waiting_.erase(later, waiting_.end());
    status_.store(status, std::memory_order_seq_cst);
  }
  // While any thread of the process waits, the standard library makes a system call for every notification. So this
  // code first checks whether a thread waits for this event.
  if (status <= CL_COMPLETE && sleepers_.load(std::memory_order_seq_cst) > 0) status_.notify_all();
  for (const Waiting& one : due) one.listener(status < 0 ? status : one.at);
  return true;
}

void EventState::when(int at, Listener listener) {
  int status = 0;
  {
    const LockGuard lock(mutex_);
    status = status_.load(std::memory_order_relaxed);
    if (status > at) {
      waiting_.push_back({at, std::move(listener)});
      return;
    }
  }
  listener(status < 0 ? status : at);
}

int EventState::wait() const {
  // A wait first polls for this many nanoseconds: short commands end before a thread could be woken.
  constexpr std::uint64_t kSpin = 20'000;
  // If a yield takes this long, another thread has run on this core, perhaps the thread that this thread waits for. Two
  // threads that yield to each other stay on one core for long, while a sleeping thread is woken on a free core. So the
  // next wait sleeps at once.
  constexpr std::uint64_t kShared = 3'000;
  thread_local bool shares_core = false;
  int status = status_.load(std::memory_order_acquire);
  if (status > CL_COMPLETE && !std::exchange(shares_core, false)) {
    const std::uint64_t begin = now();
    std::uint64_t looked = begin;
    while (status > CL_COMPLETE && looked - begin < kSpin && !shares_core) {
      std::this_thread::yield();
      const std::uint64_t before = std::exchange(looked, now());
      shares_core = looked - before > kShared;
      status = status_.load(std::memory_order_acquire);
    }
  }
  if (status <= CL_COMPLETE) return status;
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  while ((status = status_.load(std::memory_order_seq_cst)) > CL_COMPLETE) {
    status_.wait(status, std::memory_order_seq_cst);
  }
  sleepers_.fetch_sub(1, std::memory_order_relaxed);
  return status;
}

EventState::Times EventState::times() const {
  const LockGuard lock(mutex_);
  return times_;
}

}  // namespace troupe::opencl
