/// What a worker does next: the worker without its actor.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "actors/workers/crew.hpp"
#include "graph/tasks/failure_log.hpp"
#include "proto/device_kinds.hpp"
#include "proto/random.hpp"
#include "proto/units.hpp"

namespace troupe::workers {

/// What the shell has to do for the core: first what `activate` and `wake` say, then what `kind` says; then it asks
/// again.
struct Step {
  enum class Kind : std::uint8_t {
    /// Nothing: the device is full, or an answer is awaited.
    wait,
    /// Start `task` on the device; report `task_ended` when it has.
    start,
    /// Ask for the data of `task` on the device's memory node; report `acquired` when they are there.
    acquire,
    /// Send a steal request to `victim`; then report the answer.
    steal,
    /// The device is lost: `task` has to run elsewhere; report `reject` where it can run nowhere.
    send_on,
    /// There is nothing to do: `park`, now or after having looked around for a while.
    rest,
  };
  Kind kind = Kind::wait;
  /// Tell the scheduler that there are tasks in the activation queue.
  bool activate = false;
  graph::Task* task = nullptr;
  WorkerId victim;
  /// Send `WorkAvailable` to this worker, which was idle; nobody where it is invalid.
  WorkerId wake;
};

/// Events (`task_ended`, `acquired`, `steal_answered`) change what the worker knows; `next` decides what it does.
///
/// *Data*: where memory is managed (`Options::fetches`), a task that was taken waits for its working set first. While
/// tasks run, up to `Options::lookahead` more are in hand, so that their data travel meanwhile; those whose data arrive
/// first start first.
///
/// *Next task*: the newest of the highest priority in the own deque, or the oldest of the entry queue where that has
/// a higher one or the own deque is empty. *Steal*: from the first victim that seems to have tasks, in the order of
/// the steal plan; at most one request is out at a time. A successor of an ended task goes to the own deque (local
/// policies) or to the activation queue (placing policies). One idle worker is woken whenever a task starts while more
/// of them lie where it may take them from (the entry queue, or the own deque if the plan lets anybody steal); it takes
/// some and, if it then has more than it needs, wakes the next.
///
/// Not thread-safe: belongs to one worker's thread.
class WorkerCore {
 public:
  struct Options {
    WorkerId self;
    DeviceKind kind = DeviceKind::cpu_core;
    std::size_t slots = 1;
    /// The device does not reach all memory: tasks need their data fetched before they start.
    bool fetches = false;
    /// Tasks in hand beyond those that run. Only with `fetches`.
    std::size_t lookahead = 0;
    /// Take the oldest of the own deque first: a placing policy has put them in order.
    bool in_order = false;
    std::uint64_t seed = 0;
    /// Where successors go under a placing policy; null: the own deque.
    TaskDeque* activation_queue = nullptr;
    /// Decide by what there is alone, and not by how long something took: for runs that can be repeated.
    bool deterministic = false;
  };

  WorkerCore(Crew& crew, Options options);

  /// What to do now.
  [[nodiscard]] Step next();
  /// The successors that are ready now are to be found by `next`.
  void task_ended(graph::Task& task, const graph::FailureLog::Cause& cause);
  /// The data of a task that `next` said to acquire are there.
  void acquired(graph::Task& task);
  /// The data of a task that `next` said to acquire can never be there: it has left the worker's hands.
  void refused(const graph::Task& task);
  /// The same, and it can run nowhere else.
  void failed_to_start(graph::Task& task, const graph::FailureLog::Cause& cause);
  /// A task that was not in the worker's hands ends here without having run. False: not yet, it waits for a commute
  /// lock and comes again.
  [[nodiscard]] bool reject(graph::Task& task, const graph::FailureLog::Cause& cause);
  /// `victim` has moved `tasks` tasks to the own deque, or will answer no more (0). An answer that nobody waits for,
  /// because it was asked for by an actor that died, only counts.
  void steal_answered(WorkerId victim, std::size_t tasks);
  /// `victim` gave these; empties `tasks`.
  void steal_answered(WorkerId victim, graph::TaskList& tasks);
  /// The actor ends. What only it knew of is where its successor finds it. True: the scheduler is to be told that there
  /// are tasks in the activation queue. Tasks whose data were asked for are appended to `asked_for`: withdraw that.
  [[nodiscard]] bool give_up(std::vector<graph::Task*>& asked_for);

  /// Whether any queue that this worker may take from seems to hold something.
  [[nodiscard]] bool sees_work() const;
  /// The same for a worker that asks again and again: it looks at what has arrived at the entry queue at most once a
  /// microsecond, and drains it.
  [[nodiscard]] bool finds_work();
  /// Declares the worker idle. False: work has appeared meanwhile, go on with `work_available`. True: sleep; a
  /// `WorkAvailable` will come.
  [[nodiscard]] bool park();
  /// The worker is awake, though perhaps nobody has erased it from the idle set.
  void unpark() { crew_.idle.erase(options_.self); }

