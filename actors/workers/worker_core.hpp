/// The worker without its actor: decides what a worker does next.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "actors/workers/crew.hpp"
#include "actors/workers/deciding/arrival_clock.hpp"
#include "actors/workers/deciding/claims.hpp"
#include "actors/workers/deciding/device_queue.hpp"
#include "actors/workers/deciding/taken_tasks.hpp"
#include "actors/workers/deciding/victim_search.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "graph/tasks/failure_log.hpp"
#include "troupe/devices.hpp"
#include "troupe/units.hpp"

namespace troupe::workers {

/// One step for the actor around the core. The actor carries out `activate` and `wake` first, then `kind`. Then the
/// actor asks for the next step.
struct Step {
  enum class Kind : std::uint8_t {
    /// Do nothing: the device is full, or an answer is awaited.
    wait,
    /// Start `task` on the device; report `task_ended` when the task has ended.
    start,
    /// Ask for the data of `task` on the device's memory node; report `acquired` when the data are there.
    acquire,
    /// Send a steal request to `victim`; then report the answer.
    steal,
    /// Send `task` to other workers, because the device is lost, the cores are regrouped, or the scheduler wants the
    /// task back. Report `reject` if the task can run nowhere.
    send_on,
    /// Stand by: the worker must not take tasks (`Standing`), and has no tasks.
    stand_by,
    /// Run pieces of `shared`, which is a task that another worker has begun. Begin with the pieces in `pieces`. Report
    /// `helped` at the end.
    help,
    /// There is nothing to do: call `park`, perhaps after looking for work for a while.
    rest,
  };
  Kind kind = Kind::wait;
  /// True if the scheduler has to make decisions: there are tasks in the activation queue, or a task has ended while
  /// `Options::ends_count` is true.
  bool activate = false;
  graph::Task* task = nullptr;
  /// With `start`: the tasks on the device for which `task` has to wait there. Valid until the next call of the core.
  std::span<graph::Task* const> behind;
  WorkerId victim;
  /// With `stand_by`: the worker's state.
  RegroupingState state = RegroupingState::open;
  /// With `help`: the first pieces to run, and their task.
  PieceRange pieces;
  SharedPieces* shared = nullptr;
  /// The idle worker that has to be woken; none if the id is invalid.
  WorkerId wake;
};

/// Events (`task_ended`, `acquired`, `steal_answered`) change the core's state; `next` decides on the next step.
///
/// *Data*: if memory is managed (`Options::fetches`), a task that was taken first waits for its working set. A task
/// that was taken and has not ended is *in hand*. While tasks run, the worker takes up to `Options::lookahead` more, so
/// that their data are copied meanwhile. Among the tasks whose data have arrived, the task of the highest priority
/// starts first; among equals, the task whose data arrived first.
///
/// *Issued ahead*: a device that can queue tasks (`Options::most_ahead`) is given more tasks than it has slots, as long
/// as these tasks take little time. The core chooses ready tasks or, if there are none, tasks that wait only for tasks
/// on this device (`claim`). A claimed task is not ready, and no policy has placed it, so the core calls
/// `Options::may_issue` first. A claimed task becomes ready while this worker has it in hand, because this worker
/// completes the tasks for which the claimed task waits. `TaskGraph::begin` is called at that time, or when the claimed
/// task has ended: if a task before it has failed, the claimed task ends as cancelled, even if it ran.
///
/// *Next task*: the newest task of the highest priority in the worker's own deque; or the oldest task of the entry
/// queue, if its priority is higher or the worker's own deque is empty. *Stealing*: the worker asks the first victim
/// that seems to have tasks, in the order of the steal plan; at most one request is under way at a time. *Successors*:
/// when a task has ended, tasks that become ready go to the own deque (local policies) or to the activation queue
/// (placing policies). *Waking*: whenever a task starts and more tasks wait where an idle worker may take them (in the
/// entry queue, or in the own deque if the plan lets workers steal), one idle worker is woken. The woken worker takes
/// some of the tasks and, if more are left, wakes the next. Workers are woken, and the scheduler is notified, before a
/// kernel starts.
///
/// *Pieces*: a core that has no tasks and finds none in the queues runs pieces of other workers' tasks
/// (`Codelet::pieces`); it steals only if there are no pieces. The worker that began a task of pieces leaves the task
/// when no piece is left to be taken (`stopped`). The last worker that leaves the task ends it (`last_piece_ended`).
///
/// *Several clients*: while more than one client has work, ready tasks wait for their turn (`Shares`), including those
/// that were in the deque before.
///
/// *Regrouping*: while the worker is not open (`Standing`), it begins no task. If the worker will help, the tasks in
/// its queue go to other workers. If it will lead under a placing policy, the tasks that are in its queue at that time
/// also go to other workers, because the policy placed them for another number of cores.
///
/// Not thread-safe: used only by the thread of its worker.
class WorkerCore {
 public:
  struct Options {
    WorkerId self;
    DeviceKind kind = DeviceKind::cpu_core;
    std::size_t slots = 1;
    /// True if the data of a task must be fetched before the task starts, because memory is managed.
    bool fetches = false;
    /// The limit for tasks in hand that do not run yet. Used only with `fetches`.
    std::size_t lookahead = 0;
    /// The limits for tasks that the device has beyond `slots`: their number (`most_ahead`), and the time that they may
    /// take together (`work_ahead`), as estimated from earlier tasks of their codelets. Used only with `fetches`.
    std::size_t most_ahead = 0;
    Duration work_ahead{};
    /// Called for a task that waits only for tasks on the device. Returns true if the task is to be issued behind these
    /// tasks; then the task counts as placed on this worker. Returns nothing if the worker should ask again later. If
    /// the function is empty, all such tasks are issued.
    std::function<std::optional<bool>(const graph::Task&)> may_issue = nullptr;
    /// True to take the oldest task of the worker's deque first, because a placing policy has put the tasks in order.
    bool in_order = false;
    /// True if tasks in hand start by priority, false if tasks in hand start in the order in which their data arrive.
    /// False suits a policy that keeps ready tasks and places them one by one.
    bool urgent_first = true;
    std::uint64_t seed = 0;
    /// Under a placing policy, the queue for tasks that become ready; if null, these tasks go to the worker's deque.
    TaskDeque* activation_queue = nullptr;
    /// True while the scheduler has to decide after each end of a task, even if no other task has become ready. If the
    /// pointer is null, the scheduler never has to do so.
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
  /// Called when the worker has done its pieces of a task that it began. Other workers may still run the remaining
  /// pieces. The task is counted as a task that this worker has run; the worker is about to leave the task.
  void stopped(const PiecesDone& pieces);
  /// Called when the worker has done its pieces of a task that another worker began.
  void helped(const PiecesDone& pieces);
  /// Called by the last worker that has left a task of pieces. Completes the task as `task_ended` does, no matter which
  /// worker began the task.
  void last_piece_ended(graph::Task& task, const graph::FailureLog::Cause& cause);
  /// Called while the worker helps another worker. Returns true if this worker has work of its own, which comes first.
  [[nodiscard]] bool is_wanted() const {
    return !port_.standing.open() || port_.deque.size() > 0 || turns_wait() || crew_.entry.size() > 0 ||
           taken_.any_acquired() || (crew_.mixed() && crew_.restricted.best_for(options_.self) != nullptr);
  }
  /// Called with tasks that the device has not begun, see `Device::take_back`. These tasks will start again. Empties
  /// `tasks`.
  void taken_back(graph::TaskList& tasks);
  /// Called when a task has ended inside `Device::start`. Returns true if the task was issued before it was ready. Then
  /// the device has refused the task, and the task starts again when it is ready. Returns false if the task has really
  /// ended.
  bool put_off(graph::Task& task) { return task.issued_ahead && put_off_claim(task); }
  /// Called when the data of a task have arrived, after a step `acquire`.
  void acquired(graph::Task& task);
  /// Called when the data of a task can never arrive, after a step `acquire`. The worker no longer has the task.
  void refused(const graph::Task& task);
  /// Called when the data of a task can never arrive, before `refused` or `failed_to_start`. Returns true if the task
  /// is not ready yet. Then the task leaves this worker without ending, and becomes ready later like any other task.
  bool withdraw_claim(graph::Task& task);
  /// Called when the data of a task can never arrive, after a step `acquire`, and the task can run on no other worker.
  /// Fails the task.
  void failed_to_start(graph::Task& task, const graph::FailureLog::Cause& cause);
  /// Fails a task that this worker does not have in hand; the task does not run. If the task has to wait for a commute
  /// lock, the task does not end now, but becomes ready again later.
  void reject(graph::Task& task, const graph::FailureLog::Cause& cause);
  /// Called when `victim` has moved `tasks` tasks to this worker's deque, or will not answer any more (`tasks` is 0).
  /// If the request was sent by an actor that this worker had before, the answer is only counted.
  void steal_answered(WorkerId victim, std::size_t tasks);
  /// Called with the tasks that `victim` gave; empties `tasks`.
  void steal_answered(WorkerId victim, graph::TaskList& tasks);

