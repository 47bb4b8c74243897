/// Where workers leave the news of tasks that have ended, for the session that tells its client.
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

/// Workers add, the session's thread takes everything at once.
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

  /// `wake` is called in workers' threads when something can be taken, and not again before it was taken: so under
  /// load it costs nothing.
  explicit EndingCollector(std::function<void()> wake) : wake_(std::move(wake)) {}

  void ended(std::uint64_t tag, TaskStatus status, const graph::FailureLog::Cause& cause) noexcept override;
  void cancelled_unbegun(std::uint64_t tasks) noexcept override;
  /// Appends to `batch`. The session's thread.
  void take(Batch& batch);
  /// Something can be taken. The session's thread.
  [[nodiscard]] bool any() const { return signalled_.load(std::memory_order_relaxed); }
  /// Tasks that have ended, those without a number included. The session's thread; exact for who knows that no task
  /// is in flight, else at most the truth.
  [[nodiscard]] std::uint64_t count() const;

 private:
  /// Workers write different ones, as far as there are enough.
  struct alignas(64) Shard {
    SpinLock lock;
    std::atomic<std::uint64_t> count{0};
    std::vector<std::uint64_t> succeeded TROUPE_GUARDED_BY(lock);
    std::vector<Unsuccessful> others TROUPE_GUARDED_BY(lock);
  };
  static constexpr std::size_t kShards = 8;
  static std::size_t shard_of_this_thread();
  /// Wakes the session unless somebody has since it took what there was.
  void signal() noexcept;

  const std::function<void()> wake_;
  std::array<Shard, kShards> shards_;
  /// Set by who adds, after adding; cleared by who takes, before taking. Sequentially consistent: so either the taker
  /// sees what was added, or the adder sees that it was cleared and wakes.
  alignas(64) std::atomic<bool> signalled_{false};
};

}  // namespace troupe::service
