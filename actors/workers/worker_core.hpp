/// The worker without its actor: decides what a worker does next.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "actors/workers/arrival_clock.hpp"
#include "actors/workers/crew.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "graph/tasks/failure_log.hpp"
#include "proto/random.hpp"
#include "troupe/devices.hpp"
#include "troupe/units.hpp"

namespace troupe::workers {

/// One step for the actor around the core. The actor carries out `activate` and `wake` first, then `kind`; then it asks
/// for the next step.
struct Step {
  enum class Kind : std::uint8_t {
    /// Do nothing: the device is full, or an answer is awaited.
    wait,
    /// Start `task` on the device; report `task_ended` when it has.
    start,
    /// Ask for the data of `task` on the device's memory node; report `acquired` when they are there.
    acquire,
    /// Send a steal request to `victim`; then report the answer.
    steal,
    /// Send `task` to other workers, because the device is lost, the cores are regrouped, or the task is wanted back.
    /// Report `reject` if the task can run nowhere.
    send_on,
    /// Stand by: the worker is not to take tasks (`Standing`), and has none.
    stand_by,
    /// Run pieces of `shared`, a task that another worker has begun, first those in `pieces`; report `helped`.
    help,
    /// Call `park`, now or after looking around for a while: there is nothing to do.
    rest,
  };
  Kind kind = Kind::wait;
  /// True if the scheduler is to decide: there are tasks in the activation queue, or a task has ended while
  /// `Options::ends_count` is true.
  bool activate = false;
  graph::Task* task = nullptr;
  /// With `start`: the tasks on the device for which `task` has to wait there. Valid until the next call of the core.
  std::span<graph::Task* const> behind;
  WorkerId victim;
  /// With `stand_by`: the worker's state.
  Part part = Part::open;
  /// With `help`: the first pieces to run, and their task.
  PieceRange pieces;
  SharedPieces* shared = nullptr;
  /// The worker to wake, which was idle; none if the id is invalid.
  WorkerId wake;
};

/// Events (`task_ended`, `acquired`, `steal_answered`) change the core's state; `next` decides on the next step.
///
/// *Data*: if memory is managed (`Options::fetches`), a task that was taken first waits for its working set. While
/// tasks run, up to `Options::lookahead` more are in hand, so that their data are copied meanwhile. Of the tasks whose
/// data have arrived, the one of the highest priority starts first; among equals, the one whose data arrived first.
///
/// *Issued ahead*: if the device issues (`Options::most_ahead`), it is given more tasks than it has slots, as long as
/// these are little work: ready tasks, and, when there are none, tasks that wait only for tasks on the device
/// (`claim`). Claimed tasks are not ready and no policy has placed them, so `Options::may_issue` is asked about them.
/// They become ready while this worker holds them, since it completes the tasks that they wait for. `TaskGraph::begin`
/// is asked about them then, or when they have ended: a task that was issued behind a task that failed ends as
/// cancelled, even if it ran.
///
/// *Next task*: the newest of the highest priority in the own deque, or the oldest of the entry queue if that has a
/// higher priority or the own deque is empty. *Steal*: from the first victim that seems to have tasks, in the order of
/// the steal plan; at most one request is under way at a time. A successor of an ended task goes to the own deque
/// (local policies) or to the activation queue (placing policies). One idle worker is woken whenever a task starts
/// while more tasks wait where it may take them (the entry queue, or the own deque if the plan lets workers steal). It
/// takes some and, if it then has more than it needs or has left some, wakes the next. That worker and the scheduler
/// are told before a kernel starts.
///
/// *Pieces*: a core that has no tasks and finds none in the queues runs pieces of other workers' tasks
/// (`Codelet::pieces`); it steals only if there are no pieces. A task of pieces leaves the worker that began it when no
/// piece is left to be taken (`stopped`), and ends with the worker that runs the last of them (`last_piece_ended`).
///
/// *Several clients*: while more than one client has work, ready tasks wait for their turn (`Shares`), including those
/// that were in the deque before.
///
/// *Regrouping*: while the worker is not open (`Standing`), it begins no task. The tasks that are queued with it go to
/// other workers if it is to help. They also go, once, if it is to lead under a placing policy: the policy placed them
/// for another number of cores.
///
/// Not thread-safe: used only by the thread of its worker.
class WorkerCore {
 public:
  struct Options {
    WorkerId self;
    DeviceKind kind = DeviceKind::cpu_core;
    std::size_t slots = 1;
    /// True if the device does not reach all memory: the data of tasks must be fetched before they start.
    bool fetches = false;
    /// The number of tasks in hand beyond those that run. Used only with `fetches`.
    std::size_t lookahead = 0;
    /// The number of tasks on the device beyond `slots`; and the time that these may take together, as estimated from
    /// earlier tasks of their codelets. Used only with `fetches`.
    std::size_t most_ahead = 0;
    Duration work_ahead{};
    /// Called for a task that waits only for tasks on the device. Returns true if it is to be issued behind them; the
    /// task then counts as placed there. Returns nothing if the worker should ask again later. If the function is
    /// empty, all are issued.
    std::function<std::optional<bool>(const graph::Task&)> may_issue = nullptr;
    /// True to take the oldest task of the own deque first, because a placing policy has put the tasks in order.
    bool in_order = false;
    /// If true, tasks in hand start by priority. If false, they start in the order in which their data arrive: for a
    /// policy that keeps tasks and lets them go one by one.
    bool urgent_first = true;
    std::uint64_t seed = 0;
    /// The queue for successors under a placing policy; if null, they go to the own deque.
    TaskDeque* activation_queue = nullptr;
    /// True while the scheduler also has to decide when a task ends that makes no other task ready. If the pointer is
    /// null, it never has to.
    const std::atomic<bool>* ends_count = nullptr;
    /// True if decisions depend only on the tasks and never on measured times, so that runs can be repeated.
    bool deterministic = false;
  };

