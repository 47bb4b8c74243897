/// A task graph whose tasks plain threads run, without any actor.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "graph/task_graph.hpp"
#include "proto/random.hpp"

namespace troupe::tests {

/// A host whose workers are plain threads. Each worker takes a random ready task. The destructor waits for all tasks.
class ThreadHost final : public graph::GraphHost {
 public:
  struct Options {
    std::size_t workers = 2;
    std::size_t window = 65536;
    /// The seed of the choice among ready tasks.
    std::uint64_t seed = 1;
  };

  explicit ThreadHost(const Options& options);
  ~ThreadHost() override;
  ThreadHost(const ThreadHost&) = delete;
  ThreadHost& operator=(const ThreadHost&) = delete;

  [[nodiscard]] graph::TaskGraph& graph() { return graph_; }

  void activate(graph::TaskList& ready, WorkerId worker) noexcept override;
  Pump pump() override { return Pump::block; }

 private:
  void work(WorkerId worker);
  /// Waits for the next task and returns it. Returns null when the host stops.
  graph::Task* next(WorkerId worker);

  graph::TaskGraph graph_;
  std::mutex mutex_;
  std::condition_variable condition_;
  std::vector<graph::Task*> ready_;  // guarded by mutex_
  Random random_;                    // guarded by mutex_
  bool stopping_ = false;            // guarded by mutex_
  std::vector<std::thread> threads_;
};

}  // namespace troupe::tests
