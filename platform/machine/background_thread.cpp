#include "platform/machine/background_thread.hpp"

#include <utility>

#include "platform/machine/binding.hpp"

namespace troupe::platform {

namespace {

void run_job(const std::function<void()>& job) noexcept {
  try {
    job();
  } catch (...) {  // The program's function threw; no caller waits for the exception.
  }
}

}  // namespace

void BackgroundThread::run(std::function<void()> job) {
  {
    const LockGuard lock(mutex_);
    if (!stopped_) {
      jobs_.push_back(std::move(job));
      if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
      changed_.notify_all();
      return;
    }
  }
  run_job(job);
}

void BackgroundThread::work() {
  name_this_thread(name_);
  UniqueLock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this]() TROUPE_REQUIRES(mutex_) { return stopped_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    {
      const std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      run_job(job);
    }
    lock.lock();
  }
}

void BackgroundThread::stop() {
  std::thread thread;
  {
    const LockGuard lock(mutex_);
    stopped_ = true;
    thread = std::move(thread_);
    changed_.notify_all();
  }
  if (!thread.joinable()) return;
  if (thread.get_id() == std::this_thread::get_id()) {
    thread.detach();
  } else {
    thread.join();
  }
}

}  // namespace troupe::platform
