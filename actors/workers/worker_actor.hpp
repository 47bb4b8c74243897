/// The actor around `WorkerCore`: turns messages into events, and commands into messages and kernels.
#pragma once

#include <atomic>
#include <caf/all.hpp>
#include <deque>
#include <memory>
#include <vector>

#include "actors/observation/observed_actor.hpp"
#include "actors/workers/crew.hpp"
#include "actors/workers/devices/device.hpp"
#include "actors/workers/peers_actor.hpp"
#include "actors/workers/worker_core.hpp"
#include "platform/machine/clock.hpp"
#include "platform/machine/cpu_set.hpp"
#include "proto/mutex.hpp"

namespace troupe::workers {

/// What a worker actor is made of. The pointers that do not own outlive the actor.
struct WorkerSetup {
  WorkerId id;
  std::shared_ptr<Crew> crew;
  std::shared_ptr<Peers> peers;
  /// Makes the device; called once, by the actor's constructor.
  std::function<std::unique_ptr<Device>(DeviceListener&)> make_device;
  /// Has the scheduler decide what lies in the activation queue, here and now where that can be. Only under a placing
  /// policy.
  std::function<void()> decide;
  const platform::Clock* clock = nullptr;
  /// Where the mailbox is measured, or null.
  observation::MailboxRecord* mailbox = nullptr;
  /// The PUs that the actor's thread may run on, one if it is to be bound. Empty: as the thread that started it.
  platform::CpuSet pus;
  /// All actors share one thread: no thread of its own, one task per message, steals through the mailbox.
  bool cooperative = false;
  /// How long an idle worker looks for work before it sleeps.
  Duration spin{};
  /// The device does not say when tasks end (`DeviceTraits::polled`).
  bool polled = false;
  WorkerCore::Options core;
  caf::actor supervisor;
};

/// Hears `StartWorker`, `WorkAvailable`, `StealRequest`, `StealReply`, `DeviceDone`, `DataArrived`, `Continue`, `Stop`.
///
/// Runs tasks one after the other in its handlers and goes back to the mailbox only when something has arrived or
/// there is nothing to do. A thread of its own sleeps inside a handler, at its doorbell (`Peers::wake`), which each
/// message rings, too. A steal request is answered at delivery, in the thief's thread (see `enqueue`), so it never
/// waits for a kernel.
class WorkerActor final : public observation::ObservedActor, private DeviceListener {
 public:
  WorkerActor(caf::actor_config& config, std::shared_ptr<WorkerSetup> setup);

  /// Throws where the actor gets no thread, and leaves no trace of the actor then. In the spawning thread.
  void launch(caf::execution_unit* host, bool lazy, bool hide) override;
  caf::behavior make_behavior() override;
  void enqueue(caf::mailbox_element_ptr what, caf::execution_unit* host) noexcept override;
  void on_exit() override;
  const char* name() const override { return "worker"; }

 private:
  using DeviceListener::done;
  void done(graph::Task& task, graph::FailureLog::Cause cause, Duration took) noexcept override;
  void part_done(const PartOfTask& part) noexcept override;