  WorkerCore(Crew& crew, Options options);

  /// Returns the next step.
  [[nodiscard]] Step next();
  /// Called when a task has ended; `next` then finds the successors that are ready. `took` is the same as in
  /// `DeviceListener::done`.
  void task_ended(graph::Task& task, const graph::FailureLog::Cause& cause, Duration took = Duration(-1));
  /// Called when the worker has done its part, `part`, of a task of pieces that it began. Other workers may still run
  /// the rest. The task counts as one of this worker's tasks, which is about to leave it.
  void stopped(const PartOfTask& part);
  /// Called when the worker has done its part of a task of pieces that another worker began.
  void helped(const PartOfTask& part);
  /// Called when all workers have left a task of pieces, this worker last. Does the same as `task_ended`, whichever
  /// worker began the task.
  void last_piece_ended(graph::Task& task, const graph::FailureLog::Cause& cause);
  /// Asked while the worker helps: returns true if there is something to do that comes before helping.
  [[nodiscard]] bool is_wanted() const {
    return !port_.standing.open() || port_.deque.size() > 0 || turns_wait() || crew_.entry.size() > 0 ||
           std::ranges::any_of(in_hand_, &InHand::acquired) ||
           (crew_.mixed() && crew_.restricted.best_for(options_.self) != nullptr);
  }
  /// Called with tasks that the device has not begun, see `Device::take_back`. They start again. Empties `tasks`.
  void taken_back(graph::TaskList& tasks);
  /// Called when the device has refused at once a task that was to be issued. Returns true if the task was not ready:
  /// then it has not failed yet, and starts again when it is ready. Returns false if the task has ended.
  bool put_off(graph::Task& task) { return task.issued_ahead && put_off_claim(task); }
  /// Called when the data of a task that `next` said to acquire have arrived.
  void acquired(graph::Task& task);
  /// Called when the data of a task that `next` said to acquire can never be there: the worker no longer has the task.
  void refused(const graph::Task& task);
  /// Called first when a task's data can never be there. Returns true if the task is not ready: it then leaves this
  /// worker without ending, and becomes ready later like any other task.
  bool withdraw_claim(graph::Task& task);
  /// Called when the data of a task that `next` said to acquire can never be there, and the task can run nowhere else:
  /// it fails.
  void failed_to_start(graph::Task& task, const graph::FailureLog::Cause& cause);
  /// Ends a task that was not in this worker's hands, without running it. If it waits for a commute lock, it does not
  /// end, and comes again.
  void reject(graph::Task& task, const graph::FailureLog::Cause& cause);
  /// Called when `victim` has moved `tasks` tasks to the own deque, or will not answer any more (0). The actor before
  /// this one may have sent the request; such an answer is only counted.
  void steal_answered(WorkerId victim, std::size_t tasks);
  /// Called with the tasks that `victim` gave; empties `tasks`.
  void steal_answered(WorkerId victim, graph::TaskList& tasks);
  /// Called when the actor ends. A task that only the actor knew goes to the deque, where the actor's successor finds
  /// it. Returns true if the scheduler is to be told that there are tasks in the activation queue. Appends to
  /// `asked_for` the tasks whose data were asked for: the caller withdraws these requests.
  [[nodiscard]] bool give_up(std::vector<graph::Task*>& asked_for);

  /// Returns true if tasks are queued with this worker and it passes them on.
  [[nodiscard]] bool has_any_to_pass_on() const { return port_.standing.passes_on() && port_.deque.size() > 0; }
  /// Called when the worker drains and holds no task after `stand_by`.
  void drained() { withdraws_.reset(); }

