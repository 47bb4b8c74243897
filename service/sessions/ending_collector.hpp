/// Collects ended tasks from workers, for the session that notifies its client of them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "graph/tasks/task_endings.hpp"
#include "proto/mutex.hpp"
#include "proto/spin_lock.hpp"

namespace troupe::service {

/// Workers add ended tasks; the session's thread takes all of them at once.
class EndingCollector : public graph::TaskEndings {
 public:
  struct Unsuccessful {
    std::uint64_t task = 0;
    TaskStatus status = TaskStatus::failed;
    graph::FailureLog::Cause cause;
  };
  struct Batch {
    std::vector<std::uint64_t> succeeded;
    std::vector<Unsuccessful> others;

    [[nodiscard]] std::size_t size() const { return succeeded.size() + others.size(); }
    [[nodiscard]] bool empty() const { return size() == 0; }
    void clear() {
      succeeded.clear();
      others.clear();
    }
  };

  /// `wake` is called in a worker's thread when ended tasks can be taken. After a call, `wake` is not called again
  /// before the next `take`, so under load the calls are few.
  explicit EndingCollector(std::function<void()> wake) : wake_(std::move(wake)) {}

  void ended(std::uint64_t tag, TaskStatus status, const graph::FailureLog::Cause& cause) noexcept override;
  void cancelled_unbegun(std::uint64_t tasks) noexcept override;
  /// Moves all ended tasks that have been added to the end of `batch`. Called by the session's thread.
  void take(Batch& batch);
  /// Returns true if there may be ended tasks to take. Called by the session's thread.
  [[nodiscard]] bool any() const { return signalled_.load(std::memory_order_relaxed); }
  /// Returns the number of tasks that have ended, including tasks without a client's number. Called by the session's
  /// thread. The number is exact if no task is in flight; otherwise some ended tasks may be missing.
  [[nodiscard]] std::uint64_t count() const;

 private:
  /// Each worker's thread writes one shard; threads share shards only if there are more than `kShards` threads.
  struct alignas(64) Shard {
    SpinLock lock;
    std::atomic<std::uint64_t> count{0};
    std::vector<std::uint64_t> succeeded TROUPE_GUARDED_BY(lock);
    std::vector<Unsuccessful> others TROUPE_GUARDED_BY(lock);
  };
  static constexpr std::size_t kShards = 8;
  static std::size_t shard_of_this_thread();
  /// Wakes the session, unless it has been woken since its last `take`.
  void signal() noexcept;

  const std::function<void()> wake_;
  std::array<Shard, kShards> shards_;
  /// A worker sets this flag after it has added a task; the session clears it before it takes tasks. All these accesses
  /// are sequentially consistent. Either the session sees the added task, or the worker sees the cleared flag and wakes
  /// the session.
  alignas(64) std::atomic<bool> signalled_{false};
};

}  // namespace troupe::service
