/// Workers that are plain threads, without actors.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "actors/workers/worker_core.hpp"

namespace troupe::tests {

/// The workers of a crew as plain threads. Each performs the commands of its core. A wake-up is a flag and a condition
/// variable, so a lost wake-up makes the test hang. The destructor stops the threads.
class WorkerThreads {
 public:
  /// Runs a task's kernel. Null means success.
  using Run = std::function<graph::FailureLog::Cause(graph::Task&, WorkerId)>;

  WorkerThreads(workers::Crew& crew, std::size_t count, Run run) : crew_(crew), run_(std::move(run)), beds_(count) {
    for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this, i] { work(i); });
  }
  ~WorkerThreads() {
    stopping_ = true;
    for (std::size_t i = 0; i < beds_.size(); ++i) wake(i);
    for (std::thread& thread : threads_) thread.join();
  }
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;

  /// Wakes a worker that the crew has marked as idle, if there is one.
  void wake_idle() {
    const WorkerId sleeper = crew_.take_idle(WorkerId{});
    if (sleeper.valid()) wake(sleeper.index());
  }

 private:
  struct Bed {
    std::mutex mutex;
    std::condition_variable condition;
    bool woken = false;  // Guarded by `mutex`.
  };

  void wake(std::size_t worker) {
    const std::lock_guard lock(beds_[worker].mutex);
    beds_[worker].woken = true;
    beds_[worker].condition.notify_one();
  }
  void sleep(std::size_t worker) {
    std::unique_lock lock(beds_[worker].mutex);
    beds_[worker].condition.wait(lock, [&] { return beds_[worker].woken; });
    beds_[worker].woken = false;
  }
  void work(std::size_t self) {
    using workers::Step;
    const WorkerId id(static_cast<std::uint32_t>(self));
    workers::WorkerCore core(crew_, {.self = id, .seed = self + 1});
    while (!stopping_) {
      const Step step = core.next();
      if (step.wake.valid()) wake(step.wake.index());
      switch (step.kind) {
        case Step::Kind::wait:
        case Step::Kind::acquire:
        case Step::Kind::stand_by:
        case Step::Kind::help:
        case Step::Kind::send_on: break;
        case Step::Kind::start: core.task_ended(*step.task, run_(*step.task, id)); break;
        case Step::Kind::steal: {
          graph::TaskList stolen = take_half(crew_, step.victim);
          core.steal_answered(step.victim, stolen);
          break;
        }
        case Step::Kind::rest:
          if (core.park()) {
            sleep(self);
            core.unpark();
          }
          break;
      }
    }
  }

  workers::Crew& crew_;
  Run run_;
  std::vector<Bed> beds_;
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
};

}  // namespace troupe::tests
