/// The actor around `WorkerCore`: turns messages into events, and commands into messages and kernels.
#pragma once

#include <atomic>
#include <caf/all.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "actors/observation/observed_actor.hpp"
#include "actors/workers/crew.hpp"
#include "actors/workers/devices/device.hpp"
#include "actors/workers/peers_actor.hpp"
#include "actors/workers/queues/relay.hpp"
#include "actors/workers/worker_core.hpp"
#include "platform/machine/clock.hpp"
#include "platform/machine/cpu_set.hpp"
#include "proto/mutex.hpp"

namespace troupe::workers {

/// The objects that a worker actor uses. The objects behind raw pointers outlive the actor.
struct WorkerSetup {
  WorkerId id;
  std::shared_ptr<Crew> crew;
  std::shared_ptr<Peers> peers;
  /// Makes the device; called once, by the actor's constructor.
  std::function<std::unique_ptr<Device>(DeviceListener&)> make_device;
  /// Makes the scheduler decide on the tasks in the activation queue: at once and in this thread, if that is possible.
  /// Set only under a placing policy.
  std::function<void()> decide;
  const platform::Clock* clock = nullptr;
  /// The record for measurements of the mailbox; null if the mailbox is not measured.
  observation::MailboxRecord* mailbox = nullptr;
  /// The processing units (PUs) that the actor's thread may run on; a thread with only one PU is bound to this PU. If
  /// empty, the thread may run on the PUs of the thread that started the actor.
  platform::CpuSet pus;
  /// True if all actors share one thread: the worker has no thread of its own, runs one task per message and steals
  /// through the mailbox.
  bool cooperative = false;
  /// The time that an idle worker looks for work before it sleeps.
  Duration spin{};
  /// True if the device does not report the ends of tasks, so that the worker polls it (`DeviceTraits::polled`).
  bool polled = false;
  WorkerCore::Options core;
  caf::actor supervisor;
};

/// Handles `StartWorker`, `WorkAvailable`, `StealRequest`, `StealReply`, `DeviceDone`, `DataArrived`, `Continue`,
/// `Stop`.
///
/// Runs tasks one after the other in its handlers and goes back to the mailbox only when a message has arrived or there
/// is nothing to do. A worker with a thread of its own sleeps inside a handler, at its doorbell (`Peers::wake`); each
/// message rings the doorbell, too. A steal request is answered inside `enqueue`, in the thief's thread, so that the
/// thief never waits for a kernel.
///
/// A kernel may wait for tasks of its own nested task (worker_waits_actor.cpp). Meanwhile its thread runs such tasks.
/// If the thread finds none, another thread is the worker until the wait is over (`Relay`). That thread uses all
/// members as the actor's own thread does, since only one thread at a time is the worker.
class WorkerActor final : public observation::ObservedActor, private DeviceListener, private KernelWaits {
 public:
  WorkerActor(caf::actor_config& config, std::shared_ptr<WorkerSetup> setup);

  /// Called in the spawning thread. Throws if the actor gets no thread; then nothing of the actor remains in CAF.
  void launch(caf::execution_unit* host, bool lazy, bool hide) override;
  caf::behavior make_behavior() override;
  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit* host) noexcept override;
  void on_exit() override;
  const char* name() const override { return "worker"; }

 private:
  using DeviceListener::done;
  void done(graph::Task& task, graph::FailureLog::Cause cause, Duration took) noexcept override;
  void pieces_done(const PiecesDone& pieces) noexcept override;

