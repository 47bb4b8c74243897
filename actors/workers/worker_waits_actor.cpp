/// Waits in kernels: the functions of the worker actor.
#include <algorithm>
#include <chrono>
#include <exception>
#include <system_error>
#include <thread>
#include <utility>

#include "actors/workers/worker_actor.hpp"
#include "graph/data/domain.hpp"
#include "platform/machine/binding.hpp"
#include "platform/memory/stack.hpp"
#include "proto/spin_lock.hpp"

namespace troupe::workers {

using graph::TaskEvent;

namespace {
/// The thread of a waiting kernel looks this long for tasks to run. If it finds none, another thread takes over the
/// core.
constexpr Duration kLook = std::chrono::microseconds(20);
/// The time between two attempts to make a thread, while the system refuses one.
constexpr Duration kBetweenAttempts = std::chrono::milliseconds(1);
}  // namespace

class WorkerActor::Suspension {
 public:
  /// `outside` says whether the kernel waits for another runtime.
  Suspension(WorkerActor& worker, graph::Task& task, bool outside)
      : worker_(worker),
        task_(task),
        own_(worker.active_),
        twin_(worker.take_twin()),
        since_(worker.port_.running_since.load(std::memory_order_relaxed)),
        // The clock is read only if a trace, an observer, learned times or reports of such waits need the time.
        timed_(worker.crew_.observer != nullptr || worker.crew_.trace || task.learns_time()),
        begin_(timed_ || outside ? worker.setup_->clock->now() : TimeStamp{}) {
    worker_.port_.suspended.add(task, worker_.crew_.graph_of(task),
                                outside ? std::optional<TimeStamp>(begin_) : std::nullopt);
    if (worker_.crew_.shares != nullptr) worker_.crew_.shares->suspended(worker_.setup_->id, task);
    worker_.core_.suspend();
    mark(true);
    worker_.tell(TaskEvent::Kind::suspended, worker_.setup_->id, task);
    // The scheduler may have kept tasks back until this task ends.
    if (worker_.core_.take_activation()) worker_.setup_->decide();
  }
  Suspension(const Suspension&) = delete;
  Suspension& operator=(const Suspension&) = delete;
  ~Suspension() {
    worker_.twins_.push_back(std::move(twin_));
    worker_.active_ = own_;
    worker_.core_.resume();
    worker_.wake_for_surplus();
    worker_.port_.suspended.remove(task_);
    if (worker_.crew_.shares != nullptr) worker_.crew_.shares->resumed(worker_.setup_->id, task_);
    if (timed_) {
      // The time of the wait is not the kernel's own.
      const TimeStamp now = worker_.setup_->clock->now();
      const Duration waited = now - begin_;
      own_->note_wait(waited);
      if (worker_.crew_.trace) worker_.port_.trace.waited({task_.task_id(), begin_, now});
      mark(false, waited);
    }
    worker_.note_busy();
    worker_.note_state(WorkerActivity::working);
    worker_.note_running(task_, since_);
  }

  [[nodiscard]] Device& twin() const { return *twin_; }

 private:
  /// If the task is in the list of running tasks, notes there whether it waits, and the time that it has waited.
  void mark(bool suspended, Duration waited = {}) {
    const auto found = std::ranges::find(worker_.running_, &task_, &Running::task);
    if (found == worker_.running_.end()) return;
    found->suspended = suspended;
    found->since += waited;
  }

