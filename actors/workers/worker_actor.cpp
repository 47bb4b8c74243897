#include "actors/workers/worker_actor.hpp"

#include <algorithm>
#include <caf/detail/private_thread.hpp>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "graph/codelets/codelet_definition.hpp"
#include "graph/data/working_set.hpp"
#include "platform/machine/binding.hpp"
#include "proto/spin_lock.hpp"

namespace troupe::workers {

using graph::TaskEvent;

namespace {
/// An idle worker that looks for work does not yield its core to other threads before this time has passed.
constexpr Duration kQuickLook = std::chrono::microseconds(5);
/// A yield that takes longer than this has let another thread run.
constexpr Duration kLongYield = std::chrono::microseconds(3);
/// The time between two polls of a device whose kernels have run for a while.
constexpr Duration kLongPoll = std::chrono::microseconds(20);
}  // namespace

WorkerActor::WorkerActor(caf::actor_config& config, std::shared_ptr<WorkerSetup> setup)
    : observation::ObservedActor(config, setup->mailbox, setup->clock),
      setup_(std::move(setup)),
      crew_(*setup_->crew),
      port_(crew_.ports[setup_->id.index()]),
      core_(crew_, setup_->core),
      device_(setup_->make_device(*this)) {}

void WorkerActor::enqueue(caf::mailbox_element_ptr what, caf::execution_unit* host) noexcept {
  if (!setup_->cooperative && what->content().match_elements<StealRequest>()) {
    // This code runs in the thief's thread. It touches only the victim's deque and the thief's port.
    answer_at_delivery([&] {
      const WorkerId thief = what->content().get_as<StealRequest>(0).thief;
      crew_.ports[thief.index()].answer = StealAnswer{setup_->id, take_half(crew_, setup_->id)};
    });
    return;
  }
  arrivals_.fetch_add(1, std::memory_order_relaxed);
  if (setup_->cooperative) {
    observation::ObservedActor::enqueue(std::move(what), host);
    return;
  }
  // The message may end the actor, so no member of the actor is used after this call.
  const std::shared_ptr<Peers> peers = setup_->peers;
  const WorkerId self = setup_->id;
  observation::ObservedActor::enqueue(std::move(what), host);
  peers->doorbell(self).ring();
}

void WorkerActor::launch(caf::execution_unit* host, bool lazy, bool hide) {
  try {
    observation::ObservedActor::launch(host, lazy, hide);
  } catch (...) {
    // CAF counts the thread before it starts the thread, waits for the thread when the system ends, and gives the
    // thread a reference to the actor. This code undoes all three.
    unsetf(is_detached_flag);
    on_exit();
    cleanup(caf::exit_reason::kill, nullptr);
    if (private_thread_ != nullptr) {
      delete std::exchange(private_thread_, nullptr);
      system().dec_detached_threads();
      caf::intrusive_ptr_release(ctrl());
    }
    throw;
  }
}

caf::behavior WorkerActor::make_behavior() {
  return {
      [this](const StartWorker&) {
        woke();
        port_.waits = this;
        // The actor that this actor replaces may have died while the worker was parked.
        core_.unpark();
        if (crew_.grouping) use_team();
        bool bound = false;
        if (!setup_->cooperative) {
          platform::name_this_thread("worker " + std::to_string(setup_->id.value()));
          platform::use_one_openmp_thread();
          bound = !setup_->pus.empty() && platform::bind_this_thread(setup_->pus).ok() && setup_->pus.size() == 1;
        }
        send(setup_->supervisor, WorkerStarted{setup_->id, bound});
        drive();
      },
      [this](const WorkAvailable&) {
        woke();
        drive();
      },
      [this](const StealRequest& request) {
        woke();
        const std::size_t tasks = transfer_half(crew_, setup_->id, request.thief);
        setup_->peers->send(request.thief, StealReply{setup_->id, static_cast<std::uint32_t>(tasks)});
        drive();
      },
      [this](const StealReply& reply) {
        woke();
        core_.steal_answered(reply.victim, reply.tasks);
        drive();
      },
      [this](const DeviceDone&) {
        woke();
        collect_done();
        drive();
      },
      [this](const DataArrived&) {
        woke();
        collect_arrived();
        drive();
      },
      [this](const Continue&) {
        woke();
        drive();
      },
      [this](const Stop&) { quit(caf::exit_reason::normal); },
  };
}

void WorkerActor::on_exit() {
  end_relay();
  // The device's destructor ends the tasks in flight, see `Device`.
  device_.reset();
  collect_done();
  give_up();
  victims_.clear();
  observation::ObservedActor::on_exit();
}

void WorkerActor::give_up() {
  std::vector<graph::Task*> asked_for;
  if (core_.give_up(asked_for)) setup_->peers->tell_scheduler();
  for (graph::Task* task : asked_for) crew_.data->withdraw(setup_->id, *task);
  {
    // Removes answers that came before the withdrawal. The worker's next actor asks for the data again, and must not
    // take these answers for answers to its own requests.
    const LockGuard lock(port_.arrived_lock);
    port_.arrived.clear();
    port_.refused.clear();
  }
  graph::TaskList tasks;
  for (graph::Task* task : asked_for) tasks.push_back(task);
  // A task that not every worker may run must not be put into a deque from which it can be stolen. Tasks that a policy
  // has placed are never stolen.
  const bool stolen = setup_->core.activation_queue == nullptr;
  if (stolen && crew_.mixed()) crew_.set_restricted_aside(tasks);
  if (!tasks.empty()) port_.deque.push(tasks);
  if (!stolen || !crew_.mixed()) return;
  if (const WorkerId sleeper = crew_.take_idle_for_restricted(); sleeper.valid()) setup_->peers->wake(sleeper);
}

void WorkerActor::woke() {
  attended_ = ++handled_;
  awake();
}

void WorkerActor::awake() {
  looked_until_ = {};
  if (!parked_) return;
  parked_ = false;
  note_state(WorkerActivity::working);
  core_.unpark();
}

void WorkerActor::drive() {
  if (setup_->cooperative) return do_steps(Mailbox::own);
  Doorbell& doorbell = setup_->peers->doorbell(setup_->id);
  while (true) {
    doorbell.clear();
    do_steps(Mailbox::own);
    Look found = look_up();
    if (found == Look::nothing) {
      message_handled();
      doorbell.wait();
      found = look_up();
      if (found == Look::nothing) awake();
    }
    if (found == Look::mail) return;
  }
}

// The functions that run for every task are `inline`.
inline void WorkerActor::ended(graph::Task& task, const graph::FailureLog::Cause& cause, Duration took) {
  port_.running.store(nullptr, std::memory_order_relaxed);
  if (crew_.observer != nullptr) [[unlikely]]
    took = tell_ended(task, cause != nullptr || task.told(), took);
  core_.task_ended(task, cause, took);
}

inline void WorkerActor::start(graph::Task& task, std::span<graph::Task* const> behind) {
  note_busy();
  message_handled();
  note_state(WorkerActivity::working);
  note_running(task, core_.looked_at());
  if (crew_.observer != nullptr) [[unlikely]] {
    note_waiting_for_data();
    running_.push_back({&task, setup_->clock->now(), false});
    crew_.tell(
        {.kind = TaskEvent::Kind::started, .worker = setup_->id, .task = task.task_id(), .at = running_.back().since});
  }
  Started started = active_->start(task, behind);
  if (!started.finished) {
    if (const PiecesDone pieces = active_->take_pieces_done(); pieces.of != nullptr) leave(pieces);
    return;
  }
  if (core_.put_off(task)) {
    is_off_the_device(task);
  } else {
    ended(task, started.cause, Duration(-1));
  }
}

void WorkerActor::do_steps(Mailbox mailbox) {
  while (true) {
    const Step step = core_.next();
    if (step.activate) setup_->decide();
    if (step.wake.valid()) setup_->peers->wake(step.wake);
    switch (step.kind) {
      case Step::Kind::wait:
        if (poll_device(true)) break;
        note_waiting_for_data();
        return;
      case Step::Kind::start:
        start(*step.task, step.behind);
        // In a single-threaded run the worker runs one task per message, so that other actors get their turns.
        // Otherwise only a waiting message interrupts this loop.
        if (setup_->cooperative || mail_waits()) {
          if (mailbox == Mailbox::own) send(this, Continue{});
          return;
        }
        break;
      case Step::Kind::help:
        help(step);
        if (mail_waits()) {
          if (mailbox == Mailbox::own) send(this, Continue{});
          return;
        }
        break;
      case Step::Kind::acquire:
        if (crew_.data->acquire(setup_->id, *step.task)) core_.acquired(*step.task);
        break;
      case Step::Kind::send_on: send_on(*step.task); break;
      case Step::Kind::steal: steal(step.victim); break;
      case Step::Kind::stand_by:
        if (!step.activate && !stand_by(step.state)) return;
        break;
      case Step::Kind::rest:
        // The scheduler has just decided, and may have given work to this worker.
        if (!step.activate && !rest()) return;
        break;
    }
  }
}

const caf::actor& WorkerActor::address_of(WorkerId victim) {
  if (const std::uint64_t changes = setup_->peers->changes(); changes != known_changes_) {
    known_changes_ = changes;
    victims_.clear();
  }
  victims_.resize(crew_.ports.size());
  caf::actor& address = victims_[victim.index()];
  if (!address) address = setup_->peers->get(victim);
  return address;
}

void WorkerActor::steal(WorkerId victim) {
  const caf::actor& address = address_of(victim);
  if (!address) {
    core_.steal_answered(victim, 0);
    return;
  }
  note_state(WorkerActivity::stealing);
  send(address, StealRequest{setup_->id});
  if (!port_.answer) return;
  core_.steal_answered(port_.answer->victim, port_.answer->tasks);
  port_.answer.reset();
}

const graph::Task* WorkerActor::another_running() const {
  const auto found = std::ranges::find(running_, false, &Running::suspended);
  return found != running_.end() ? found->task : nullptr;
}

void WorkerActor::is_off_the_device(const graph::Task& task) {
  std::erase_if(running_, [&](const Running& one) { return one.task == &task; });
  // From here on, threads that report running tasks see another task of this worker.
  show_running(another_running());
}

Duration WorkerActor::tell_ended(graph::Task& task, bool failed, Duration took) {
  const auto found =
      std::find_if(running_.begin(), running_.end(), [&](const Running& one) { return one.task == &task; });
  const TimeStamp now = setup_->clock->now();
  if (took < Duration{}) took = now - found->since;
  running_.erase(found);
  // From here on, threads that report running tasks see another task of this worker.
  if (const graph::Task* const other = another_running()) show_running(other);
  const TaskEvent::Kind kind = failed ? TaskEvent::Kind::failed : TaskEvent::Kind::ended;
  crew_.tell({.kind = kind, .worker = setup_->id, .task = task.task_id(), .at = now, .took = took});
  return took;
}

void WorkerActor::send_on(graph::Task& task) {
  const KindSet elsewhere = crew_.able(task) & crew_.alive(task);
  if (elsewhere != 0) {
    crew_.tell({.kind = TaskEvent::Kind::left, .worker = setup_->id, .task = task.task_id()});
    send_to(elsewhere, task);
    return;
  }
  const auto cause = std::make_shared<Failure>(Failure{
      ErrorCode::device_lost,
      graph::describe(task) + " could not run: " + device_->name() + " has stopped working, and no other device " +
          (task.codelet->devices.all() ? "has an implementation of its codelet" : "that it is restricted to is left")});
  core_.reject(task, cause);
}

void WorkerActor::send_to(KindSet kinds, graph::Task& task) {
  TaskDeque* const activation = setup_->core.activation_queue;
  // The policy knows the task as it was at submission. If the task's data have been split since then, the policy would
  // send the task to an accelerator again and again.
  const bool policy_knows = graph::find_bound_to_host(task) == nullptr;
  if (activation != nullptr && policy_knows && kinds == (crew_.able(task) & crew_.alive(task))) {
    // The task may run on the same workers as before, so the policy chooses one.
    activation->push(&task);
    setup_->peers->tell_scheduler();
    return;
  }
  WorkerId sleeper;
  if (crew_.mixed()) {
    crew_.restricted.push(task, kinds);
    sleeper = crew_.take_idle_for_restricted();
  } else {
    crew_.entry.push(&task);
    sleeper = crew_.take_idle(WorkerId{});
  }
  if (sleeper.valid()) setup_->peers->wake(sleeper);
}

void WorkerActor::note_waiting_for_data() {
  if (crew_.data == nullptr) return;
  const TimeStamp now = setup_->clock->now();
  const bool waits = core_.running() == 0 && core_.in_hand() > 0;
  if (waits && waits_for_data_since_ == TimeStamp{}) waits_for_data_since_ = now;
  if (waits || waits_for_data_since_ == TimeStamp{}) return;
  WorkerCounters::add(port_.counters.data_wait_ns, (now - waits_for_data_since_).count());
  waits_for_data_since_ = {};
}

bool WorkerActor::poll_device(bool full) {
  if (!setup_->polled || core_.running() == 0) return false;
  const std::size_t running = core_.running();
  const TimeStamp begin = setup_->clock->now();
  while (!mail_waits()) {
    device_->poll();
    collect_done();
    if (core_.running() < running || (!full && core_.finds_work())) return true;
    if (setup_->clock->now() - begin < setup_->spin) {
      SpinLock::pause();
    } else {
      // The device has enough to do for a while: another thread may want the core.
      std::this_thread::sleep_for(kLongPoll);
    }
  }
  return false;
}

void WorkerActor::done(graph::Task& task, graph::FailureLog::Cause cause, Duration took) noexcept {
  tell_itself({&task, std::move(cause), took});
}

void WorkerActor::tell_itself(Done done) noexcept {
  {
    const LockGuard lock(done_mutex_);
    done_.push_back(std::move(done));
  }
  // A worker that polls its device collects the ended tasks itself.
  if (setup_->polled) return;
  caf::anon_send(caf::actor_cast<caf::actor>(this), DeviceDone{});
}

void WorkerActor::collect_done() {
  while (true) {
    Done one{};
    {
      const LockGuard lock(done_mutex_);
      if (done_.empty()) return;
      one = std::move(done_.front());
      done_.pop_front();
    }
    if (one.pieces.of != nullptr) {
      leave(one.pieces);
      continue;
    }
    const bool failed = one.cause != nullptr;
    ended(*one.task, one.cause, one.took);
    if (failed && device_ != nullptr) take_back();
  }
}

void WorkerActor::take_back() {
  graph::TaskList tasks;
  device_->take_back(tasks);
  for (const graph::Task* task = tasks.front(); task != nullptr; task = task->next) is_off_the_device(*task);
  core_.taken_back(tasks);
}

void WorkerActor::collect_arrived() {
  std::vector<graph::Task*> arrived;
  std::vector<Refused> refused;
  {
    const LockGuard lock(port_.arrived_lock);
    arrived.swap(port_.arrived);
    refused.swap(port_.refused);
  }
  for (graph::Task* task : arrived) core_.acquired(*task);
  for (const Refused& one : refused) {
    const bool early = core_.withdraw_claim(*one.task);
    const bool ends = one.cause != nullptr && !early;
    crew_.tell({.kind = ends ? TaskEvent::Kind::dropped : TaskEvent::Kind::left,
                .worker = setup_->id,
                .task = one.task->task_id()});
    if (early) continue;
    if (one.cause) {
      core_.failed_to_start(*one.task, one.cause);
    } else {
      core_.refused(*one.task);
      send_to(one.elsewhere, *one.task);
    }
  }
}

bool WorkerActor::rest() {
  note_waiting_for_data();
  if (poll_device(false)) return true;
  const TimeStamp now = setup_->clock->now();
  note_idle(now, WorkerActivity::searching);
  const bool found = !setup_->cooperative && core_.running() == 0 && look_around(now);
  // The handler of the waiting message looks for work again.
  if (mail_waits()) return false;
  if (found || !core_.park()) return true;
  parked_ = true;
  note_state(WorkerActivity::asleep);
  return false;
}

void WorkerActor::note_idle(TimeStamp now, WorkerActivity doing) {
  if (busy_ && core_.running() == 0) {
    busy_ = false;
    port_.counters.busy_since.store(0, std::memory_order_relaxed);
    WorkerCounters::add(port_.counters.busy_ns, (now - busy_since_).count());
  }
  if (core_.running() == 0) note_state(doing);
  crew_.graph.worker_is_idle(setup_->id);
}

bool WorkerActor::stand_by(RegroupingState state) {
  note_waiting_for_data();
  note_idle(setup_->clock->now(), passes_on(state) ? WorkerActivity::lent : WorkerActivity::searching);
  Grouping& grouping = *crew_.grouping;
  // The number is read before the place is looked up, so that a regrouping that completes later is noticed.
  const std::uint64_t completed = grouping.completed();
  switch (state) {
    case RegroupingState::open: return true;
    case RegroupingState::drains_to_lead:
    case RegroupingState::drains_to_help:
      core_.drained();
      grouping.drained(setup_->id, state);
      return true;
    case RegroupingState::waits_to_lead: return false;
    case RegroupingState::opens:
      use_team();
      port_.standing.open_up();
      return true;
    case RegroupingState::helps:
    case RegroupingState::helps_to_lead: break;
  }
  const Grouping::Place place = grouping.place(setup_->id);
  if (place.team == nullptr || place.rank == 0) return false;
  const auto leave = [&] { return mail_waits() || core_.has_any_to_pass_on() || grouping.completed() != completed; };
  place.team->serve(place.rank, leave);
  return leave() && !mail_waits();
}

void WorkerActor::use_team() {
  const Grouping::Place place = crew_.grouping->place(setup_->id);
  device_->use_team(place.rank == 0 ? place.team : nullptr);
}

bool WorkerActor::look_around(TimeStamp begin) {
  TimeStamp now = begin;
  bool found = core_.finds_work();
  while (!found && now - begin < setup_->spin && !mail_waits()) {
    const bool quick = !shares_core_ && now - begin < kQuickLook;
    for (int i = 0; i < (quick ? 1 : 16); ++i) SpinLock::pause();
    // A submitting thread may be waiting for this core.
    if (!quick) std::this_thread::yield();
    found = core_.finds_work();
    const TimeStamp before = std::exchange(now, setup_->clock->now());
    if (!quick) shares_core_ = now - before > kLongYield;
  }
  WorkerCounters::add(port_.counters.searching_ns, (now - begin).count());
  looked_until_ = found ? now : TimeStamp{};
  return found;
}

}  // namespace troupe::workers
