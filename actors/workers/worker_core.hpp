/// What a worker does next: the worker without its actor.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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
    /// The device is lost, the worker about to work with others, or the task wanted back: `task` has to run elsewhere;
    /// report `reject` where it can run nowhere.
    send_on,
    /// The worker is not to take tasks (`Standing`), and has none.
    stand_by,
    /// Run pieces of a task that another worker has begun, `shared`, from `pieces` on; report `helped`.
    help,
    /// There is nothing to do: `park`, now or after having looked around for a while.
    rest,
  };
  Kind kind = Kind::wait;
  /// The scheduler is to decide: there are tasks in the activation queue, or `Options::ends_count`.
  bool activate = false;
  graph::Task* task = nullptr;
  /// Of a task to start: tasks on the device that it has to wait for there. Until the core is asked or told again.
  std::span<graph::Task* const> behind;
  WorkerId victim;
  /// Of `stand_by`: what the worker is.
  Part part = Part::open;
  /// Of `help`.
  PieceRange pieces;
  SharedPieces* shared = nullptr;
  /// Wake this worker, which was idle; nobody where it is invalid.
  WorkerId wake;
};

/// Events (`task_ended`, `acquired`, `steal_answered`) change what the worker knows; `next` decides what it does.
///
/// *Data*: where memory is managed (`Options::fetches`), a task that was taken waits for its working set first. While
/// tasks run, up to `Options::lookahead` more are in hand, so that their data travel meanwhile; of those whose data are
/// there the one of the highest priority starts first, and of equals the one whose data arrived first.
///
/// *Issued ahead*: where the device issues (`Options::most_ahead`), it is given more than its slots take, as far as
/// that is little work: ready tasks, and, when there are none, tasks that wait for nothing but tasks on the device
/// (`claim`). The latter are asked for at `TaskServices::may_issue`, as they are not ready and no policy has placed
/// them. They become ready in this worker's hands, since it completes what they wait for. `TaskGraph::begin` is asked
/// about them then, or when they have ended: what was issued behind a task that failed ends as cancelled, whatever it
/// did.
///
/// *Next task*: the newest of the highest priority in the own deque, or the oldest of the entry queue where that has
/// a higher one or the own deque is empty. *Steal*: from the first victim that seems to have tasks, in the order of
/// the steal plan; at most one request is out at a time. A successor of an ended task goes to the own deque (local
/// policies) or to the activation queue (placing policies). One idle worker is woken whenever a task starts while more
/// of them lie where it may take them from (the entry queue, or the own deque if the plan lets anybody steal); it takes
/// some and, if it then has more than it needs or has left some, wakes the next. It and the scheduler are told before a
/// kernel starts.
///
/// *Pieces*: a core that has neither tasks nor finds any that nobody has runs pieces of the tasks of others
/// (`Codelet::pieces`), and only when there are none it steals. A task of pieces leaves the worker that began it when
/// none is left to be taken (`stopped`), and ends with whoever runs the last of them (`last_piece_ended`).
///
/// *Several clients*: while more than one has work, ready tasks wait for their turn (`Shares`), and so does what lay in
/// the deque before.
///
/// *Regrouping*: while the worker is not open (`Standing`), it begins nothing. What lies with it goes to others where
/// it is to help, and once, under a placing policy, where it is to lead: it was placed there as on another number of
/// cores.
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
    /// Tasks on the device beyond `slots`, and how long they may take together, as known from others of their codelets.
    /// Only with `fetches`.
    std::size_t most_ahead = 0;
    Duration work_ahead{};
    /// Take the oldest of the own deque first: a placing policy has put them in order.
    bool in_order = false;
    /// What is in hand starts by priority; false: as data arrive, where a policy keeps tasks and lets them go one by
    /// one.
    bool urgent_first = true;
    std::uint64_t seed = 0;
    /// Where successors go under a placing policy; null: the own deque.
    TaskDeque* activation_queue = nullptr;
    /// True while the scheduler also decides when a task ends that makes none ready. Null: never.
    const std::atomic<bool>* ends_count = nullptr;
    /// Decide by what there is alone, and not by how long something took: for runs that can be repeated.
    bool deterministic = false;
  };

  WorkerCore(Crew& crew, Options options);

  /// What to do now.
  [[nodiscard]] Step next();
  /// The successors that are ready now are to be found by `next`. `took`: as `DeviceListener::done` is told.
  void task_ended(graph::Task& task, const graph::FailureLog::Cause& cause, Duration took = Duration(-1));
  /// Of a task of pieces that this worker began: what it did of it. Others may be at the rest; the task is about to be
  /// left, and counts as this worker's.
  void stopped(const PartOfTask& part);
  /// The same for one that another worker began.
  void helped(const PartOfTask& part);
  /// All have left a task of pieces, this worker last: as `task_ended`, whoever began it.
  void last_piece_ended(graph::Task& task, const graph::FailureLog::Cause& cause);
  /// While it helps: there is something to do that comes before.
  [[nodiscard]] bool is_wanted() const {
    return !port_.standing.open() || port_.deque.size() > 0 || turns_wait() || crew_.entry.size() > 0 ||
           std::ranges::any_of(in_hand_, &InHand::acquired) ||
           (crew_.mixed() && crew_.restricted_for(options_.self) != nullptr);
  }
  /// The device has not begun these, see `Device::take_back`; empties `tasks`. They start again.
  void taken_back(graph::TaskList& tasks);
  /// The device has refused at once a task that was to be issued. True: it was not ready, so it is no failure yet, and
  /// the task starts again when it is; false: it has ended.
  bool put_off(graph::Task& task) { return task.issued_ahead && put_off_claim(task); }
  /// The data of a task that `next` said to acquire are there.
  void acquired(graph::Task& task);
  /// The data of a task that `next` said to acquire can never be there: it has left the worker's hands.
  void refused(const graph::Task& task);
  /// The same, asked first: true where the task is not ready, so that it has not left anybody's hands; it becomes ready
  /// some time like any other.
  bool withdraw_claim(graph::Task& task);
  /// The same, and it can run nowhere else.
  void failed_to_start(graph::Task& task, const graph::FailureLog::Cause& cause);
  /// A task that was not in the worker's hands ends here without having run; unless it waits for a commute lock: then
  /// it comes again.
  void reject(graph::Task& task, const graph::FailureLog::Cause& cause);
  /// `victim` has moved `tasks` tasks to the own deque, or will answer no more (0). An answer that nobody waits for,
  /// because it was asked for by an actor that died, only counts.
  void steal_answered(WorkerId victim, std::size_t tasks);
  /// `victim` gave these; empties `tasks`.
  void steal_answered(WorkerId victim, graph::TaskList& tasks);
  /// The actor ends. What only it knew of is where its successor finds it. True: the scheduler is to be told that there
  /// are tasks in the activation queue. Tasks whose data were asked for are appended to `asked_for`: withdraw that.
  [[nodiscard]] bool give_up(std::vector<graph::Task*>& asked_for);

  /// Tasks lie with a worker that passes them on.
  [[nodiscard]] bool has_any_to_pass_on() const { return port_.standing.passes_on() && port_.deque.size() > 0; }
  /// After `stand_by` of a worker that drains: it holds nothing.
  void drained() { withdraws_.reset(); }

  /// Whether any queue that this worker may take from seems to hold something.
  [[nodiscard]] bool sees_work() const;
  /// The same for a worker that asks again and again: it looks at what has arrived at the entry queue at most once a
  /// microsecond, and drains it.
  [[nodiscard]] bool finds_work();
  /// Declares the worker idle. False: work has appeared meanwhile, go on. True: sleep until it is woken.
  [[nodiscard]] bool park();
  /// The worker is awake, though perhaps nobody has erased it from the idle set.
  void unpark() { crew_.idle.erase(options_.self); }

  [[nodiscard]] std::size_t running() const { return running_; }
  /// Tasks in hand: running, or waiting for their data.
  [[nodiscard]] std::size_t in_hand() const { return running_ + in_hand_.size(); }
  /// When the last task was looked for, of `platform::coarse_now`.
  [[nodiscard]] TimeStamp looked_at() const { return looked_at_; }

 private:
  // What `next` tries, one after the other. True: it is the step.
  Step send_on();
  Step stand_by();
  bool start_acquired(Step& step);
  bool take(Step& step);
  bool claim(Step& step);
  bool help(Step& step);
  bool steal(Step& step);
  /// The device has room for the task, whose data are there.
  void start(graph::Task& task, Step& step);
  /// False: the task has left the worker's hands. It was cancelled, failed, or waits for a commute lock.
  bool begin(graph::Task& task);

  bool put_off_claim(graph::Task& task);

  // Where the next task comes from; null where there is none.
  graph::Task* next_task();
  graph::Task* take_restricted();
  graph::Task* take_from_entry();
  /// Of a worker whose device is lost: a task that lies with it, or that nobody else can take.
  graph::Task* next_to_send_on();
  [[nodiscard]] bool has_any_to_send_on() const;
  /// Of a worker that is not open: a task that others are to run.
  graph::Task* next_to_pass_on(Part part);
  /// Now and then, before a task: lets what has arrived at the entry queue take part.
  void look_up();
  /// The same, unless it was looked at less than a microsecond ago (false): each look costs the thread that submits a
  /// cache miss.
  bool look_at_arrivals();
  /// Where other clients have begun to have work: what lies here has to wait for its turn.
  void give_way();

  // Where ready tasks go.
  /// Those that became ready when a task ended, of which this says whose it was; null: there is one client.
  void ready_now(graph::TaskList& ready, Share* share);
  /// Empties `ready`.
  void place(graph::TaskList& ready);
  /// Whether the newest of them has the highest priority of all that this worker could take.
  [[nodiscard]] bool goes_first(const graph::TaskList& ready) const;
  /// The worker takes part in a task of pieces no more.
  void has_left();
  [[nodiscard]] bool ends_count() const {
    return options_.ends_count != nullptr && options_.ends_count->load(std::memory_order_seq_cst);
  }
  /// A client's task has left the workers: there may be room for another one.
  void leave(Share& share);

  struct InHand;
  /// A task in hand is wanted back.
  bool gives_back(Step& step);
  /// The data not being used.
  graph::Task* take_out_of_hand(std::vector<InHand>::iterator one);
  /// Whether the device may be given it now.
  [[nodiscard]] bool may_start(const InHand& one);
  /// Of those in hand of which `may(one)` is true, the one that is to start next; or the end.
  template <class May>
  std::vector<InHand>::iterator first_in_hand(May may);
  /// Of a task that has become ready in hand. False: it was cancelled.
  bool begin_claimed(graph::Task& task);
  /// Takes the task out of `in_hand_`, if it waits for its data there.
  bool gives_up_waiting(const graph::Task& task);

  // What is on a device that issues.
  [[nodiscard]] bool issues() const { return options_.most_ahead > 0; }
  /// A task that waits for tasks on the device alone and may be issued behind them, or null.
  graph::Task* find_issuable();
  /// All that the task waits for is on the device: then `behind_` says what.
  bool waits_for_device_alone(const graph::Task& task);
  [[nodiscard]] bool can_be_issued(const graph::Task& task) const;
  [[nodiscard]] bool fits_ahead(const graph::Task& task) const;
  /// What waits for it may begin before it is completed.
  [[nodiscard]] static bool can_be_followed(const graph::Task& task);
  /// What tasks of this codelet took here lately; zero: nobody knows.
  [[nodiscard]] Duration expected(const graph::Task& task) const;
  void note_time(const graph::Task& task, Duration took);
  /// True: `TaskGraph::begin` has been asked.
  bool leaves_device(const graph::Task& task);
  /// A claim that is in hand no more: its task becomes ready some time like any other.
  void release_claim(graph::Task& task);
  /// Takes those out of the list that this worker has in hand already.
  void keep_claimed(graph::TaskList& ready);

  // Whom to wake, now taken out of the idle set, and whom to ask; an invalid id: nobody.
  /// Of a worker whose device is lost: one that could do what it was woken for.
  WorkerId sleeper_in_its_place();
  /// One that could take some of what is left. Somebody is idle.
  WorkerId sleeper_for_surplus();
  /// The first victim that seems to have tasks, nearest ring first.
  WorkerId next_victim();

  [[nodiscard]] bool lost() const { return port_.lost.load(std::memory_order_relaxed); }
  [[nodiscard]] bool has_room() const {
    return in_hand_.size() + std::min(running_, options_.slots) < options_.slots + options_.lookahead;
  }
  [[nodiscard]] std::size_t most_in_hand() const { return options_.slots + options_.lookahead + options_.most_ahead; }
  [[nodiscard]] bool turns_wait() const { return shares_ != nullptr && shares_->turns_wait(); }
  /// There is work for this worker elsewhere than in the entry queue.
  [[nodiscard]] bool sees_work_besides_entry() const;

  Crew& crew_;
  const Options options_;
  WorkerPort& port_;
  /// Null where all tasks are of one program.
  Shares* const shares_;
  const bool sets_apart_;
  /// Ready tasks go to the own deque, so one of them may as well be kept out of it.
  const bool hands_over_;
  Random random_;
  std::size_t running_ = 0;
  /// A task that was taken and waits for its data or, when they are there, for the device.
  struct InHand {
    graph::Task* task = nullptr;
    bool acquired = false;
    /// `TaskGraph::begin` has been asked whether it may run: it was ready when it was taken.
    bool begun = true;
    /// Not before it is ready.
    bool put_off = false;
  };
  /// Those that wait for data as they were taken, the others as data arrived. With room for all that can be in hand: a
  /// task that was taken must not be lost for want of memory to note it.
  std::vector<InHand> in_hand_;
  struct OnDevice {
    graph::Task* task = nullptr;
    Duration expected{};
    /// It waits there, for a slot or for others.
    bool ahead = false;
    bool begun = true;
  };
  /// With `issues`, in the order of their starts.
  std::vector<OnDevice> on_device_;
  /// Tasks in hand or on the device that are not ready.
  std::size_t claimed_ = 0;
  struct KernelTime {
    const CodeletDefinition* codelet = nullptr;
    Duration mean{};
  };
  /// Of codelets that ran here lately; compared only, as the codelet may be gone.
  std::array<KernelTime, 32> times_{};
  std::size_t next_time_ = 0;
  /// Tasks that were claimed or that the policy wants elsewhere: it is asked once.
  std::array<TaskId, 64> asked_about_{};
  std::size_t next_asked_about_ = 0;
  // Kept to save the allocations.
  std::vector<graph::Task*> behind_;
  std::vector<graph::Task*> waiting_;
  /// While it drains: tasks that are still to be passed on.
  std::optional<std::size_t> withdraws_;
  /// The next task, if nothing has a higher priority: it need not go through the deque.
  graph::Task* handed_over_ = nullptr;
  bool activation_due_ = false;
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
  /// Whose tasks it has stolen, until somebody may be woken for the rest.
  WorkerId robbed_;
  /// Victims asked since the last task, so that a search ends.
  std::size_t asked_ = 0;
};

/// Takes half of the victim's tasks: the whole answer to a steal request. Touches the victim's deque only, so it may
/// run in the thief's thread while the victim's runs a kernel.
[[nodiscard]] graph::TaskList take_half(Crew& crew, WorkerId victim) noexcept;

/// The same, to the thief's deque; returns how many.
std::size_t transfer_half(Crew& crew, WorkerId victim, WorkerId thief) noexcept;

}  // namespace troupe::workers
