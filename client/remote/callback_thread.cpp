#include "client/remote/callback_thread.hpp"

#include <utility>

namespace troupe::remote {

void CallbackThread::stop() {
  {
    const LockGuard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void CallbackThread::add(TaskLedger::DueCallback due) {
  {
    const LockGuard lock(mutex_);
    due_.push_back(std::move(due));
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
  }
  changed_.notify_one();
}

void CallbackThread::run() {
  UniqueLock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this]() TROUPE_REQUIRES(mutex_) { return stop_ || !due_.empty(); });
    if (due_.empty()) return;
    TaskLedger::DueCallback next = std::move(due_.front());
    due_.pop_front();
    lock.unlock();
    call_(next);
    // What it keeps ends outside of the lock.
    next = {};
    lock.lock();
  }
}

}  // namespace troupe::remote