  // The next functions are for kernels that wait for tasks of their own nested task, which happens only where cores are
  // never regrouped.
  /// Called when a kernel begins to wait. The worker may run other tasks until `resume`.
  void suspend() {
    --running_;
    ++suspended_;
    if (ends_count()) activation_due_ = true;
  }
  void resume() {
    ++running_;
    --suspended_;
    // The kernel goes on and may take long, so the next task goes to the deque, where other workers find it.
    if (handed_over_ != nullptr) port_.deque.push(std::exchange(handed_over_, nullptr));
  }
  /// Returns the number of kernels that wait.
  [[nodiscard]] std::size_t suspended() const { return suspended_; }
  /// Takes a task of the domain or of a domain inside it, to be run while a kernel waits for the domain's tasks; null
  /// if no such task is found. The caller calls `task_ended` for the task as for other tasks.
  [[nodiscard]] graph::Task* take_inside(const graph::Domain& domain);
  /// Returns a worker to wake, if there are more tasks than this worker can run now; invalid if there is none.
  [[nodiscard]] WorkerId sleeper_to_help() { return sleeper_for_surplus(); }
  /// Returns true once if the scheduler has to decide, see `Step::activate`.
  [[nodiscard]] bool take_activation() { return std::exchange(activation_due_, false); }