  /// Called at the beginning of every handler.
  void woke();
  /// Called when the thread may have slept.
  void awake();
  /// Carries out the core's steps until a message waits. If the worker has a thread of its own, the thread sleeps in
  /// this function.
  void drive();
  /// Says whether the thread that runs this worker can go back to the mailbox, or is a spare thread (`Relay`).
  enum class Mailbox : std::uint8_t { own, of_another_thread };
  /// Carries out the core's steps until there is nothing to do, or a message waits.
  void do_steps(Mailbox mailbox);
  void start(graph::Task& task, std::span<graph::Task* const> behind);
  /// Begins the busy time, unless the worker is busy.
  void note_busy();
  /// Publishes the task that the worker now runs, and the task's start, for threads that report running tasks.
  void note_running(graph::Task& task, TimeStamp since);
  /// Publishes the task that the worker runs (null if there is none), and the graph to which the task belongs.
  void show_running(const graph::Task* task);
  void help(const Step& step);
  /// Called when the worker has done its pieces of a task. Ends the task if all other workers have left it.
  void leave(const PiecesDone& pieces);
  /// Called when a task leaves the device without having ended: other workers run the task's remaining pieces, or the
  /// task has not begun and will start again.
  void is_off_the_device(const graph::Task& task);
  void steal(WorkerId victim);
  /// Called when there is nothing to run. Looks for work for a while, and then declares the worker idle. Returns false
  /// if there is nothing to do before a message comes.
  bool rest();
  /// Called while the worker takes no tasks because cores are regrouped. Returns false if there is nothing to do before
  /// the worker is woken.
  bool stand_by(RegroupingState state);
  /// Gives the device the team of cores that the worker leads. Kernels use this team from now on.
  void use_team();
  /// Called if there is nothing to run: ends the busy time and notes the state `doing`.
  void note_idle(TimeStamp now, WorkerActivity doing);
  /// Returns the actor of a victim; null if the actor is gone.
  const caf::actor& address_of(WorkerId victim);
  /// Looks for work until some appears (returns true), or until a message comes or the time is up (returns false).
  bool look_around(TimeStamp begin);
  void collect_done();
  /// Called when a task has failed. Takes back the tasks that the device has not begun, so that they can start again.
  void take_back();
  void collect_arrived();
  /// Called when the actor ends. Puts the tasks that the worker has in hand into queues, where the worker's next actor
  /// finds them.
  void give_up();
  /// Asks a polled device for ended tasks until there is something to do (returns true) or a message waits (returns
  /// false). `full` says that no further task can be taken.
  bool poll_device(bool full);
  /// Sends the task, which cannot run here, to any worker that can run it.
  void send_on(graph::Task& task);
  /// Sends the task, which has left this worker, to a worker of one of these kinds.
  void send_to(KindSet kinds, graph::Task& task);
  void ended(graph::Task& task, const graph::FailureLog::Cause& cause, Duration took);
  /// Reports the end of the task to the observers. Called only if there are observers. Returns the time that the task
  /// took.
  Duration tell_ended(graph::Task& task, bool failed, Duration took);
  /// Reports to the observers an event that happens now; costs nothing if there are no observers.
  void tell(graph::TaskEvent::Kind kind, WorkerId worker, const graph::Task& task, Duration took = {}) const {
    if (crew_.observer == nullptr) return;
    crew_.tell({.kind = kind, .worker = worker, .task = task.task_id(), .at = setup_->clock->now(), .took = took});
  }
  /// Begins or ends the time in which tasks wait for their data while none runs.
  void note_waiting_for_data();
  /// Notes the state in the trace. A worker that helps with a task of pieces is in the state `helping` until the worker
  /// leaves the task, even if the device works by itself while the worker's thread handles messages. `task` is the task
  /// with which the worker helps, if any.
  void note_state(WorkerActivity state, TaskId task = {}) {
    if (!crew_.trace || helps_ || port_.trace.state() == state) return;
    port_.trace.enter(state, setup_->clock->now(), task);
  }
  /// Returns true if something has arrived. Acquire: if a thread has asked for its turn, the caller that sees this
  /// arrival also sees the thread in `relay_`.
  [[nodiscard]] bool mail_waits() const { return arrivals_.load(std::memory_order_acquire) != attended_; }
  /// Returns a task on the device whose kernel does not wait; null if there is none. Used only if tasks are observed.
  [[nodiscard]] const graph::Task* another_running() const;

  // The next functions are for kernels that wait (worker_waits_actor.cpp).
  Result<void> wait(graph::KernelWait& wait) override;
  /// While a `Suspension` lives, a kernel waits.
  class Suspension;
  /// Does the work of `wait` while the kernel is suspended. Tasks that run in this thread meanwhile use the device
  /// `twin`.
  Result<void> run_until(graph::KernelWait& wait, Device& twin);
  void run_on_top(graph::Task& task);
  void wake_for_surplus();
  /// Lets another thread be the worker while this thread blocks.
  void hand_over(graph::KernelWait& wait);
  void pass_on();
  enum class Look : std::uint8_t { nothing, mail, gave_way };
  /// Called by the actor's own thread between two kernels. Looks for messages, and gives way to threads that want their
  /// turns.
  Look look_up();
  /// Passes the turn of the actor's own thread on. Returns when it is this thread's turn again.
  void give_way();
  /// Called when the thread that is the worker is about to pass its turn on, between two kernels.
  void leave_post();
  /// Makes a spare thread. Returns false if the system refuses a thread.
  bool make_spare();
  struct Spare;
  /// Runs in a spare thread. If no memory is left for notes that the worker has to make, the program ends, as in
  /// `TaskDeque::push`.
  void stand_in(Spare& self) noexcept;
  /// Acts as the worker until another thread wants its turn.
  void act_until_wanted();
  /// Called when the actor ends: ends the spare threads.
  void end_relay();
  /// Returns a device for another thread, or for a task that runs while a kernel waits. The caller puts the device back
  /// into `twins_` later.
  std::unique_ptr<Device> take_twin();

