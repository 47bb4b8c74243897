/// Fair shares of the workers among several clients. A runtime with one client needs none of this.
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
#include "proto/mutex.hpp"
#include "proto/spin_lock.hpp"
#include "troupe/ids.hpp"
#include "troupe/units.hpp"

namespace troupe::workers {

/// The share of one user: all of the user's clients together. Any thread may read the fields at any time, except the
/// fields that a mutex guards.
struct UserShare {
  UserShare(std::optional<std::uint64_t> number, double share_weight) : user(number), weight(share_weight) {}

  /// The user's number. Empty if the share belongs to a single client and is removed with this client.
  const std::optional<std::uint64_t> user;
  std::atomic<double> weight;
  /// The time at which the user last began or ceased to have tasks; 0 for never. Relaxed, because the time is only a
  /// hint.
  std::atomic<std::int64_t> last_active_ns{0};
  /// True if `long_kernels` is not empty. Relaxed, because the flag is only a hint.
  std::atomic<bool> has_long{false};

  // Shares::mutex_ guards the members below, but an annotation cannot name this mutex here.
  std::size_t clients = 0;
  /// The user's worker time divided by the user's weight. Includes the time that running tasks have taken so far or
  /// will probably take.
  double virtual_ns = 0;
  /// The virtual time of the user's client that was served last. A returning client starts at this time minus a credit.
  double served_ns = 0;
  LongKernels long_kernels;
  /// The last time at which a worker took a task of the user while more of the user's tasks waited; zero for never.
  std::chrono::steady_clock::time_point had_more;
  /// The results of the last count (`Shares::count_long`, `Shares::count_around`). `long_running` is the number of the
  /// user's long tasks that run. `around` is true if the user has tasks or had some lately. `wants_more` is true if the
  /// user could have used more workers lately.
  std::size_t long_running = 0;
  bool around = false;
  bool wants_more = false;
};

/// One client's share of the worker time of the client's user. Any thread may read the fields at any time, except the
/// fields that a mutex guards.
struct alignas(64) Share {
  Share(double share_weight, UserShare& whose) : weight(share_weight), user(whose) {}

  /// Ready tasks that wait for their turn. Tasks whose kernels are known to be long are in `long_waiting`, all other
  /// tasks in `waiting`.
  TaskDeque waiting;
  TaskDeque long_waiting;
  std::atomic<double> weight;
  UserShare& user;
  /// The number of tasks that are ready or run.
  std::atomic<std::int64_t> active{0};
  /// `used_ns` is the time that workers have spent on the client's ended tasks, `mean_ns` the mean time of the last of
  /// these tasks. Relaxed, because both are only statistics.
  std::atomic<std::int64_t> used_ns{0};
  std::atomic<std::int64_t> mean_ns{0};
  /// The client's virtual time among the clients of its user (`UserShare::virtual_ns`).
  double virtual_ns = 0;  // guarded by Shares::mutex_, which cannot be named here

  [[nodiscard]] std::size_t count_waiting() const { return waiting.size() + long_waiting.size(); }
};

/// Users take turns, and the clients of one user take turns among themselves. Users that have work get worker time in
/// proportion to their weights, however many clients they have. A worker that wants a task chooses the user with the
/// least worker time, divided by the user's weight, and then the client of this user with the least worker time. A user
/// that had no work for a while may catch up on at most `kCredit` of that time. While only one client has work, its
/// tasks go through the same queues as in a runtime with one client, and this class only counts tasks and worker time.
///
/// A ready task is counted for its client (`activated`) and may wait for its turn (`put_into_turns`). Then the task is
/// given to a worker (`take_turn`) or, under a placing policy, to the scheduler (`pass_on`). The task leaves the
/// workers (`left`) when it has ended or waits for a lock. A worker has the task in hand from `taken` to `released`.
/// During this time the client is charged the task's expected time, and more if the task takes longer. At the end the
/// charge is corrected to the time that the task took.
///
/// A kernel cannot be interrupted: a client that comes while each worker runs a long kernel has to wait. So one worker
/// is kept free of long kernels for users who had work lately and have no long kernel running (`guarded`), unless there
/// is only one worker or there is a placing policy. If some of these users could have used more workers lately, as many
/// workers as their share are kept free. Otherwise, if these users left a worker idle for a moment, a long kernel could
/// take the worker for a long time. A kernel is known to be long from its earlier runs.
///
/// All functions may be called from any thread. `open` must be called before the first task of the share, and `close`
/// after the end of the share's last task. Functions with a `WorkerId` must be called by that worker.
class Shares {
 public:
  static constexpr Duration kCredit = std::chrono::milliseconds(50);
  /// A worker stays free of long kernels for a user for this long after the user's last task.
  static constexpr Duration kLately = std::chrono::seconds(5);
  /// A user's share of the workers stays free of long kernels for this long after the user could last have used more
  /// workers.
  static constexpr Duration kWantsMore = std::chrono::seconds(1);
  using Now = std::chrono::steady_clock::time_point (*)();