  /// Called when the actor ends. A task that only the actor knew goes to the deque, where the worker's next actor finds
  /// the task. Returns true if the scheduler has to be notified of tasks in the activation queue. Appends to
  /// `asked_for` the tasks whose data were asked for; the caller has to withdraw these requests.
  [[nodiscard]] bool give_up(std::vector<graph::Task*>& asked_for);

  /// Returns true if the worker's deque has tasks that the worker has to pass on to other workers.
  [[nodiscard]] bool has_any_to_pass_on() const { return port_.standing.passes_on() && port_.deque.size() > 0; }
  /// Called after a step `stand_by` while the worker drains: the worker has no more tasks to end or to pass on.
  void drained() { withdraws_.reset(); }

  /// Returns true if any queue that this worker may take from seems to hold a task.
  [[nodiscard]] bool sees_work() const;
  /// Returns true if there seems to be work. A worker without work calls this repeatedly. Moves newly submitted tasks
  /// into the sorted stage of the entry queue, at most once per microsecond.
  [[nodiscard]] bool finds_work();
  /// Declares the worker idle. Returns false if work has appeared: then the worker is not idle and goes on. Returns
  /// true if the worker has to sleep until it is woken.
  [[nodiscard]] bool park();
  /// Called when the worker is awake. Erases the worker from the idle set, in case no other thread has done so.
  void unpark() { crew_.idle.erase(options_.self); }

  [[nodiscard]] std::size_t running() const { return running_; }
  /// Returns the number of tasks in hand: the tasks that run, and the tasks that wait for their data or for the device.
  [[nodiscard]] std::size_t in_hand() const { return running_ + taken_.size(); }
  /// Returns the time of the last search for a task, read from `platform::coarse_now`.
  [[nodiscard]] TimeStamp looked_at() const { return arrivals_.coarse(); }

 private:
  // `next` tries these functions one after the other. A function that returns true has filled in the step.
  Step send_on();
  Step stand_by();
  bool start_acquired(Step& step);
  bool take(Step& step);
  bool claim(Step& step);
  bool help(Step& step);
  bool steal(Step& step);
  /// Starts a task whose data are there. The device must have room for the task.
  void start(graph::Task& task, Step& step);
  /// Returns false if the task does not run now, because it was cancelled, has failed, or waits for a commute lock.
  /// Then the worker no longer has the task in hand.
  bool begin(graph::Task& task);

  /// Reports to the observers that a task does not run. Not inlined: otherwise `begin` would reserve stack space for
  /// the event for each task.
  [[gnu::noinline]] void tell_not_run(TaskId task, bool ended) const;
  bool put_off_claim(graph::Task& task);

