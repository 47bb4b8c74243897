#include "platform/accelerators/copy_thread.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "platform/machine/binding.hpp"
#include "platform/machine/clock.hpp"

namespace troupe::platform {

CopyThread::CopyThread(Options options) : options_(std::move(options)), thread_([this] { work(); }) {}

CopyThread::~CopyThread() { stop(); }

void CopyThread::stop() {
  {
    const LockGuard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  const LockGuard lock(joining_);
  if (thread_.joinable()) thread_.join();
}

Failure CopyThread::given_up() const {
  return {ErrorCode::transfer_failed, options_.what + ": the device was given up before it began"};
}

void CopyThread::add(const BlockCopy& copy, CopyNumber number, bool urgent, CopyDone done) {
  {
    UniqueLock lock(mutex_);
    if (stopping_) {
      // The thread may have looked for the last time.
      lock.unlock();
      done(given_up());
      return;
    }
    (urgent ? urgent_ : others_).push_back({copy, number, std::move(done)});
  }
  wake_.notify_one();
}

void CopyThread::hurry(CopyNumber number) {
  const LockGuard lock(mutex_);
  const auto found = std::ranges::find(others_, number, &Order::number);
  if (found == others_.end()) return;
  urgent_.push_back(std::move(*found));
  others_.erase(found);
}

CopyTraffic CopyThread::traffic() const {
  const LockGuard lock(mutex_);
  return traffic_;
}

std::optional<CopyThread::Order> CopyThread::take() {
  UniqueLock lock(mutex_);
  wake_.wait(lock, [this]() TROUPE_REQUIRES(mutex_) { return stopping_ || !urgent_.empty() || !others_.empty(); });
  std::deque<Order>& queue = urgent_.empty() ? others_ : urgent_;
  if (queue.empty()) return std::nullopt;
  Order order = std::move(queue.front());
  queue.pop_front();
  return order;
}

void CopyThread::work() {
  name_this_thread(options_.name);
  while (std::optional<Order> order = take()) order->done(perform(order->copy));
}

Result<void> CopyThread::perform(const BlockCopy& copy) {
  {
    const LockGuard lock(mutex_);
    if (stopping_) return given_up();
  }
  const SteadyClock clock;
  const TimeStamp begin = clock.now();
  Result<void> outcome;
  try {
    if (copy.bytes().count > 0) outcome = options_.copy(copy);
  } catch (const std::exception& error) {
    outcome = Failure{ErrorCode::transfer_failed, options_.what + ": " + error.what()};
  }
  if (!outcome) return outcome;
  const LockGuard lock(mutex_);
  traffic_.bytes += copy.bytes();
  ++traffic_.copies;
  traffic_.busy += clock.now() - begin;
  return outcome;
}

}  // namespace troupe::platform
