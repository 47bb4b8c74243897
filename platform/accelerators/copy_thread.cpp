#include "platform/accelerators/copy_thread.hpp"

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
      // After `stop`, the thread may never check the queue again. So the copy fails here, in the caller's thread.
      lock.unlock();
      done(given_up());
      return;
    }
    queue_.add({.block = copy, .number = number, .done = std::move(done)}, urgent);
  }
  wake_.notify_one();
}

void CopyThread::hurry(CopyNumber number) {
  const LockGuard lock(mutex_);
  queue_.hurry(number);
}

CopyTraffic CopyThread::traffic() const {
  const LockGuard lock(mutex_);
  return traffic_;
}

std::optional<PendingCopy> CopyThread::take() {
  UniqueLock lock(mutex_);
  wake_.wait(lock, [this]() TROUPE_REQUIRES(mutex_) { return stopping_ || !queue_.empty(); });
  return queue_.take();
}

void CopyThread::work() {
  name_this_thread(options_.name);
  while (std::optional<PendingCopy> copy = take()) copy->done(perform(copy->block));
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