  /// Every handler begins here.
  void woke();
  /// The thread has slept, perhaps.
  void awake();
  /// Does what the core says until a message waits. Where the worker has a thread of its own, that sleeps in here.
  void drive();
  /// Does what the core says until there is nothing to do, or a message waits.
  void do_steps();
  void start(graph::Task& task, std::span<graph::Task* const> behind);
  /// Of the next that is done.
  void note_busy();
  /// The worker is at the task from here on, since this time, for whoever asks what runs.
  void note_running(graph::Task& task, TimeStamp since);
  void help(const Step& step);
  /// The worker has done its part of a task of pieces, and ends the task if all others have.
  void leave(const PartOfTask& part);
  /// The task is this worker's no more, though it has not ended; or it has not begun, and will start again.
  void is_off_the_device(const graph::Task& task);
  void steal(WorkerId victim);
  /// False: nothing is to be done before a message comes.
  bool rest();
  /// The worker takes no tasks for now. False: nothing is to be done before it is woken.
  bool stand_by(Part part);
  /// From now on kernels have the cores that the worker leads.
  void use_team();
  /// There is nothing to run: says so, and that it is `doing` this.
  void note_idle(TimeStamp now, WorkerActivity doing);
  /// Null where the victim is gone.
  const caf::actor& address_of(WorkerId victim);
  /// Looks for work until some appears (true), a message comes or the time is up.
  bool look_around(TimeStamp begin);
  void collect_done();
  /// A task has failed: what the device has not begun starts again, if it is to run at all.
  void take_back();
  void collect_arrived();
  /// Takes back what this actor has in hand, for the next one.
  void give_up();
  /// Looks for ended tasks on a device that has to be asked, until there is something to do (true) or mail (false).
  /// `full`: no further task can be taken.
  bool poll_device(bool full);
  void send_on(graph::Task& task);
  void ended(graph::Task& task, const graph::FailureLog::Cause& cause, Duration took);
  /// With services. Returns how long the task took.
  Duration tell_ended(graph::Task& task, bool failed, Duration took);
  /// Begins or ends the time in which tasks wait for their data while none runs.
  void note_waiting_for_data();
  /// For the trace. Who helps does so until it leaves, whatever its thread does while its device works by itself.
  /// `task`: which it helps with, if it does.
  void note_state(WorkerActivity state, TaskId task = {}) {
    if (!crew_.trace || helps_ || port_.trace.state() == state) return;
    port_.trace.enter(state, setup_->clock->now(), task);
  }
  [[nodiscard]] bool mail_waits() const { return arrivals_.load(std::memory_order_relaxed) != handled_; }

  const std::shared_ptr<WorkerSetup> setup_;
  Crew& crew_;
  WorkerPort& port_;
  WorkerCore core_;

  struct Done {
    graph::Task* task = nullptr;
    graph::FailureLog::Cause cause;
    Duration took{};
    /// In place of all that: what was done in pieces.
    PartOfTask part = {};
  };
  void tell_itself(Done done) noexcept;
  Mutex done_mutex_;
  std::deque<Done> done_ TROUPE_GUARDED_BY(done_mutex_);

  /// After what it says `done` to.
  std::unique_ptr<Device> device_;
  /// Addresses looked up since `Peers::changes` was `known_changes_`: a look costs a lock.
  std::vector<caf::actor> victims_;
  std::uint64_t known_changes_ = 0;
  /// What runs on the device, and since when; only with services.
  struct Running {
    const graph::Task* task = nullptr;
    TimeStamp since{};
  };
  std::vector<Running> running_;
  /// Zero: tasks run, or there are none.
  TimeStamp waits_for_data_since_{};
  bool parked_ = false;
  /// With a task of pieces that another has begun.
  bool helps_ = false;
  bool busy_ = false;
  TimeStamp busy_since_{};
  /// When `look_around` found what is done next; zero: it was not found so.
  TimeStamp looked_until_{};
  /// Another thread wanted this core when this one last looked around.
  bool shares_core_ = false;

  /// Messages delivered, counted by the senders; a hint for the worker's thread, which the mailbox synchronizes.
  std::atomic<std::uint64_t> arrivals_{0};
  std::uint64_t handled_ = 0;
};

// What every task passes.

inline void WorkerActor::note_busy() {
  if (busy_) return;
  busy_ = true;
  // Of a moment ago, where the task was found by looking around.
  busy_since_ = looked_until_ != TimeStamp{} ? looked_until_ : setup_->clock->now();
  looked_until_ = {};
  port_.counters.busy_since.store(busy_since_.count(), std::memory_order_relaxed);
}

inline void WorkerActor::note_running(graph::Task& task, TimeStamp since) {
  // Release: whoever sees the task sees since when it runs.
  port_.running_since.store(since.count(), std::memory_order_relaxed);
  if (crew_.shares != nullptr) port_.running_graph.store(&crew_.graph_of(task), std::memory_order_relaxed);
  port_.running.store(&task, std::memory_order_release);
}

}  // namespace troupe::workers