  [[nodiscard]] std::size_t running() const { return running_; }
  /// Tasks in hand: running, or waiting for their data.
  [[nodiscard]] std::size_t in_hand() const { return running_ + acquiring_.size() + acquired_.size(); }
  /// When the last task was looked for, of `platform::coarse_now`.
  [[nodiscard]] TimeStamp looked_at() const { return looked_at_; }

 private:
  void activated(graph::TaskList& ready) {
    count(ready);
    place(ready);
  }
  /// What to do with a task that may run now.
  void take(graph::Task* task, Step& step);
  [[nodiscard]] bool lost() const { return port_.lost.load(std::memory_order_relaxed); }
  /// Of a worker whose device is lost: a task that lies with it, or that nobody else can take.
  graph::Task* next_to_send_on();
  [[nodiscard]] bool has_any_to_send_on() const;
  /// Whether the newest of them has the highest priority of all that this worker could take.
  [[nodiscard]] bool goes_first(const graph::TaskList& ready) const;
  /// Of a worker whose device is lost: an idle one that could do what it was woken for, now taken out of the idle set;
  /// or an invalid id.
  WorkerId sleeper_in_its_place();
  /// An idle worker that could take some of what is left, now taken out of the idle set; or an invalid id.
  WorkerId sleeper_for_surplus();
  graph::Task* next_task();
  /// Where several clients have work: the next task of the client whose turn it is.
  graph::Task* next_in_turn();
  /// Sees to it that tasks wait for their turn since several clients have work.
  void look_at_contention();
  /// Where there are shares: what the task that was taken last is charged, until it ends.
  struct Charge {
    const graph::Task* task = nullptr;
    Share* share = nullptr;
    std::int64_t charged_ns = 0;
    std::chrono::steady_clock::time_point start;
  };
  /// Takes the charge of a task that was in hand off the list.
  [[nodiscard]] Charge take_charge(const graph::Task& task);
  /// The task has left the worker's hands without having run.
  void give_back_charge(const graph::Task& task);
  /// Ready tasks count as their client's from here on; empty lists do not.
  void count(const graph::TaskList& ready) {
    if (crew_.shares != nullptr && !ready.empty()) {
      crew_.shares->activated(crew_.share_of(*ready.front()), ready.size());
    }
  }
  /// A task is about to run: its time counts from here on.
  void begin_charge(const graph::Task& task);
  /// Completes a task of a client.
  void shared_task_ended(graph::Task& task, const graph::FailureLog::Cause& cause, graph::TaskList& ready);
  /// A client's task has left the workers: there may be room for another one.
  void leave(Share& share);
  /// Under a placing policy: lets the scheduler have tasks whose turn it is.
  void pass_on();
  /// Tasks that any worker may take wait for their turn.
  [[nodiscard]] bool turns_wait() const {
    return crew_.shares != nullptr && options_.activation_queue == nullptr && crew_.shares->waiting() > 0;
  }
  /// Where ready tasks go that are counted.
  void place(graph::TaskList& ready);
  /// Lets what has arrived at the entry queue take part, unless it was looked at less than a microsecond ago (false):
  /// each look costs the thread that submits a cache miss.
  bool look_at_arrivals();
  graph::Task* take_from_entry();
  [[nodiscard]] bool victims_have_work() const;
  /// The first victim that seems to have tasks, nearest ring first; an invalid id where none has.
  WorkerId next_victim();

  Crew& crew_;
  const Options options_;
  WorkerPort& port_;
  /// Ready tasks go to the own deque, so one of them may as well be kept out of it.
  const bool hands_over_;
  Random random_;
  std::size_t running_ = 0;
  /// Waiting for their data, in the order in which they were taken.
  std::vector<graph::Task*> acquiring_;
  /// Waiting for the device.
  std::vector<graph::Task*> acquired_;
  /// The next task, if nothing has a higher priority: it need not go through the deque.
  graph::Task* handed_over_ = nullptr;
  bool activation_due_ = false;
  /// Where there are shares: the last `Shares::contentions` that this worker has seen, and what runs.
  std::uint64_t seen_contention_ = 0;
  /// What the task that `next_task` returned last was charged.
  std::int64_t charged_ns_ = 0;
  std::vector<Charge> charges_;
  TimeStamp looked_at_{};
  /// When the entry queue was drained, in `platform::rough_ticks`.
  std::uint64_t drained_ = 0;
  /// The ticks last read, and tasks looked for since.
  std::uint64_t read_ = 0;
  std::uint32_t since_read_ = 0;
  /// Tasks between two readings, which cost as much as a quarter of an empty task: 1 where tasks take long enough.
  std::uint32_t stride_ = 1;
  /// The victim whose answer is awaited, or an invalid id.
  WorkerId asked_victim_;
  /// Victims asked since the last task, so that a search ends.
  std::size_t asked_ = 0;
};

/// Takes half of the victim's tasks: the whole answer to a steal request. Touches the victim's deque only, so it may
/// run in the thief's thread while the victim's runs a kernel.
[[nodiscard]] graph::TaskList take_half(Crew& crew, WorkerId victim) noexcept;

/// The same, to the thief's deque; returns how many.
std::size_t transfer_half(Crew& crew, WorkerId victim, WorkerId thief) noexcept;

}  // namespace troupe::workers