  const std::shared_ptr<WorkerSetup> setup_;
  Crew& crew_;
  WorkerPort& port_;
  WorkerCore core_;

  struct Done {
    graph::Task* task = nullptr;
    graph::FailureLog::Cause cause;
    Duration took{};
    /// Used in place of the fields above if the device ran pieces.
    PiecesDone pieces = {};
  };
  void tell_itself(Done done) noexcept;
  Mutex done_mutex_;
  std::deque<Done> done_ TROUPE_GUARDED_BY(done_mutex_);

  /// The device is declared after the members that its calls of `done` use, so that it is destroyed before these
  /// members.
  std::unique_ptr<Device> device_;
  /// The addresses of victims, stored because each lookup takes a lock. The addresses are valid while `Peers::changes`
  /// returns `known_changes_`.
  std::vector<caf::actor> victims_;
  std::uint64_t known_changes_ = 0;
  /// A task that runs on the device, and the time at which the task began. Used only if tasks are observed.
  struct Running {
    const graph::Task* task = nullptr;
    TimeStamp since{};
    /// True while the task's kernel waits.
    bool suspended = false;
  };
  std::vector<Running> running_;
  /// The time since which tasks wait for data while none runs; zero if a task runs, or if no task waits.
  TimeStamp waits_for_data_since_{};
  bool parked_ = false;
  /// True while the worker helps with a task of pieces that another worker has begun.
  bool helps_ = false;
  bool busy_ = false;
  TimeStamp busy_since_{};
  /// The time at which `look_around` found the next task; zero if the task was found in another way.
  TimeStamp looked_until_{};
  /// True if another thread wanted this core during the last call of `look_around`.
  bool shares_core_ = false;

  /// Counts delivered messages (the senders count them) and threads that have asked for their turns. The number is only
  /// a hint for the worker's thread, because the mailbox and the relay themselves synchronize.
  std::atomic<std::uint64_t> arrivals_{0};
  std::uint64_t handled_ = 0;
  /// The number of arrivals that have been looked at by the thread that is the worker. Equal to `handled_`, except
  /// while a spare thread is the worker.
  std::uint64_t attended_ = 0;
  static constexpr std::uint64_t kNothing = ~std::uint64_t{0};

  /// The device of the thread that is the worker: the device that runs the innermost kernel of this thread.
  Device* active_ = device_.get();
  Relay relay_;
  struct Spare {
    std::optional<graph::TaskWaiter> turn;
    std::thread thread;
  };
  std::deque<Spare> spares_;
  /// The devices that no thread uses at present, of the kind of `device_`.
  std::vector<std::unique_ptr<Device>> twins_;
  std::size_t twins_made_ = 0;
};

// These functions are inline because they run for every task.

inline void WorkerActor::note_busy() {
  if (busy_) return;
  busy_ = true;
  // If the task was found while spinning, its start is the last clock reading.
  busy_since_ = looked_until_ != TimeStamp{} ? looked_until_ : setup_->clock->now();
  looked_until_ = {};
  port_.counters.busy_since.store(busy_since_.count(), std::memory_order_relaxed);
}

inline void WorkerActor::note_running(graph::Task& task, TimeStamp since) {
  // Release: a thread that loads the task with acquire also sees the task's start.
  port_.running_since.store(since.count(), std::memory_order_relaxed);
  show_running(&task);
}

inline void WorkerActor::show_running(const graph::Task* task) {
  if (task != nullptr && crew_.shares != nullptr) {
    port_.running_graph.store(&crew_.graph_of(*task), std::memory_order_relaxed);
  }
  port_.running.store(const_cast<graph::Task*>(task), std::memory_order_release);
}

}  // namespace troupe::workers