  /// The tasks of one client that a worker was given together, and the time that the client was charged in advance for
  /// the first of these tasks.
  struct Turn {
    Share* share = nullptr;
    graph::TaskList tasks;
    std::int64_t charged_ns = 0;
  };

  /// `activation` is the queue in which the scheduler of a placing policy finds tasks; if null, workers take turns
  /// themselves.
  explicit Shares(std::size_t workers = 0, TaskDeque* activation = nullptr, Now now = &std::chrono::steady_clock::now);

  /// Opens a client's share. `user` is the client's user, whose weight is `weight` from now on. If `user` is empty, the
  /// client counts as a user of its own.
  Share& open(double weight, std::optional<std::uint64_t> user = std::nullopt);
  void close(const Share& share);
  /// Returns the share that the task belongs to.
  [[nodiscard]] Share& of(const graph::Task& task) const;

  /// Returns true if tasks have to wait for their turns: several clients have ready or running tasks, or one client has
  /// long tasks and another user may come back.
  [[nodiscard]] bool contended() const { return busy_clients_.load(std::memory_order_relaxed) > 1 || guarded(); }
  /// Returns true while a worker is kept free of long kernels.
  [[nodiscard]] bool guarded() const { return guarded_.load(std::memory_order_relaxed); }
  /// Returns a number that changes whenever there is a new reason for tasks to wait for their turns.
  [[nodiscard]] std::uint64_t contentions() const { return contentions_.load(std::memory_order_relaxed); }
  /// Returns the number of tasks that wait for their turn. Sequentially consistent, see `TaskDeque::size`.
  [[nodiscard]] std::size_t waiting() const { return waiting_.load(std::memory_order_seq_cst); }

  /// Returns the number of tasks that are ready or run and do not wait for their turn. Sequentially consistent: if one
  /// thread adds a task and another takes one away, one of the two threads sees that there is room for a task.
  [[nodiscard]] std::int64_t in_service() const {
    return active_.load(std::memory_order_seq_cst) - static_cast<std::int64_t>(waiting());
  }

  /// Called when `tasks` tasks of the client with this share have become ready.
  void activated(Share& share, std::size_t tasks) noexcept;
  /// Called when the tasks of the list, all of one client, have become ready.
  void activated(const graph::TaskList& ready) noexcept {
    if (!ready.empty()) activated(of(*ready.front()), ready.size());
  }
  /// Called when one task has left the workers, because the task has ended or waits for a lock.
  void left(Share& share) noexcept;
  /// Makes the tasks wait for their turn. Empties `tasks`.
  void push(Share& share, graph::TaskList& tasks) noexcept;
  /// Calls `push` for tasks that are all of one client.
  void put_into_turns(graph::TaskList& tasks) noexcept { push(of(*tasks.front()), tasks); }
  /// Puts all tasks of a queue into turns. The tasks may belong to several clients.
  template <class Queue>
  void put_all_into_turns(Queue& queue) noexcept {
    while (graph::Task* const task = queue.pop_oldest()) {
      graph::TaskList one;
      one.push_back(task);
      put_into_turns(one);
    }
  }
  /// Returns true if a worker that wants a task may find one in the clients' queues. Sequentially consistent, like
  /// `waiting`.
  [[nodiscard]] bool turns_wait() const {
    if (activation_ != nullptr || waiting() == 0) return false;
    return changes_.load(std::memory_order_seq_cst) != in_vain_.load(std::memory_order_seq_cst);
  }
  /// For a placing policy: takes the tasks that are next in turn, as many as keep the workers busy, and moves them to
  /// the activation queue. Returns true if it moved any task. Does nothing for other policies.
  [[nodiscard]] bool pass_on() noexcept;
  /// Takes the most urgent tasks of the client whose turn it is: one task, or several short tasks, or none if no task
  /// may begin. If `in_advance` is true, the client is charged at once for the time that the first task will probably
  /// take. `worker` is the worker that will run the tasks, if known.
  [[nodiscard]] Turn take(bool in_advance = true, WorkerId worker = {}) noexcept;
  /// Charges a task that has kept a worker busy for `took_ns` (0 if the task did not run). The client has been charged
  /// `charged_ns` for this task so far.
  void settle(Share& share, std::int64_t charged_ns, std::int64_t took_ns) noexcept {
    settle(share, charged_ns, took_ns, took_ns, nullptr);
  }
  /// Returns the time that workers have spent on the client's tasks, running tasks included.
  [[nodiscard]] Duration used(const Share& share) const noexcept;
  /// Returns the client's weight among all clients: the user's weight divided by the number of the user's clients that
  /// have work.
  [[nodiscard]] double weight_among_all(const Share& share) const noexcept;