  /// Returns true if any queue that this worker may take from seems to hold a task.
  [[nodiscard]] bool sees_work() const;
  /// Returns true if there seems to be work. Used by a worker that asks again and again: it looks at new arrivals in
  /// the entry queue at most once a microsecond, and drains them.
  [[nodiscard]] bool finds_work();
  /// Declares the worker idle. Returns false if work has appeared meanwhile: then the worker goes on. Returns true if
  /// it is to sleep until it is woken.
  [[nodiscard]] bool park();
  /// Notes that the worker is awake, though perhaps no thread has erased it from the idle set.
  void unpark() { crew_.idle.erase(options_.self); }

  [[nodiscard]] std::size_t running() const { return running_; }
  /// Returns the number of tasks in hand: those that run or wait for their data.
  [[nodiscard]] std::size_t in_hand() const { return running_ + in_hand_.size(); }
  /// Returns the time of the last search for a task, read from `platform::coarse_now`.
  [[nodiscard]] TimeStamp looked_at() const { return arrivals_.coarse(); }

 private:
  // `next` tries these one after the other. Those that return true have filled in the step.
  Step send_on();
  Step stand_by();
  bool start_acquired(Step& step);
  bool take(Step& step);
  bool claim(Step& step);
  bool help(Step& step);
  bool steal(Step& step);
  /// Starts the task: its data are there, and the device has room for it.
  void start(graph::Task& task, Step& step);
  /// Returns false if the task has left the worker's hands: it was cancelled, failed, or waits for a commute lock.
  bool begin(graph::Task& task);

  /// Tells the observers of a task that does not run. Not inlined: otherwise `begin` would reserve stack space for the
  /// event for each task.
  [[gnu::noinline]] void tell_not_run(TaskId task, bool ended) const;
  bool put_off_claim(graph::Task& task);

  // These find the next task; null if there is none.
  graph::Task* next_task();
  graph::Task* take_restricted();
  graph::Task* take_from_entry();
  /// Called if the worker's device is lost: takes a task that lies with the worker, or that no other worker can take.
  graph::Task* next_to_send_on();
  [[nodiscard]] bool has_any_to_send_on() const;
  /// Called if the worker is not open: takes a task that others are to run.
  graph::Task* next_to_pass_on(Part part);
  /// Called before each task: from time to time moves new arrivals into the entry queue's sorted part.
  void look_up();
  /// Moves new arrivals, unless it did so less than a microsecond ago (returns false): each look costs the submitting
  /// thread a cache miss.
  bool look_at_arrivals();
  /// If other clients have begun to have work, makes the tasks that are queued here wait for their turn.
  void give_way();

  // These place ready tasks.
  /// Handles the tasks that became ready when a task ended. `share` is the share of the ended task; null if there is
  /// only one client.
  void ready_now(graph::TaskList& ready, Share* share);
  /// Puts ready tasks where workers find them. Empties `ready`.
  void place(graph::TaskList& ready);
  /// Returns true if the newest task of the list has the highest priority of all tasks that this worker could take.
  [[nodiscard]] bool goes_first(const graph::TaskList& ready) const;
  /// Called when the worker no longer takes part in a task of pieces.
  void has_left();
  [[nodiscard]] bool ends_count() const {
    return options_.ends_count != nullptr && options_.ends_count->load(std::memory_order_seq_cst);
  }
  /// Called when a client's task has left the workers: there may be room for another one.
  void leave(Share& share);

  struct InHand;
  /// Gives back a task in hand if it is wanted back.
  bool gives_back(Step& step);
  /// Takes the task out of hand. Its data must not be in use.
  graph::Task* take_out_of_hand(std::vector<InHand>::iterator one);
  /// Returns true if the task may be given to the device now.
  [[nodiscard]] bool may_start(const InHand& one);
  /// Returns the task in hand that is to start next, of those for which `may(one)` is true; else `in_hand_.end()`.
  template <class May>
  std::vector<InHand>::iterator first_in_hand(May may);
  /// Begins a task that has become ready in hand. Returns false if it was cancelled.
  bool begin_claimed(graph::Task& task);
  /// Takes the task out of `in_hand_` if it waits for its data there.
  bool gives_up_waiting(const graph::Task& task);

  // These handle the tasks on a device that issues.
  [[nodiscard]] bool issues() const { return options_.most_ahead > 0; }
  /// Returns a task that waits only for tasks on the device and may be issued behind them; null if there is none.
  graph::Task* find_issuable();
  /// Returns true if the task waits only for tasks on the device; `behind_` then holds these tasks.
  bool waits_for_device_alone(const graph::Task& task);
  [[nodiscard]] bool can_be_issued(const graph::Task& task) const;
  [[nodiscard]] std::optional<bool> may_issue(graph::Task& task) const;
  [[nodiscard]] bool fits_ahead(const graph::Task& task) const;
  /// Returns true if tasks that wait for this one may begin before it is completed.
  [[nodiscard]] static bool can_be_followed(const graph::Task& task);
  /// Returns the mean time of recent tasks of the task's codelet on this worker; zero if it is not known.
  [[nodiscard]] Duration expected(const graph::Task& task) const;
  void note_time(const graph::Task& task, Duration took);
  /// Notes that the task leaves the device. Returns true if `TaskGraph::begin` has been asked about it.
  bool leaves_device(const graph::Task& task);
  /// Releases a claim that is no longer in hand: its task becomes ready later like any other task.
  void release_claim(graph::Task& task);
  /// Takes out of the list the tasks that this worker already has in hand.
  void keep_claimed(graph::TaskList& ready);

