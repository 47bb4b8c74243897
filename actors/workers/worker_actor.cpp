#include "actors/workers/worker_actor.hpp"

#include <string>
#include <thread>
#include <utility>

#include "graph/spin_lock.hpp"
#include "platform/binding.hpp"

namespace troupe::workers {

namespace {
/// An idle worker keeps its core from other threads no longer than this.
constexpr Duration kQuickLook = std::chrono::microseconds(5);
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
    // In the thief's thread: the two deques and the thief's port are all that is touched.
    const TimeStamp begin = delivery_begins();
    const WorkerId thief = what->content().get_as<StealRequest>(0).thief;
    crew_.ports[thief.index()].answer = StealAnswer{setup_->id, transfer_half(crew_, setup_->id, thief)};
    answered_at_delivery(begin);
    return;
  }
  arrivals_.fetch_add(1, std::memory_order_relaxed);
  observation::ObservedActor::enqueue(std::move(what), host);
}

caf::behavior WorkerActor::make_behavior() {
  return {
      [this](const StartWorker&) {
        woke();
        // The actor that this one replaces may have died in its sleep.
        core_.unpark();
        bool bound = false;
        if (!setup_->cooperative) {
          platform::name_this_thread("worker " + std::to_string(setup_->id.value()));
          bound = !setup_->pus.empty() && platform::bind_this_thread(setup_->pus).ok() && setup_->pus.size() == 1;
        }
        send(setup_->supervisor, WorkerStarted{setup_->id, bound});
        core_.work_available(pending_);
        drive();
      },
      [this](const WorkAvailable&) {
        woke();
        core_.work_available(pending_);
        drive();
      },
      [this](const StealRequest& request) {
        woke();
        const std::size_t tasks = transfer_half(crew_, setup_->id, request.thief);
        setup_->peers->send(request.thief, StealReply{setup_->id, static_cast<std::uint32_t>(tasks)});
        core_.work_available(pending_);
        drive();
      },
      [this](const StealReply& reply) {
        woke();
        core_.steal_replied(reply.victim, reply.tasks, pending_);
        drive();
      },
      [this](const DeviceDone&) {
        woke();
        collect_done();
        look_if_nothing_pending();
        drive();
      },
      [this](const Continue&) {
        woke();
        look_if_nothing_pending();
        drive();
      },
      [this](const Stop&) { quit(caf::exit_reason::normal); },
  };
}

void WorkerActor::on_exit() {
  // Ends what is in flight, see `Device`.
  device_.reset();
  collect_done();
  // Tasks that were about to start are for the next worker; others wait for what was about to be said.
  for (; next_ < pending_.size(); ++next_) {
    const Command& command = pending_[next_];
    switch (command.kind) {
      case Command::Kind::start: port_.deque.push(command.task); break;
      case Command::Kind::wake:
      case Command::Kind::activate: perform(command); break;
      case Command::Kind::steal:
      case Command::Kind::rest: break;
    }
  }
  pending_.clear();
  next_ = 0;
  observation::ObservedActor::on_exit();
}

void WorkerActor::woke() {
  ++handled_;
  looked_until_ = {};
  if (!parked_) return;
  parked_ = false;
  note_state(WorkerState::working);
  core_.unpark();
}

void WorkerActor::look_if_nothing_pending() {
  if (next_ == pending_.size()) core_.work_available(pending_);
}

void WorkerActor::drive() {
  while (next_ < pending_.size()) {
    const Command command = pending_[next_++];
    if (next_ == pending_.size()) {
      pending_.clear();
      next_ = 0;
    }
    // An event has brought more to do since.
    if (command.kind == Command::Kind::rest && next_ < pending_.size()) continue;
    perform(command);
    // One task per message keeps a single-threaded run fine-grained; else only mail interrupts.
    const bool yields = command.kind == Command::Kind::start && (setup_->cooperative || mail_waits());
    if (yields && next_ < pending_.size()) {
      send(this, Continue{});
      return;
    }
  }
}

void WorkerActor::perform(const Command& command) {
  switch (command.kind) {
    case Command::Kind::start: start(*command.task); break;
    case Command::Kind::steal: {
      const caf::actor victim = setup_->peers->get(command.worker);
      if (victim) {
        note_state(WorkerState::stealing);
        send(victim, StealRequest{setup_->id});
        if (const auto answer = std::exchange(port_.answer, std::nullopt)) {
          core_.steal_replied(answer->victim, answer->tasks, pending_);
        }
      } else {
        core_.steal_replied(command.worker, 0, pending_);
      }
      break;
    }
    case Command::Kind::wake: setup_->peers->send(command.worker, WorkAvailable{}); break;
    case Command::Kind::activate: setup_->peers->tell_scheduler(); break;
    case Command::Kind::rest: rest(); break;
  }
}

void WorkerActor::start(graph::Task& task) {
  if (!busy_) {
    busy_ = true;
    // Of a moment ago, where the task was found by looking around.
    busy_since_ = looked_until_ != TimeStamp{} ? looked_until_ : setup_->clock->now();
    looked_until_ = {};
  }
  message_handled();
  note_state(WorkerState::working);
  // Release: whoever sees the task sees since when it runs.
  port_.running_since.store(platform::coarse_now().count(), std::memory_order_relaxed);
  port_.running.store(&task, std::memory_order_release);
  Started started = device_->start(task);
  port_.running.store(nullptr, std::memory_order_relaxed);
  if (started.finished) core_.task_ended(task, started.cause, pending_);
}

void WorkerActor::done(graph::Task& task, graph::FailureLog::Cause cause) noexcept {
  {
    const std::lock_guard lock(done_mutex_);
    done_.push_back({&task, std::move(cause)});
  }
  caf::anon_send(caf::actor_cast<caf::actor>(this), DeviceDone{});
}

void WorkerActor::collect_done() {
  while (true) {
    Done one{};
    {
      const std::lock_guard lock(done_mutex_);
      if (done_.empty()) return;
      one = std::move(done_.front());
      done_.pop_front();
    }
    core_.task_ended(*one.task, one.cause, pending_);
  }
}

void WorkerActor::rest() {
  const TimeStamp now = setup_->clock->now();
  if (busy_ && core_.running() == 0) {
    busy_ = false;
    WorkerCounters::add(port_.counters.busy_ns, (now - busy_since_).count());
  }
  if (core_.running() == 0) note_state(WorkerState::searching);
  crew_.graph.worker_is_idle(setup_->id);
  const bool found = !setup_->cooperative && core_.running() == 0 && look_around(now);
  if (mail_waits()) {
    // Its handler looks for work again.
    return;
  }
  if (!found && core_.park()) {
    parked_ = true;
    note_state(WorkerState::asleep);
  } else {
    core_.work_available(pending_);
  }
}

bool WorkerActor::look_around(TimeStamp begin) {
  TimeStamp now = begin;
  bool found = core_.finds_work();
  while (!found && now - begin < setup_->spin && !mail_waits()) {
    const bool quick = now - begin < kQuickLook;
    for (int i = 0; i < (quick ? 2 : 16); ++i) SpinLock::pause();
    // A thread that submits may have been waiting for this core.
    if (!quick) std::this_thread::yield();
    found = core_.finds_work();
    now = setup_->clock->now();
  }
  WorkerCounters::add(port_.counters.searching_ns, (now - begin).count());
  looked_until_ = found ? now : TimeStamp{};
  return found;
}

}  // namespace troupe::workers
