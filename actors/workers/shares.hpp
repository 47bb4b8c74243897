/// Fair shares of the workers for several clients: all that they do more than those of one program.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/workers/long_kernels.hpp"
#include "actors/workers/queues/task_deque.hpp"
#include "graph/tasks/task.hpp"
#include "proto/ids.hpp"
#include "proto/mutex.hpp"
#include "proto/spin_lock.hpp"
#include "proto/units.hpp"

namespace troupe::workers {

/// What all clients of one user have together. What is not said to be guarded may be read by any thread at any time.
struct UserShare {
  UserShare(std::optional<std::uint64_t> number, double share_weight) : user(number), weight(share_weight) {}

  /// Nothing: of one client alone, and gone with it.
  const std::optional<std::uint64_t> user;
  std::atomic<double> weight;
  /// When it began to have, or ended to have, tasks last; 0: never. Relaxed: a hint.
  std::atomic<std::int64_t> last_active_ns{0};
  /// `long_kernels` has some. Relaxed: a hint.
  std::atomic<bool> has_long{false};

  // Guarded by Shares::mutex_, which has no name here.
  std::size_t clients = 0;
  /// Worker time over weight, with what running tasks have taken so far or will probably take.
  double virtual_ns = 0;
  /// That of the client which was served last: one that comes back has had as much, but for its credit.
  double served_ns = 0;
  LongKernels long_kernels;
  /// As of the last count: long tasks that run, and whether it has tasks or had some lately.
  std::size_t long_running = 0;
  bool around = false;
};

/// One client's share of what its user has. What is not said to be guarded may be read by any thread at any time.
struct alignas(64) Share {
  Share(double share_weight, UserShare& whose) : weight(share_weight), user(whose) {}

  /// Ready tasks that wait for their turn, and among these the ones whose kernels are known to take long.
  TaskDeque waiting;
  TaskDeque long_waiting;
  std::atomic<double> weight;
  UserShare& user;
  /// Ready or running tasks.
  std::atomic<std::int64_t> active{0};
  /// Time that workers have spent on its tasks that have ended, and how long these have taken lately. Relaxed: figures.
  std::atomic<std::int64_t> used_ns{0};
  std::atomic<std::int64_t> mean_ns{0};
  /// As `UserShare::virtual_ns`, among the clients of its user.
  double virtual_ns = 0;  // guarded by Shares::mutex_, which has no name here

  [[nodiscard]] std::size_t count_waiting() const { return waiting.size() + long_waiting.size(); }
};

/// Users take turns, and so do the clients of one user among themselves, so that users who have work get worker time in
/// proportion to their weights, however many clients they have: whenever a worker wants a task, it takes one of the
/// user who has had least for his weight, and of that user's client that has had least. Who had nothing to do for a
/// while may catch up on `kCredit` of it, but no more. While one client alone has work, its tasks go the way of any
/// runtime's, and this only counts.
///
/// A ready task counts as its client's (`activated`), may wait for its turn (`put_into_turns`), is given to a worker
/// (`take_turn`) or, under a placing policy, to the scheduler (`pass_on`), and leaves (`left`) when it has ended or
/// waits for a lock. While a worker has it in hand (from `taken` to `released`) the client is charged what it will
/// probably take, more as soon as it has taken more, and in the end what it took.
///
/// A kernel cannot be interrupted, and who comes while each worker runs a long one has to wait for it. So one worker is
/// kept free of long kernels for users who had work lately and have none of these running (`guarded`), unless there is
/// one worker alone or a placing policy. Kernels are known to be long from their earlier runs.
///
/// Any thread may call anything, but for `open` and `close`: the share's first task comes after its opening, and its
/// last has ended before it is closed. What takes a `WorkerId` is called by that worker.
class Shares {
 public:
  static constexpr Duration kCredit = std::chrono::milliseconds(50);
  /// A worker stays free of long kernels for a user for so long after his last task.
  static constexpr Duration kLately = std::chrono::seconds(5);
  using Now = std::chrono::steady_clock::time_point (*)();

  /// What a worker was given: tasks of one client, and what the first has been charged in advance.
  struct Turn {
    Share* share = nullptr;
    graph::TaskList tasks;
    std::int64_t charged_ns = 0;
  };

