/// Fair shares of the workers for several clients: all that they do more than those of one program.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "actors/workers/queues/task_deque.hpp"
#include "graph/tasks/task.hpp"
#include "proto/ids.hpp"
#include "proto/mutex.hpp"
#include "proto/spin_lock.hpp"
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
  double virtual_ns = 0;  // guarded by Shares::mutex_, which has no name here
};

/// Clients take turns so that those that have work get worker time in proportion to their weights: whenever a worker
/// wants a task, the client is next that has had least for its weight. A client that had nothing to do for a while may
/// catch up on `kCredit` of it, but no more. While one client alone has work, its tasks go the way of any runtime's,
/// and this only counts.
///
/// A ready task counts as its client's (`activated`), may wait for its turn (`put_into_turns`), is given to a worker
/// (`take_turn`) or, under a placing policy, to the scheduler (`pass_on`), and leaves (`left`) when it has ended or
/// waits for a lock. While a worker has it in hand (from `taken` to `released`) the client is charged what it will
/// probably take, and then what it took.
///
/// Any thread may call anything, but for `open` and `close`: the share's first task comes after its opening, and its
/// last has ended before it is closed. What takes a `WorkerId` is called by that worker.
class Shares {
 public:
  static constexpr Duration kCredit = std::chrono::milliseconds(50);

  /// What a worker was given: tasks of one client, and what the first has been charged in advance.
  struct Turn {
    Share* share = nullptr;
    graph::TaskList tasks;
    std::int64_t charged_ns = 0;
  };

  /// `activation`: where the scheduler of a placing policy finds tasks; null: workers take turns themselves.
  explicit Shares(std::size_t workers = 0, TaskDeque* activation = nullptr);

  Share& open(double weight);
  void close(const Share& share);
  /// Whose task it is.
  [[nodiscard]] Share& of(const graph::Task& task) const;

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
  /// The same; all of one client.
  void activated(const graph::TaskList& ready) noexcept {
    if (!ready.empty()) activated(of(*ready.front()), ready.size());
  }
  /// One has left the workers: it has ended, or waits for a lock.
  void left(Share& share) noexcept;
  /// Empties `tasks`: they wait for their turn.
  void push(Share& share, graph::TaskList& tasks) noexcept;
  /// The same; all of one client.
  void put_into_turns(graph::TaskList& tasks) noexcept { push(of(*tasks.front()), tasks); }
  /// The same for all of a queue, whose they may be.
  template <class Queue>
  void put_all_into_turns(Queue& queue) noexcept {
    while (graph::Task* const task = queue.pop_oldest()) {
      graph::TaskList one;
      one.push_back(task);
      put_into_turns(one);
    }
  }
  /// Workers that want a task find some here.
  [[nodiscard]] bool turns_wait() const { return activation_ == nullptr && waiting() > 0; }
  /// Under a placing policy: moves tasks whose turn it is to the activation queue, as many as keep the workers busy.
  /// True: there are some.
  [[nodiscard]] bool pass_on() noexcept;
  /// The next client's most urgent tasks: one, or several short ones. Empty: none wait. `in_advance`: the first is
  /// charged what it will probably take.
  [[nodiscard]] Turn take(bool in_advance = true) noexcept;
  /// A task has taken a worker so long, after having been charged `charged_ns` in advance. 0: it did not run.
  void settle(Share& share, std::int64_t charged_ns, std::int64_t took_ns) noexcept;

  /// The worker begins, or another actor in its place: it has nothing in hand, and never more than so many tasks.
  void begin(WorkerId worker, std::size_t most);
  /// Several clients have work and had not when this was last asked: what lies with the worker has to wait for its
  /// turn.
  [[nodiscard]] bool contention_is_new(WorkerId worker) noexcept;
  /// The next task of the client whose turn it is, or null. Others of the same turn go to `own`, where they can be
  /// stolen, should the first take longer than expected.
  [[nodiscard]] graph::Task* take_turn(WorkerId worker, TaskDeque& own) noexcept;
  /// The worker has the task in hand, by a turn or not.
  void taken(WorkerId worker, const graph::Task& task) noexcept;
  /// Its kernel begins.
  void started(WorkerId worker, const graph::Task& task) noexcept;
  /// The worker has it in hand no more: it has ended, or will not run here. May be gone if it was `taken`. `took`: how
  /// long it had the device, if known; else the time since `started` counts. Returns whose it is.
  Share& released(WorkerId worker, const graph::Task& task, Duration took = Duration(-1)) noexcept;
  /// A worker has spent so long on a part of a task that another has in hand.
  void charge(Share& share, Duration took) noexcept;

 private:
  /// What a client is charged for a task that a worker has in hand.
  struct Charge {
    const graph::Task* task = nullptr;
    Share* share = nullptr;
    std::int64_t charged_ns = 0;
    /// Zero: it has not begun.
    std::chrono::steady_clock::time_point start;
  };
  /// One worker's, of no interest to others.
  struct alignas(64) Hand {
    std::vector<Charge> charges;
    /// For the task that `take_turn` returned last.
    std::int64_t next_charge_ns = 0;
    std::uint64_t seen_contention = 0;
  };

  /// Where workers ask seldom enough for a lock that they share: short tasks are given out for so long at a time.
  static constexpr std::int64_t kTurn_ns = 50'000;
  static constexpr std::size_t kMostInTurn = 32;

  /// The share to serve next, or null.
  [[nodiscard]] Share* next() const TROUPE_REQUIRES(mutex_);
  [[nodiscard]] Charge* charge_of(WorkerId worker, const graph::Task& task) noexcept;

  TaskDeque* const activation_;
  /// Of the tasks of the runtime's own graph.
  Share* own_ = nullptr;
  std::vector<Hand> hands_;
  std::atomic<std::int64_t> busy_clients_{0};
  std::atomic<std::uint64_t> contentions_{0};
  /// Of all shares.
  std::atomic<std::int64_t> active_{0};
  std::atomic<std::size_t> waiting_{0};
  mutable SpinLock mutex_;
  std::vector<std::unique_ptr<Share>> shares_ TROUPE_GUARDED_BY(mutex_);
  /// Of the client that was served last: who comes back has had as much, but for his credit.
  double virtual_ns_ TROUPE_GUARDED_BY(mutex_) = 0;
};

}  // namespace troupe::workers
