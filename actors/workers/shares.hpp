/// Fair shares of the workers for several clients.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "actors/workers/queues/task_deque.hpp"
#include "graph/tasks/spin_lock.hpp"
#include "graph/tasks/task.hpp"
#include "proto/units.hpp"

namespace troupe::workers {

/// One client's share. What is not said to be guarded may be read by any thread at any time.
struct alignas(64) Share {
  explicit Share(double share_weight) : weight(share_weight) {}

  /// Ready tasks that wait for their turn.
  TaskDeque waiting;
  std::atomic<double> weight;
  /// Ready or running tasks.
  std::atomic<std::int64_t> active{0};
  /// Time that workers have spent on its tasks, and how long its tasks have taken lately. Relaxed: figures.
  std::atomic<std::int64_t> used_ns{0};
  std::atomic<std::int64_t> mean_ns{0};
  /// Worker time over weight, with what its running tasks will probably take: who has least is next.
  double virtual_ns = 0;  // guarded by Shares::mutex_
};

/// Clients take turns so that those that have work get worker time in proportion to their weights: whenever a worker
/// wants a task, the client is next that has had least for its weight. A client that had nothing to do for a while may
/// catch up on `kCredit` of it, but no more. While one client alone has work, its tasks go the way of any runtime's,
/// and this only counts.
///
/// Any thread may call anything, but for `open` and `close`: the share's first task comes after its opening, and its
/// last has ended before it is closed.
class Shares {
 public:
  static constexpr Duration kCredit = std::chrono::milliseconds(50);

  /// What a worker was given: tasks of one client, and what the first has been charged in advance.
  struct Turn {
    Share* share = nullptr;
    graph::TaskList tasks;
    std::int64_t charged_ns = 0;
  };

  Shares();

  Share& open(double weight);
  void close(const Share& share);

  /// Several clients have ready or running tasks.
  [[nodiscard]] bool contended() const { return busy_clients_.load(std::memory_order_relaxed) > 1; }
  /// Changes whenever a second client gets work.
  [[nodiscard]] std::uint64_t contentions() const { return contentions_.load(std::memory_order_relaxed); }
  /// Tasks that wait for their turn. Sequentially consistent, see `TaskDeque::size`.
  [[nodiscard]] std::size_t waiting() const { return waiting_.load(std::memory_order_seq_cst); }

  /// Tasks that are ready or run and do not wait for their turn. Sequentially consistent: who adds a task and who takes
  /// one away cannot both miss that there is room for another.
  [[nodiscard]] std::int64_t in_service() const {
    return active_.load(std::memory_order_seq_cst) - static_cast<std::int64_t>(waiting());
  }

  /// Tasks of this share have become ready.
  void activated(Share& share, std::size_t tasks) noexcept;
  /// One has left the workers: it has ended, or waits for a lock.
  void left(Share& share) noexcept;
  /// Empties `tasks`: they wait for their turn.
  void push(Share& share, graph::TaskList& tasks) noexcept;
  /// The next client's most urgent tasks: one, or several short ones. Empty: none wait. `in_advance`: the first is
  /// charged what it will probably take.
  [[nodiscard]] Turn take(bool in_advance = true) noexcept;
  /// A task has taken a worker so long, after having been charged `charged_ns` in advance. 0: it did not run.
  void settle(Share& share, std::int64_t charged_ns, std::int64_t took_ns) noexcept;

 private:
  /// Where workers ask seldom enough for a lock that they share: short tasks are given out for so long at a time.
  static constexpr std::int64_t kTurn_ns = 50'000;
  static constexpr std::size_t kMostInTurn = 32;

  /// The share to serve next, or null. Requires mutex_.
  [[nodiscard]] Share* next() const;

  std::atomic<std::int64_t> busy_clients_{0};
  std::atomic<std::uint64_t> contentions_{0};
  /// Of all shares.
  std::atomic<std::int64_t> active_{0};
  std::atomic<std::size_t> waiting_{0};
  mutable SpinLock mutex_;
  std::vector<std::unique_ptr<Share>> shares_;  // guarded by mutex_
  /// Of the client that was served last: who comes back has had as much, but for his credit.
  double virtual_ns_ = 0;  // guarded by mutex_
};

}  // namespace troupe::workers