  /// Called when the worker's actor, or a successor of that actor, begins. The worker has no task in hand, and will
  /// never have more than `most` tasks.
  void begin(WorkerId worker, std::size_t most);
  /// Returns true if there is a new reason for tasks to wait for their turns since the worker's last call. Then the
  /// tasks in the worker's own queue have to wait, too.
  [[nodiscard]] bool contention_is_new(WorkerId worker) noexcept;
  /// Returns the next task of the client whose turn it is, or null. The other tasks of the same turn go to `own`, where
  /// other workers can steal them if the first task takes longer than expected.
  [[nodiscard]] graph::Task* take_turn(WorkerId worker, TaskDeque& own) noexcept;
  /// For a task in a restricted queue, which only some workers can run: returns true if the task may begin before the
  /// tasks that wait for their turns. Without this check, the task's user would be served before all others.
  [[nodiscard]] bool comes_first(const graph::Task& task) const noexcept;
  /// Called when the worker takes a task: the task that `take_turn` has just returned, or any other. From now on the
  /// worker has the task in hand.
  void taken(WorkerId worker, const graph::Task& task) noexcept;
  /// Called when the task's kernel begins.
  void started(WorkerId worker, const graph::Task& task) noexcept;
  /// `suspended` is called when the task's kernel begins to wait for the task's children, `resumed` when the kernel
  /// goes on. The time in between is not charged.
  void suspended(WorkerId worker, const graph::Task& task) noexcept;
  void resumed(WorkerId worker, const graph::Task& task) noexcept;
  /// Called when the worker no longer has the task in hand, because the task has ended or will not run here. If `taken`
  /// was called for the task, the task may be destroyed by now. `took` is the time for which the task used the device,
  /// if known. Otherwise the time since `started` is charged and, if several clients have work, also the time since the
  /// worker's last task. Returns the task's share.
  Share& released(WorkerId worker, const graph::Task& task, Duration took = Duration(-1)) noexcept;
  /// Charges the worker's time since its last call of `released`, for a task of this client. In this time the worker
  /// has, for example, put tasks that waited for the ended task into queues.
  void followed_up(WorkerId worker, Share& share) noexcept;
  /// Charges time that a worker has spent on pieces of a task that another worker has begun.
  void charge(Share& share, Duration took) noexcept;
  /// Returns the highest speed of a long task of this codelet, in operations per second; 0 if there was none.
  [[nodiscard]] double best_speed(const std::string& codelet) const;

 private:
  /// The charge for one task that a worker has in hand.
  struct Charge {
    const graph::Task* task = nullptr;
    Share* share = nullptr;
    /// The time charged so far, which grows while the kernel runs longer than expected.
    std::int64_t charged_ns = 0;
    /// The time beyond `charged_ns` that the task had taken when a second client got work. This time is not charged,
    /// because a client that is alone takes time from no other client.
    std::int64_t forgiven_ns = 0;
    /// The start of the task, moved forward by the times for which the kernel has waited; zero if the task has not
    /// begun.
    std::chrono::steady_clock::time_point start;
    /// The time at which the kernel began to wait; zero if the kernel does not wait.
    std::chrono::steady_clock::time_point waits_since;
    bool is_long = false;

    [[nodiscard]] bool began() const { return start != std::chrono::steady_clock::time_point{}; }
    [[nodiscard]] std::int64_t took_ns(std::chrono::steady_clock::time_point now) const {
      const auto end = waits_since == std::chrono::steady_clock::time_point{} ? now : waits_since;
      return began() ? Duration(end - start).count() : 0;
    }
  };
  /// The charges for the tasks that one worker has in hand. Other threads read these charges. A thread that takes both
  /// locks takes `mutex_` before `lock`.
  struct alignas(64) Hand {
    mutable SpinLock lock;
    std::vector<Charge> charges TROUPE_GUARDED_BY(lock);
    /// The charge for the task that `take_turn` returned last.
    Charge next TROUPE_GUARDED_BY(lock);
    /// `owed_ns` is worker time that has not been added yet to the virtual time of the client `owing`. Less than
    /// `kTurn_ns` is collected here, so that workers do not compete for `mutex_` after each task.
    Share* owing TROUPE_GUARDED_BY(lock) = nullptr;
    double owed_ns TROUPE_GUARDED_BY(lock) = 0;
    // Only the worker uses the members below.
    std::uint64_t seen_contention = 0;
    /// The worker's time has been charged up to this moment. Zero if the worker has since looked for a task and found
    /// none.
    std::chrono::steady_clock::time_point charged_until;
  };

  /// A turn of several short tasks takes about this time in all, so that workers seldom take the shared lock `mutex_`.
  static constexpr std::int64_t kTurn_ns = 50'000;
  static constexpr std::size_t kMostInTurn = 128;

