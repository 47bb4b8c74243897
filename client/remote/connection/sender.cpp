#include "client/remote/connection/sender.hpp"

#include <chrono>
#include <memory>

namespace troupe::remote {

Sender::Sender(MessageStream& stream, TaskLedger& ledger, std::uint64_t most_tasks)
    : stream_(stream), ledger_(ledger), most_tasks_(most_tasks), operations_(most_tasks), thread_([this] { run(); }) {}

Sender::~Sender() { stop(true); }

void Sender::send(std::unique_lock<std::mutex>& lock) {
  const bool wake = idle_;
  lock.unlock();
  if (wake) changed_.notify_one();
}

void Sender::stop(bool drop) {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    drop_ = drop_ || drop;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

bool Sender::has_room(std::unique_lock<std::mutex>& lock) {
  const std::uint64_t tasks = operations_.next_needs();
  while (tasks != 0 && sent_tasks_ + tasks > ledger_.arrived() + most_tasks_) {
    if (drop_ || !urgent_.empty()) return false;
    // This thread waits here only if callbacks have submitted very many tasks. The wait has a time limit, so that the
    // thread that learns of the ends of tasks need not notify this thread.
    changed_.wait_for(lock, std::chrono::milliseconds(1));
  }
  return true;
}

void Sender::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    idle_ = true;
    changed_.wait(lock, [this] { return stop_ || !operations_.empty() || !urgent_.empty(); });
    idle_ = false;
    if (drop_ || (operations_.empty() && urgent_.empty())) return;
    std::unique_ptr<OperationBatches::Batch> batch;
    if (!urgent_.empty()) {
      batch = urgent_.take();
    } else if (has_room(lock)) {
      batch = operations_.take();
      sent_tasks_ += batch->tasks;
    } else {
      continue;
    }
    lock.unlock();
    const bool written = stream_.write(batch->message);
    batch.reset();
    lock.lock();
    // The thread that reads the stream also sees the end of the stream, and reports the loss to all waiting threads.
    if (!written) drop_ = true;
    if (drop_) return;
  }
}

}  // namespace troupe::remote
