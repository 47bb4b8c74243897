#include "tests/support/thread_host.hpp"

#include <utility>

#include "tests/support/run_task.hpp"

namespace troupe::tests {

ThreadHost::ThreadHost(const Options& options)
    : graph_({.workers = options.workers, .window = options.window}, *this), random_(options.seed) {
  for (std::size_t i = 0; i < options.workers; ++i) {
    threads_.emplace_back([this, i] { work(WorkerId(static_cast<std::uint32_t>(i))); });
  }
}

ThreadHost::~ThreadHost() {
  [[maybe_unused]] const Result<void> outcome = graph_.wait_all();
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  condition_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadHost::activate(graph::TaskList& ready, WorkerId) noexcept {
  {
    const std::lock_guard lock(mutex_);
    while (!ready.empty()) ready_.push_back(ready.pop_front());
  }
  condition_.notify_all();
}

graph::Task* ThreadHost::next(WorkerId worker) {
  std::unique_lock lock(mutex_);
  while (ready_.empty()) {
    if (stopping_) return nullptr;
    lock.unlock();
    graph_.worker_is_idle(worker);
    lock.lock();
    condition_.wait(lock, [&] { return stopping_ || !ready_.empty(); });
  }
  std::swap(ready_.back(), ready_[random_.below(static_cast<std::uint32_t>(ready_.size()))]);
  graph::Task* const task = ready_.back();
  ready_.pop_back();
  return task;
}

void ThreadHost::work(WorkerId worker) {
  while (graph::Task* const task = next(worker)) {
    graph::TaskList ready;
    run_task(graph_, *task, worker, ready);
    if (!ready.empty()) activate(ready, worker);
  }
}

}  // namespace troupe::tests
