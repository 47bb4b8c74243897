/// A task graph driven by plain threads: all parts of the runtime that the graph needs, without an actor.
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

/// A host with plain threads as workers, each of which takes a random ready task. The destructor waits for all tasks.
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
  /// Returns the next task, or null when it is time to end.
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
