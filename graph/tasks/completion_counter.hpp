/// Counts the tasks that have ended, without contention.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace troupe::graph {

/// One counter per worker, and one more for all other threads. Each counter has a cache line of its own; only its
/// worker writes it. Reading all counters costs a cache miss per worker, so only waiting threads and workers out of
/// work read.
class CompletionCounter {
 public:
  explicit CompletionCounter(std::size_t workers) : shards_(workers + 1), outside_(workers) {}

  /// Adds `tasks` to the counter with the index `worker`, and returns its new value.
  std::uint64_t count(std::size_t worker, std::uint64_t tasks = 1) {
    std::atomic<std::uint64_t>& shard = shards_[worker].ended;
    if (worker == outside_) [[unlikely]]
      return shard.fetch_add(tasks, std::memory_order_release) + tasks;
    const std::uint64_t ended = shard.load(std::memory_order_relaxed) + tasks;
    // The release store pairs with the loads in `total`; a thread that has seen the count has seen the task's effects.
    shard.store(ended, std::memory_order_release);
    return ended;
  }

  /// Called before this worker loads the flag of a waiting thread. Both threads use sequentially consistent operations,
  /// so the thread that set the flag sees this worker's counts, or the worker sees the flag.
  void publish(std::size_t worker) { shards_[worker].ended.fetch_add(0, std::memory_order_seq_cst); }

  [[nodiscard]] std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const Shard& shard : shards_) sum += shard.ended.load(std::memory_order_seq_cst);
    return sum;
  }
  /// Returns the index of the counter for threads that are not workers.
  [[nodiscard]] std::size_t outside() const { return outside_; }

 private:
  struct alignas(64) Shard {
    std::atomic<std::uint64_t> ended{0};
  };
  std::vector<Shard> shards_;
  const std::size_t outside_;
};

}  // namespace troupe::graph