  // These functions find the next task; each returns null if there is none.
  graph::Task* find_inside(const graph::Domain& domain);
  graph::Task* next_task();
  graph::Task* take_restricted();
  graph::Task* take_from_entry();
  /// Called if the worker's device is lost: takes a task that this worker has, or a task that no other worker can take.
  graph::Task* next_to_send_on();
  [[nodiscard]] bool has_any_to_send_on() const;
  /// Called if the worker is not open: takes a task that other workers have to run.
  graph::Task* next_to_pass_on(RegroupingState state);
  /// Called before each task: from time to time moves newly submitted tasks into the entry queue's sorted stage.
  void look_up();
  /// Moves newly submitted tasks into the entry queue's sorted stage. If the last move was less than a microsecond ago,
  /// does nothing and returns false, because each move costs the submitting thread a cache miss.
  bool look_at_arrivals();
  /// If other clients have got work, makes the tasks in this worker's queues wait for their turn.
  void give_way();

  // These functions place ready tasks.
  /// Handles the tasks that became ready when a task ended. `share` is the share of the ended task; null if there is
  /// only one client.
  void ready_now(graph::TaskList& ready, Share* share);
  /// Puts ready tasks where workers find them. Empties `ready`.
  void place(graph::TaskList& ready);
  /// Returns true if the newest task of the list has the highest priority of all tasks that this worker could take.
  [[nodiscard]] bool goes_first(const graph::TaskList& ready) const;
  /// Called when the worker has left a task of pieces.
  void has_left();
  [[nodiscard]] bool ends_count() const {
    return options_.ends_count != nullptr && options_.ends_count->load(std::memory_order_seq_cst);
  }
  /// Called when a client's task has left the workers: there may be room for another task.
  void leave(Share& share);

  /// Gives back the task that the scheduler wants back (`WorkerPort::wanted_back`), if this worker has that task in
  /// hand.
  bool gives_back(Step& step);
  /// Withdraws the request for the data of a task that is no longer in hand and will run elsewhere or later. Returns
  /// the task.
  graph::Task* let_go(graph::Task& task);
  /// Returns true if the task may be given to the device now.
  [[nodiscard]] bool may_start(const TakenTask& one);
  /// Begins a claimed task that has become ready while it was in hand. Returns false if the task was cancelled.
  bool begin_claimed(graph::Task& task);

  // These functions handle the tasks on a device that can queue tasks.
  /// Returns a task that waits only for tasks on the device and may be issued behind these; null if there is no such
  /// task.
  graph::Task* find_issuable();
  [[nodiscard]] bool can_be_issued(const graph::Task& task) const;
  [[nodiscard]] std::optional<bool> may_issue(graph::Task& task) const;
  /// Returns true if the device has all the tasks that it may have.
  [[nodiscard]] bool device_is_full() const { return running_ >= options_.slots + options_.most_ahead; }
  /// Ends the claim on a task that is no longer in hand: the task becomes ready later like any other task.
  void release_claim(graph::Task& task);

  // These functions choose a worker to wake, and erase it from the idle set. Each returns an invalid id if there is no
  // such worker.
  /// Called if this worker cannot do the work for which it may have been woken. Chooses a worker that can do the work.
  WorkerId sleeper_in_its_place();
  /// Chooses a worker that could take some of the remaining tasks. To be called if some worker is idle.
  WorkerId sleeper_for_surplus();

  [[nodiscard]] bool lost() const { return port_.lost.load(std::memory_order_relaxed); }
  [[nodiscard]] bool has_room() const {
    return taken_.size() + std::min(running_, options_.slots) < options_.slots + options_.lookahead;
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
  /// True if ready tasks go to the worker's own deque. Then one ready task may bypass the deque (`handed_over_`).
  const bool hands_over_;
  std::size_t running_ = 0;
  std::size_t suspended_ = 0;
  TakenTasks taken_;
  /// The tasks on the device, if the device can queue tasks.
  DeviceQueue on_device_;
  /// The tasks in hand, also those on the device, that are not ready.
  Claims claims_;
  /// The number of tasks that are still to be passed on, while the worker drains.
  std::optional<std::size_t> withdraws_;
  /// The task to run next. This task bypasses the deque, because no other task had a higher priority.
  graph::Task* handed_over_ = nullptr;
  bool activation_due_ = false;
  ArrivalClock arrivals_;
  VictimSearch search_;
};

/// Takes half of the victim's tasks, to answer a steal request. Touches only the victim's deque, so this function may
/// run in the thief's thread while the victim's thread runs a kernel.
[[nodiscard]] graph::TaskList take_half(Crew& crew, WorkerId victim) noexcept;

/// Moves half of the victim's tasks to the thief's deque. Returns the number of moved tasks.
std::size_t transfer_half(Crew& crew, WorkerId victim, WorkerId thief) noexcept;

}  // namespace troupe::workers