  /// `activation`: where the scheduler of a placing policy finds tasks; null: workers take turns themselves.
  explicit Shares(std::size_t workers = 0, TaskDeque* activation = nullptr, Now now = &std::chrono::steady_clock::now);

  /// `user`: whose client it is, and his weight from now on; nothing: of nobody else.
  Share& open(double weight, std::optional<std::uint64_t> user = std::nullopt);
  void close(const Share& share);
  /// Whose task it is.
  [[nodiscard]] Share& of(const graph::Task& task) const;

  /// Tasks have to wait for their turns: several clients have ready or running ones, or one has long ones and another
  /// user may come back.
  [[nodiscard]] bool contended() const { return busy_clients_.load(std::memory_order_relaxed) > 1 || guarded(); }
  /// A worker is kept free of long kernels.
  [[nodiscard]] bool guarded() const { return guarded_.load(std::memory_order_relaxed); }
  /// Changes whenever tasks begin to have to wait for their turns.
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
  /// Workers that want a task find some here. Sequentially consistent, like `waiting`.
  [[nodiscard]] bool turns_wait() const {
    if (activation_ != nullptr || waiting() == 0) return false;
    return changes_.load(std::memory_order_seq_cst) != in_vain_.load(std::memory_order_seq_cst);
  }
  /// Under a placing policy: moves tasks whose turn it is to the activation queue, as many as keep the workers busy.
  /// True: there are some.
  [[nodiscard]] bool pass_on() noexcept;
  /// The next client's most urgent tasks: one, or several short ones. Empty: none may be begun. `in_advance`: the first
  /// is charged what it will probably take. `worker`: who will run it, if known.
  [[nodiscard]] Turn take(bool in_advance = true, WorkerId worker = {}) noexcept;
  /// A task has taken a worker so long, after having been charged `charged_ns` so far. 0: it did not run.
  void settle(Share& share, std::int64_t charged_ns, std::int64_t took_ns) noexcept;
  /// Time that workers have spent on its tasks, those that run included.
  [[nodiscard]] Duration used(const Share& share) const noexcept;
  /// What it has of its user's weight beside those of the user's other clients that have work.
  [[nodiscard]] double weight_among_all(const Share& share) const noexcept;

  /// The worker begins, or another actor in its place: it has nothing in hand, and never more than so many tasks.
  void begin(WorkerId worker, std::size_t most);
  /// Several clients have work and had not when this was last asked: what lies with the worker has to wait for its
  /// turn.
  [[nodiscard]] bool contention_is_new(WorkerId worker) noexcept;
  /// The next task of the client whose turn it is, or null. Others of the same turn go to `own`, where they can be
  /// stolen, should the first take longer than expected.
  [[nodiscard]] graph::Task* take_turn(WorkerId worker, TaskDeque& own) noexcept;
  /// Whether a task that waits elsewhere, as only some workers can run it, may be begun before those that wait for
  /// their turns: else its user would be served before all others.
  [[nodiscard]] bool comes_first(const graph::Task& task) const noexcept;
  /// The worker has the task in hand, by a turn or not.
  void taken(WorkerId worker, const graph::Task& task) noexcept;
  /// Its kernel begins.
  void started(WorkerId worker, const graph::Task& task) noexcept;
  /// The worker has it in hand no more: it has ended, or will not run here. May be gone if it was `taken`. `took`: how
  /// long it had the device, if known; else the time since `started` counts. Returns whose it is.
  Share& released(WorkerId worker, const graph::Task& task, Duration took = Duration(-1)) noexcept;
  /// A worker has spent so long on a part of a task that another has in hand.
  void charge(Share& share, Duration took) noexcept;
  /// The most operations per second at which tasks of this codelet ran that took long; 0: none did.
  [[nodiscard]] double best_speed(const std::string& codelet) const;

 private:
  /// What a client is charged for a task that a worker has in hand.
  struct Charge {
    const graph::Task* task = nullptr;
    Share* share = nullptr;
    /// So far; it grows while the kernel runs longer than was expected.
    std::int64_t charged_ns = 0;
    /// What it had taken beyond that when a second client got work: who is alone takes from nobody.
    std::int64_t forgiven_ns = 0;
    /// Zero: it has not begun.
    std::chrono::steady_clock::time_point start;
    bool is_long = false;