  /// The share to serve next (null if there is none), and the queue of this share (`waiting` or `long_waiting`) from
  /// which the next task is to be taken.
  struct Served {
    Share* share = nullptr;
    TaskDeque* queue = nullptr;
  };
  [[nodiscard]] Served next(std::chrono::steady_clock::time_point now) TROUPE_REQUIRES(mutex_);
  /// Returns the number of workers to be kept free of this user's long kernels, as of the last count.
  [[nodiscard]] std::size_t kept_from(const UserShare& user) const TROUPE_REQUIRES(mutex_);
  /// Returns true if the user's long tasks have to wait until other long tasks have ended, as of the last count.
  [[nodiscard]] bool waits_for_room(const UserShare& user) const TROUPE_REQUIRES(mutex_);
  /// Calls `visit` for the charge of each task that a worker has in hand or is about to take.
  template <class Visit>
  void visit_hands(const Visit& visit) TROUPE_REQUIRES(mutex_);
  void count_long(std::chrono::steady_clock::time_point now) TROUPE_REQUIRES(mutex_);
  void count_around(std::chrono::steady_clock::time_point now) TROUPE_REQUIRES(mutex_);
  /// Charges the time that running tasks have taken beyond the time charged.
  void charge_running(std::chrono::steady_clock::time_point now) TROUPE_REQUIRES(mutex_);
  void forgive_running(std::chrono::steady_clock::time_point now) TROUPE_REQUIRES(mutex_);
  static void add(Share& share, double ns);
  /// Charges a task, as the public `settle` does, for the worker with this `hand`, which was busy with the task for
  /// `busy_ns`; the kernel took `took_ns` of this time.
  void settle(Share& share, std::int64_t charged_ns, std::int64_t took_ns, std::int64_t busy_ns, Hand* hand) noexcept;
  /// Adds worker time to the share. The time is added immediately, unless the hand can collect it: it collects up to
  /// `kTurn_ns` for one share at a time.
  void owe(Hand* hand, Share& share, double ns) noexcept;
  void pay(Hand& hand) TROUPE_REQUIRES(mutex_);
  /// Decides again whether a worker is to be kept free of long kernels.
  void guard(std::chrono::steady_clock::time_point now) TROUPE_REQUIRES(mutex_);
  void begin_contention() noexcept { contentions_.fetch_add(1, std::memory_order_relaxed); }
  /// Called when tasks that could not be begun before may be begun now.
  void look_again() noexcept { changes_.fetch_add(1, std::memory_order_seq_cst); }
  void note_kernel(UserShare& user, const graph::Task& task, Duration took);
  [[nodiscard]] bool is_long(const Share& share, const graph::Task& task) TROUPE_REQUIRES(mutex_);
  /// Returns the expected time of a long task.
  [[nodiscard]] std::int64_t expected_ns(const Share& share, const graph::Task& task) const TROUPE_REQUIRES(mutex_);
  [[nodiscard]] static Charge* find(std::vector<Charge>& charges, const graph::Task& task) noexcept;

  TaskDeque* const activation_;
  const Now now_;
  /// The share that the tasks of the runtime's own graph use.
  Share* own_ = nullptr;
  std::vector<Hand> hands_;
  std::atomic<std::int64_t> busy_clients_{0};
  std::atomic<std::uint64_t> contentions_{0};
  /// For all shares together: `active_` is the number of tasks that are ready or run, `waiting_` the number of tasks
  /// that wait for their turns. `guarded_` is true while a worker is kept free of long kernels.
  std::atomic<std::int64_t> active_{0};
  std::atomic<std::size_t> waiting_{0};
  std::atomic<bool> guarded_{false};
  /// `changes_` counts events that may let a waiting task begin; `in_vain_` is the value of `changes_` at the last
  /// search that found no task.
  std::atomic<std::uint64_t> changes_{0};
  std::atomic<std::uint64_t> in_vain_{~std::uint64_t{0}};
  mutable SpinLock mutex_;
  std::vector<std::unique_ptr<UserShare>> users_ TROUPE_GUARDED_BY(mutex_);
  std::vector<std::unique_ptr<Share>> shares_ TROUPE_GUARDED_BY(mutex_);
  /// The virtual time of the user who was served last. A returning user starts at this time minus the credit.
  double virtual_ns_ TROUPE_GUARDED_BY(mutex_) = 0;
  /// The number of long tasks of all users that ran at the last count.
  std::size_t long_running_ TROUPE_GUARDED_BY(mutex_) = 0;
  /// The best speed of each codelet, by its name.
  std::map<std::string, double, std::less<>> best_speeds_ TROUPE_GUARDED_BY(mutex_);
  /// The time at which running tasks were last charged.
  std::chrono::steady_clock::time_point charged_at_ TROUPE_GUARDED_BY(mutex_);
};

}  // namespace troupe::workers
