#include "service/sessions/ending_collector.hpp"

#include <iterator>

#include "proto/mutex.hpp"

namespace troupe::service {

std::size_t EndingCollector::shard_of_this_thread() {
  static std::atomic<std::size_t> threads{0};
  static thread_local const std::size_t number = threads.fetch_add(1, std::memory_order_relaxed);
  return number % kShards;
}

void EndingCollector::ended(std::uint64_t tag, TaskStatus status, const graph::FailureLog::Cause& cause) noexcept {
  Shard& shard = shards_[shard_of_this_thread()];
  if (tag == kChild) {
    // The end of the nested task, which comes later, wakes the session. Release: as below.
    shard.count.fetch_add(1, std::memory_order_release);
    return;
  }
  {
    const LockGuard lock(shard.lock);
    if (tag != 0 && status == TaskStatus::succeeded) shard.succeeded.push_back(tag);
    if (tag != 0 && status != TaskStatus::succeeded) shard.others.push_back({tag, status, cause});
    // Release: publishes the task's effects to `count`, which loads with acquire. The counter is increased before
    // `signalled_` is set, so that the session sees the new count when it is woken.
    shard.count.fetch_add(1, std::memory_order_release);
  }
  signal();
}

void EndingCollector::cancelled_unbegun(std::uint64_t tasks) noexcept {
  // Release: pairs with the acquire load in `count`.
  shards_[shard_of_this_thread()].count.fetch_add(tasks, std::memory_order_release);
  signal();
}

void EndingCollector::signal() noexcept {
  // The load comes before the exchange: for most tasks it avoids exclusive access to the cache line.
  if (!signalled_.load(std::memory_order_seq_cst) && !signalled_.exchange(true, std::memory_order_seq_cst)) wake_();
}

void EndingCollector::take(Batch& batch) {
  signalled_.store(false, std::memory_order_seq_cst);
  for (Shard& shard : shards_) {
    const LockGuard lock(shard.lock);
    if (batch.succeeded.empty()) {
      batch.succeeded.swap(shard.succeeded);
    } else {
      batch.succeeded.insert(batch.succeeded.end(), shard.succeeded.begin(), shard.succeeded.end());
      shard.succeeded.clear();
    }
    std::move(shard.others.begin(), shard.others.end(), std::back_inserter(batch.others));
    shard.others.clear();
  }
}

std::uint64_t EndingCollector::count() const {
  std::uint64_t count = 0;
  // Acquire: pairs with the release additions in `ended` and `cancelled_unbegun`.
  for (const Shard& shard : shards_) count += shard.count.load(std::memory_order_acquire);
  return count;
}

}  // namespace troupe::service