    [[nodiscard]] bool began() const { return start != std::chrono::steady_clock::time_point{}; }
    [[nodiscard]] std::int64_t took_ns(std::chrono::steady_clock::time_point now) const {
      return began() ? Duration(now - start).count() : 0;
    }
  };
  /// One worker's; others look at what it has in hand. The lock comes after `mutex_`.
  struct alignas(64) Hand {
    mutable SpinLock lock;
    std::vector<Charge> charges TROUPE_GUARDED_BY(lock);
    /// For the task that `take_turn` returned last.
    Charge next TROUPE_GUARDED_BY(lock);
    /// The worker's own.
    std::uint64_t seen_contention = 0;
  };

  /// Where workers ask seldom enough for a lock that they share: short tasks are given out for so long at a time.
  static constexpr std::int64_t kTurn_ns = 50'000;
  static constexpr std::size_t kMostInTurn = 32;

  /// The share to serve next, or null, and the queue of its that has the most urgent task which may be begun.
  struct Served {
    Share* share = nullptr;
    TaskDeque* queue = nullptr;
  };
  [[nodiscard]] Served next(std::chrono::steady_clock::time_point now) TROUPE_REQUIRES(mutex_);
  /// Whether a user's long tasks have to wait until others have ended, as of the last count.
  [[nodiscard]] bool waits_for_room(const UserShare& user) const TROUPE_REQUIRES(mutex_);
  /// Calls `visit` for each task that a worker has in hand, or is about to have.
  template <class Visit>
  void visit_hands(const Visit& visit) TROUPE_REQUIRES(mutex_);
  void count_long(std::chrono::steady_clock::time_point now) TROUPE_REQUIRES(mutex_);
  void count_around(std::chrono::steady_clock::time_point now) TROUPE_REQUIRES(mutex_);
  /// Charges what running tasks have taken beyond what has been charged.
  void charge_running(std::chrono::steady_clock::time_point now) TROUPE_REQUIRES(mutex_);
  void forgive_running(std::chrono::steady_clock::time_point now) TROUPE_REQUIRES(mutex_);
  static void add(Share& share, double ns);
  /// Decides anew whether a worker is to be kept free.
  void guard(std::chrono::steady_clock::time_point now) TROUPE_REQUIRES(mutex_);
  void begin_contention() noexcept { contentions_.fetch_add(1, std::memory_order_relaxed); }
  /// What could not be begun may be begun now.
  void look_again() noexcept { changes_.fetch_add(1, std::memory_order_seq_cst); }
  void note_kernel(UserShare& user, const graph::Task& task, Duration took);
  [[nodiscard]] bool is_long(const Share& share, const graph::Task& task) TROUPE_REQUIRES(mutex_);
  /// Of a long task.
  [[nodiscard]] std::int64_t expected_ns(const Share& share, const graph::Task& task) const TROUPE_REQUIRES(mutex_);
  [[nodiscard]] static Charge* find(std::vector<Charge>& charges, const graph::Task& task) noexcept;

  TaskDeque* const activation_;
  const Now now_;
  /// Of the tasks of the runtime's own graph.
  Share* own_ = nullptr;
  std::vector<Hand> hands_;
  std::atomic<std::int64_t> busy_clients_{0};
  std::atomic<std::uint64_t> contentions_{0};
  /// Of all shares.
  std::atomic<std::int64_t> active_{0};
  std::atomic<std::size_t> waiting_{0};
  std::atomic<bool> guarded_{false};
  /// Counts what may let a task be begun that had to wait; and what it was when somebody last looked in vain.
  std::atomic<std::uint64_t> changes_{0};
  std::atomic<std::uint64_t> in_vain_{~std::uint64_t{0}};
  mutable SpinLock mutex_;
  std::vector<std::unique_ptr<UserShare>> users_ TROUPE_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Share>> shares_ TROUPE_GUARDED_BY(mutex_);
  /// That of the user who was served last: who comes back has had as much, but for his credit.
  double virtual_ns_ TROUPE_GUARDED_BY(mutex_) = 0;
  /// Long tasks that run, of all users, as of the last count.
  std::size_t long_running_ TROUPE_GUARDED_BY(mutex_) = 0;
  /// By the codelet's name.
  std::map<std::string, double, std::less<>> best_speeds_ TROUPE_GUARDED_BY(mutex_);
  /// When running tasks were charged last.
  std::chrono::steady_clock::time_point charged_at_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::workers