  WorkerActor& worker_;
  graph::Task& task_;
  Device* const own_;
  std::unique_ptr<Device> twin_;
  const TimeStamp since_;
  const bool timed_;
  const TimeStamp begin_;
};

Result<void> WorkerActor::wait(graph::KernelWait& wait) {
  const Suspension suspension(*this, wait.task(), wait.domain() == nullptr);
  return run_until(wait, suspension.twin());
}

Result<void> WorkerActor::run_until(graph::KernelWait& wait, Device& twin) {
  // `on_top` says whether tasks may run in this thread while the kernel waits; if not, other threads run the tasks.
  // None may run here if the kernel holds data, because a task might wait for these data.
  const graph::Domain* const domain = wait.domain();
  const bool on_top =
      domain != nullptr && active_->allows_on_top() && domain->held.load(std::memory_order_relaxed) == 0;
  active_ = &twin;
  TimeStamp idle_since{};
  Result<void> outcome;
  while (!wait.done()) {
    graph::Task* const task = on_top && platform::stack_is_half_free() ? core_.take_inside(*domain) : nullptr;
    if (task != nullptr) {
      idle_since = {};
      run_on_top(*task);
      continue;
    }
    // The search may have ended tasks that were cancelled.
    if (wait.done()) break;
    if (setup_->cooperative) {
      outcome = Failure{ErrorCode::wait_in_kernel,
                        "a kernel waits for tasks that cannot run before it returns, as this run has only one thread: "
                        "run with threads, or submit a task that depends on what the kernel waits for"};
      break;
    }
    const TimeStamp now = setup_->clock->now();
    if (idle_since == TimeStamp{}) idle_since = now;
    if (now - idle_since < kLook) {
      SpinLock::pause();
    } else if (relay_.has_successor() || make_spare()) {
      hand_over(wait);
      break;
    } else {
      std::this_thread::sleep_for(kBetweenAttempts);
    }
  }
  twin.end_prologue();
  return outcome;
}

void WorkerActor::run_on_top(graph::Task& task) {
  wake_for_surplus();
  start(task, {});
  if (core_.take_activation()) setup_->decide();
}

void WorkerActor::wake_for_surplus() {
  if (crew_.idle.empty()) return;
  if (const WorkerId sleeper = core_.sleeper_to_help(); sleeper.valid()) setup_->peers->wake(sleeper);
}

void WorkerActor::hand_over(graph::KernelWait& wait) {
  port_.running.store(nullptr, std::memory_order_release);
  pass_on();
  std::exception_ptr thrown;
  try {
    wait.block();
  } catch (...) {
    thrown = std::current_exception();
  }
  graph::TaskWaiter turn;
  relay_.want(turn);
  arrivals_.fetch_add(1, std::memory_order_release);
  setup_->peers->doorbell(setup_->id).ring();
  turn.wait();
  // This thread looks at once for other threads that want their turns.
  attended_ = kNothing;
  if (thrown) std::rethrow_exception(thrown);
}

void WorkerActor::pass_on() {
  // A thread that asks for its turn counts as a message. This message counts as handled when the turn begins.
  relay_.pass_on([this] { ++handled_; });
}

WorkerActor::Look WorkerActor::look_up() {
  // Messages are looked at first, because a thread that wants its turn says so before it counts as a message.
  const bool mail = mail_waits();
  if (relay_.wanted()) [[unlikely]] {
    give_way();
    return Look::gave_way;
  }
  return mail ? Look::mail : Look::nothing;
}

void WorkerActor::give_way() {
  leave_post();
  active_->end_prologue();
  graph::TaskWaiter turn;
  relay_.want_later(turn);
  arrivals_.fetch_add(1, std::memory_order_relaxed);
  pass_on();
  turn.wait();
  active_ = device_.get();
  attended_ = handled_;
}

void WorkerActor::leave_post() {
  awake();
  // The worker may have been woken for tasks that the worker will not take now.
  wake_for_surplus();
}

bool WorkerActor::make_spare() {
  Spare& spare = spares_.emplace_back();
  spare.turn.emplace();
  try {
    spare.thread = std::thread([this, &spare] { stand_in(spare); });
  } catch (const std::system_error&) {
    spares_.pop_back();
    return false;
  }
  relay_.rest(*spare.turn);
  return true;
}

void WorkerActor::stand_in(Spare& self) noexcept {
  platform::name_this_thread("spare " + std::to_string(setup_->id.value()));
  platform::use_one_openmp_thread();
  if (!setup_->pus.empty()) (void)platform::bind_this_thread(setup_->pus);
  while (true) {
    self.turn->wait();
    if (relay_.closed()) return;
    std::unique_ptr<Device> twin = take_twin();
    active_ = twin.get();
    act_until_wanted();
    leave_post();
    twin->end_prologue();
    twins_.push_back(std::move(twin));
    relay_.rest(self.turn.emplace());
    pass_on();
  }
}

void WorkerActor::act_until_wanted() {
  Doorbell& doorbell = setup_->peers->doorbell(setup_->id);
  while (true) {
    // Messages stay in the mailbox until the worker's own thread has its turn again. Meanwhile this thread looks for
    // the events that messages report.
    attended_ = arrivals_.load(std::memory_order_relaxed);
    if (relay_.wanted()) return;
    collect_done();
    collect_arrived();
    doorbell.clear();
    do_steps(Mailbox::of_another_thread);
    if (relay_.wanted()) return;
    if (mail_waits()) continue;
    message_handled();
    doorbell.wait();
    awake();
  }
}

void WorkerActor::end_relay() {
  // Before a worker ends, it waits for its kernels that are suspended in other threads.
  while (core_.suspended() != 0) {
    attended_ = arrivals_.load(std::memory_order_relaxed);
    do_steps(Mailbox::of_another_thread);
    std::this_thread::sleep_for(kBetweenAttempts);
    if (relay_.has_successor()) give_way();
  }
  relay_.close();
  for (Spare& spare : spares_) spare.thread.join();
  spares_.clear();
}

std::unique_ptr<Device> WorkerActor::take_twin() {
  if (twins_.empty()) {
    // `twins_` has room for all twins, so that giving a twin back needs no memory and no twin is lost.
    twins_.reserve(++twins_made_);
    return device_->make_twin();
  }
  std::unique_ptr<Device> twin = std::move(twins_.back());
  twins_.pop_back();
  return twin;
}

}  // namespace troupe::workers