  // These choose a worker to wake, which is then out of the idle set, or a victim to steal from. The id is invalid if
  // there is none.
  /// Called if this worker cannot do the work that it may have been woken for: chooses a worker that can.
  WorkerId sleeper_in_its_place();
  /// Chooses a worker that could take some of the remaining tasks. To be called if some worker is idle.
  WorkerId sleeper_for_surplus();
  /// Returns the first victim that seems to have tasks, nearest ring first.
  WorkerId next_victim();

  [[nodiscard]] bool lost() const { return port_.lost.load(std::memory_order_relaxed); }
  [[nodiscard]] bool has_room() const {
    return in_hand_.size() + std::min(running_, options_.slots) < options_.slots + options_.lookahead;
  }
  [[nodiscard]] std::size_t most_in_hand() const { return options_.slots + options_.lookahead + options_.most_ahead; }
  [[nodiscard]] bool turns_wait() const { return shares_ != nullptr && shares_->turns_wait(); }
  /// Returns true if there is work for this worker outside the entry queue.
  [[nodiscard]] bool sees_work_besides_entry() const;

  Crew& crew_;
  const Options options_;
  WorkerPort& port_;
  /// Null if all tasks belong to one program.
  Shares* const shares_;
  const bool sets_apart_;
  /// True if ready tasks go to the own deque, so that one of them may stay out of it (`handed_over_`).
  const bool hands_over_;
  Random random_;
  std::size_t running_ = 0;
  /// A task that was taken and waits for its data or, when these have arrived, for the device.
  struct InHand {
    graph::Task* task = nullptr;
    bool acquired = false;
    /// True if `TaskGraph::begin` has been asked whether the task may run, because it was ready when it was taken.
    bool begun = true;
    /// True if the task must not start before it is ready.
    bool put_off = false;
  };
  /// Tasks that wait for data, in the order in which they were taken; then the others, in the order in which their data
  /// arrived. It has room for all tasks that can be in hand: a task that was taken must not be lost because no memory
  /// is left to note it.
  std::vector<InHand> in_hand_;
  struct OnDevice {
    graph::Task* task = nullptr;
    Duration expected{};
    /// True if the task waits on the device, for a slot or for other tasks.
    bool ahead = false;
    bool begun = true;
  };
  /// The tasks on the device, in the order of their starts. Used only with `issues`.
  std::vector<OnDevice> on_device_;
  /// The number of tasks in hand or on the device that are not ready.
  std::size_t claimed_ = 0;
  struct KernelTime {
    const CodeletDefinition* codelet = nullptr;
    Duration mean{};
  };
  /// The times of codelets that ran here lately. The pointers are only compared: the codelet may be gone.
  std::array<KernelTime, 32> times_{};
  std::size_t next_time_ = 0;
  /// Tasks that were claimed or that the policy wants elsewhere: the policy is asked only once about each.
  std::array<TaskId, 64> asked_about_{};
  std::size_t next_asked_about_ = 0;
  // These are members only to save allocations.
  std::vector<graph::Task*> behind_;
  std::vector<graph::Task*> waiting_;
  /// The number of tasks that are still to be passed on, while the worker drains.
  std::optional<std::size_t> withdraws_;
  /// The next task unless another has a higher priority: it need not go through the deque.
  graph::Task* handed_over_ = nullptr;
  bool activation_due_ = false;
  /// Unused in deterministic runs, where every look is allowed.
  ArrivalClock arrivals_;
  /// The victim whose answer is awaited, or an invalid id.
  WorkerId asked_victim_;
  /// The last victim; cleared when another worker may have been woken for its remaining tasks.
  WorkerId robbed_;
  /// The number of victims asked since the last task; limits a search.
  std::size_t asked_ = 0;
};

/// Takes half of the victim's tasks: the whole answer to a steal request. Touches only the victim's deque, so it may
/// run in the thief's thread while the victim's thread runs a kernel.
[[nodiscard]] graph::TaskList take_half(Crew& crew, WorkerId victim) noexcept;

/// Moves half of the victim's tasks to the thief's deque; returns their number.
std::size_t transfer_half(Crew& crew, WorkerId victim, WorkerId thief) noexcept;

}  // namespace troupe::workers
