#include "actors/workers/worker_core.hpp"

#include <algorithm>
#include <utility>

#include "platform/machine/clock.hpp"
#include "platform/machine/cycles.hpp"

namespace troupe::workers {

using graph::Begin;
using graph::Task;
using graph::TaskList;

namespace {
/// Tasks moved by one steal, or taken from the entry queue at once.
constexpr std::size_t kBatch = 32;
/// Tasks of an eighth of a microsecond are not worth a reading of the ticks each.
constexpr std::uint32_t kLongestStride = 8;
}  // namespace

TaskList take_half(Crew& crew, WorkerId victim) noexcept {
  TaskList stolen;
  crew.ports[victim.index()].deque.steal_half(kBatch, stolen);
  return stolen;
}

std::size_t transfer_half(Crew& crew, WorkerId victim, WorkerId thief) noexcept {
  TaskList stolen = take_half(crew, victim);
  const std::size_t count = stolen.size();
  crew.ports[thief.index()].deque.push(stolen);
  return count;
}

WorkerCore::WorkerCore(Crew& crew, Options options)
    : crew_(crew),
      options_(options),
      port_(crew.ports[options.self.index()]),
      hands_over_(options.activation_queue == nullptr && !crew.plan.shared_queue),
      random_(options.seed) {
  // For all that can be in hand: a task that was taken must not be lost because there is no memory to note it.
  const std::size_t most = options_.slots + options_.lookahead;
  if (options_.fetches) acquiring_.reserve(most);
  if (options_.fetches) acquired_.reserve(most);
  if (crew_.shares != nullptr) charges_.reserve(most);
}

Task* WorkerCore::take_from_entry() {
  if (crew_.plan.shared_queue) return crew_.entry.pop_oldest();
  // Several at once, but leave the others their share.
  const std::size_t share = crew_.entry.drained() / (2 * crew_.ports.size());
  if (share <= 1) return crew_.entry.pop_oldest();
  TaskList tasks;
  crew_.entry.steal_half(std::min(share, kBatch), tasks);
  if (tasks.empty()) return nullptr;
  Task* first = tasks.pop_front();
  if (!tasks.empty()) port_.deque.push(tasks);
  return first;
}

bool WorkerCore::look_at_arrivals() {
  if (options_.deterministic) {
    crew_.entry.drain();
    return true;
  }
  const std::uint64_t now = platform::rough_ticks();
  const bool short_tasks = now - read_ < since_read_ * (platform::kRoughMicrosecond / kLongestStride);
  stride_ = short_tasks ? kLongestStride : 1;
  read_ = now;
  since_read_ = 0;
  if (now - drained_ < platform::kRoughMicrosecond) return false;
  drained_ = now;
  crew_.entry.drain();
  return true;
}

Task* WorkerCore::next_in_turn() {
  if (options_.activation_queue != nullptr) return nullptr;
  Shares::Turn turn = crew_.shares->take();
  if (turn.tasks.empty()) return nullptr;
  charged_ns_ = turn.charged_ns;
  Task* const first = turn.tasks.pop_front();
  // The rest where others can steal it, should the first take longer than expected.
  if (!turn.tasks.empty()) port_.deque.push(turn.tasks);
  return first;
}

void WorkerCore::look_at_contention() {
  charged_ns_ = 0;
  if (!crew_.shares->contended() || options_.activation_queue != nullptr) return;
  const std::uint64_t contention = crew_.shares->contentions();
  if (contention == seen_contention_) return;
  seen_contention_ = contention;
  // What one client alone has left here would go before everybody else's.
  if (handed_over_ != nullptr) port_.deque.push(std::exchange(handed_over_, nullptr));
  crew_.put_into_turns(port_.deque);
  crew_.put_into_turns(crew_.entry);
}

WorkerCore::Charge WorkerCore::take_charge(const Task& task) {
  const auto found = std::find_if(charges_.begin(), charges_.end(), [&](const Charge& c) { return c.task == &task; });
  if (found == charges_.end()) return {&task, &crew_.share_of(task), 0, {}};
  const Charge charge = *found;
  charges_.erase(found);
  return charge;
}

void WorkerCore::give_back_charge(const Task& task) {
  if (crew_.shares == nullptr) return;
  const Charge charge = take_charge(task);
  crew_.shares->settle(*charge.share, charge.charged_ns, 0);
}

Task* WorkerCore::next_task() {
  const TimeStamp now = options_.deterministic ? TimeStamp{} : platform::coarse_now();
  const bool long_ago = now != looked_at_;
  looked_at_ = now;
  ++since_read_;
  // Before what was handed over, too: a chain may have no end.
  if (long_ago || since_read_ >= stride_) look_at_arrivals();
  if (crew_.shares != nullptr) [[unlikely]]
    look_at_contention();
  if (handed_over_ != nullptr) return std::exchange(handed_over_, nullptr);
  if (crew_.mixed) [[unlikely]] {
    TaskDeque* own_kind = crew_.restricted_for(options_.kind);
    if (own_kind != nullptr && own_kind->top() >= std::max(crew_.entry.top(), port_.deque.top())) {
      if (Task* task = own_kind->pop_oldest()) return task;
    }
  }
  if (crew_.entry.top() > port_.deque.top()) {
    if (Task* task = take_from_entry()) return task;
  }
  if (Task* task = options_.in_order ? port_.deque.pop_oldest() : port_.deque.pop_newest()) return task;
  if (crew_.entry.drained() > 0) {
    if (Task* task = take_from_entry()) return task;
  }
  return crew_.shares != nullptr ? next_in_turn() : nullptr;
}

WorkerId WorkerCore::next_victim() {
  for (const std::vector<WorkerId>& ring : crew_.plan.victims[options_.self.index()]) {
    if (ring.empty()) continue;
    const std::size_t start = random_.below(static_cast<std::uint32_t>(ring.size()));
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const WorkerId victim = ring[(start + i) % ring.size()];
      if (crew_.ports[victim.index()].deque.size() > 0) return victim;
    }
  }
  return WorkerId{};
}

void WorkerCore::take(Task* task, Step& step) {
  step.task = task;
  if (options_.fetches) {
    acquiring_.push_back(task);
    step.kind = Step::Kind::acquire;
  } else {
    ++running_;
    step.kind = Step::Kind::start;
    begin_charge(*task);
  }
}

void WorkerCore::begin_charge(const Task& task) {
  if (crew_.shares == nullptr) return;
  for (Charge& charge : charges_) {
    if (charge.task == &task) charge.start = std::chrono::steady_clock::now();
  }
}

Task* WorkerCore::next_to_send_on() {
  if (handed_over_ != nullptr) return std::exchange(handed_over_, nullptr);
  if (!acquired_.empty()) {
    Task* task = acquired_.front();
    acquired_.erase(acquired_.begin());
    crew_.services->withdraw(options_.self, *task);
    give_back_charge(*task);
    return task;
  }
  if (Task* task = port_.deque.pop_oldest()) return task;
  if (Task* task = crew_.take_orphan()) return task;
  if (crew_.alive() != 0) return nullptr;
  crew_.entry.drain();
  return crew_.entry.pop_oldest();
}

bool WorkerCore::has_any_to_send_on() const {
  return port_.deque.size() > 0 || crew_.has_orphans() || (crew_.alive() == 0 && crew_.entry.size() > 0);
}

Step WorkerCore::next() {
  Step step;
  if (lost()) [[unlikely]] {
    step.activate = std::exchange(activation_due_, false);
    step.task = next_to_send_on();
    if (step.task != nullptr) {
      step.kind = Step::Kind::send_on;
      return step;
    }
    // Whoever woke this worker may have meant anybody who is idle.
    step.wake = sleeper_in_its_place();
    if (in_hand() == 0 && !asked_victim_.valid()) step.kind = Step::Kind::rest;
    return step;
  }
  if (!acquired_.empty() && running_ < options_.slots) {
    ++running_;
    step.kind = Step::Kind::start;
    step.task = acquired_.front();
    acquired_.erase(acquired_.begin());
    begin_charge(*step.task);
    // Before its kernel, which may run inside the start.
    step.activate = std::exchange(activation_due_, false);
    step.wake = sleeper_for_surplus();
    return step;
  }
  TaskList ready;
  while (in_hand() < options_.slots + options_.lookahead) {
    Task* task = next_task();
    if (task == nullptr) break;
    const TaskId id = task->task_id();
    Share* const share = crew_.shares != nullptr ? &crew_.share_of(*task) : nullptr;
    const Begin begun = crew_.graph_of(*task).begin(*task, options_.self, ready);
    if (!ready.empty()) [[unlikely]]
      activated(ready);
    if (begun != Begin::run) {
      if (share != nullptr) {
        crew_.shares->settle(*share, charged_ns_, 0);
        leave(*share);
      }
      if (crew_.services != nullptr) crew_.services->left(options_.self, id, begun == Begin::ended);
      continue;
    }
    asked_ = 0;
    if (share != nullptr) charges_.push_back({task, share, charged_ns_, {}});
    take(task, step);
    step.activate = std::exchange(activation_due_, false);
    step.wake = sleeper_for_surplus();
    return step;
  }
  step.activate = std::exchange(activation_due_, false);
  if (crew_.mixed) [[unlikely]]
    step.wake = crew_.take_idle_for_restricted();
  if (in_hand() == options_.slots + options_.lookahead || asked_victim_.valid()) return step;
  // Victims come and go between the look and the request: do not chase them for ever.
  step.victim = asked_ <= 2 * crew_.ports.size() && !crew_.plan.shared_queue ? next_victim() : WorkerId{};
  if (step.victim.valid()) {
    ++asked_;
    asked_victim_ = step.victim;
    step.kind = Step::Kind::steal;
  } else {
    asked_ = 0;
    step.kind = Step::Kind::rest;
  }
  return step;
}

WorkerId WorkerCore::sleeper_in_its_place() {
  if (crew_.mixed) {
    if (const WorkerId sleeper = crew_.take_idle_for_restricted(); sleeper.valid()) return sleeper;
  }
  if (crew_.entry.size() == 0 && !crew_.steals) return WorkerId{};
  for (std::size_t i = 0; i < crew_.ports.size(); ++i) {
    const WorkerId other(static_cast<std::uint32_t>(i));
    if (crew_.ports[i].lost.load(std::memory_order_relaxed) || !crew_.idle.contains(other)) continue;
    if (crew_.idle.erase(other)) return other;
  }
  return WorkerId{};
}

WorkerId WorkerCore::sleeper_for_surplus() {
  // First, as the queues' lines may be those that a thread that submits writes.
  if (crew_.idle.empty()) return WorkerId{};
  if (crew_.mixed) [[unlikely]] {
    if (const WorkerId sleeper = crew_.take_idle_for_restricted(); sleeper.valid()) return sleeper;
  }
  const bool in_turn = crew_.shares != nullptr && crew_.shares->waiting() > 0;
  if (!in_turn && crew_.entry.size() == 0 && !(crew_.steals && port_.deque.size() > 0)) return WorkerId{};
  return crew_.take_idle(options_.self);
}

void WorkerCore::place(TaskList& ready) {
  if (options_.activation_queue == nullptr && crew_.mixed) [[unlikely]] {
    crew_.set_restricted_aside(ready);
    if (ready.empty()) return;
  }
  if (crew_.shares != nullptr && crew_.shares->contended()) [[unlikely]] {
    crew_.put_into_turns(ready);
    pass_on();
    return;
  }
  if (options_.activation_queue != nullptr) {
    options_.activation_queue->push(ready);
    activation_due_ = true;
  } else if (crew_.plan.shared_queue) {
    crew_.entry.share(ready);
  } else {
    port_.deque.push(ready);
  }
}

void WorkerCore::task_ended(Task& task, const graph::FailureLog::Cause& cause) {
  TaskList ready;
  // Counted before: whoever waits for the task finds it in the report.
  WorkerCounters::add(port_.counters.tasks, std::uint64_t{1});
  if (crew_.shares != nullptr) [[unlikely]] {
    shared_task_ended(task, cause, ready);
  } else {
    crew_.graph.complete(task, cause, options_.self, ready);
  }
  --running_;
  if (ready.empty()) return;
  if (goes_first(ready)) handed_over_ = ready.pop_back();
  if (!ready.empty()) place(ready);
}

void WorkerCore::shared_task_ended(Task& task, const graph::FailureLog::Cause& cause, TaskList& ready) {
  const Charge charge = take_charge(task);
  const bool ran = charge.start != std::chrono::steady_clock::time_point{};
  const Duration took = ran ? std::chrono::steady_clock::now() - charge.start : Duration{};
  // Before anybody can know that the task has ended: whoever does finds its time counted.
  crew_.shares->settle(*charge.share, charge.charged_ns, took.count());
  crew_.graph_of(task).complete(task, cause, options_.self, ready);
  // In this order, so that a client with a chain of tasks is never seen without work.
  count(ready);
  leave(*charge.share);
}

void WorkerCore::leave(Share& share) {
  crew_.shares->left(share);
  pass_on();
}

void WorkerCore::pass_on() {
  if (options_.activation_queue != nullptr && crew_.pass_on(*options_.activation_queue)) activation_due_ = true;
}

bool WorkerCore::goes_first(const TaskList& ready) const {
  if (!hands_over_ || handed_over_ != nullptr || crew_.mixed) return false;
  if (crew_.shares != nullptr && crew_.shares->contended()) return false;
  const std::int32_t priority = ready.back()->priority;
  if (priority < port_.deque.top() || priority < crew_.entry.top()) return false;
  for (const Task* task = ready.front(); task != ready.back(); task = task->next) {
    if (task->priority > priority) return false;
  }
  return true;
}

void WorkerCore::acquired(Task& task) {
  const auto found = std::find(acquiring_.begin(), acquiring_.end(), &task);
  if (found == acquiring_.end()) return;  // of the actor before this one
  acquiring_.erase(found);
  acquired_.push_back(&task);
}

void WorkerCore::refused(const Task& task) {
  if (std::erase(acquiring_, &task) > 0) give_back_charge(task);
}

void WorkerCore::failed_to_start(Task& task, const graph::FailureLog::Cause& cause) {
  if (std::erase(acquiring_, &task) == 0) return;  // of the actor before this one
  ++running_;
  task_ended(task, cause);
}

bool WorkerCore::reject(Task& task, const graph::FailureLog::Cause& cause) {
  TaskList ready;
  Share* const share = crew_.shares != nullptr ? &crew_.share_of(task) : nullptr;
  const Begin begun = crew_.graph_of(task).begin(task, options_.self, ready);
  if (begun == Begin::run) {
    ++running_;
    task_ended(task, cause);
  } else if (share != nullptr) {
    leave(*share);
  }
  if (!ready.empty()) activated(ready);
  return begun != Begin::parked;
}

void WorkerCore::steal_answered(WorkerId victim, std::size_t tasks) {
  const bool awaited = victim == asked_victim_;
  if (awaited) asked_victim_ = WorkerId{};
  if (tasks > 0) {
    WorkerCounters::add(port_.counters.steals, std::uint64_t{1});
    WorkerCounters::add(port_.counters.stolen_tasks, std::uint64_t{tasks});
  } else if (awaited) {
    WorkerCounters::add(port_.counters.failed_steals, std::uint64_t{1});
  }
}

void WorkerCore::steal_answered(WorkerId victim, TaskList& tasks) {
  steal_answered(victim, tasks.size());
  if (tasks.empty()) return;
  // The first has the highest priority of them.
  const bool first = hands_over_ && handed_over_ == nullptr && !crew_.mixed &&
                     tasks.front()->priority >= crew_.entry.top() && tasks.front()->priority >= port_.deque.top();
  if (first) handed_over_ = tasks.pop_front();
  if (!tasks.empty()) port_.deque.push(tasks);
}

bool WorkerCore::give_up(std::vector<Task*>& asked_for) {
  if (handed_over_ != nullptr) port_.deque.push(std::exchange(handed_over_, nullptr));
  charges_.clear();
  asked_for.insert(asked_for.end(), acquiring_.begin(), acquiring_.end());
  asked_for.insert(asked_for.end(), acquired_.begin(), acquired_.end());
  acquiring_.clear();
  acquired_.clear();
  return std::exchange(activation_due_, false);
}

bool WorkerCore::finds_work() {
  if (lost()) [[unlikely]]
    return has_any_to_send_on();
  if (port_.deque.size() > 0 || crew_.entry.drained() > 0 || turns_wait() || victims_have_work()) return true;
  if (crew_.mixed && crew_.restricted_for(options_.kind) != nullptr) return true;
  return look_at_arrivals() && crew_.entry.drained() > 0;
}

bool WorkerCore::sees_work() const {
  if (lost()) [[unlikely]]
    return has_any_to_send_on();
  if (crew_.mixed && crew_.restricted_for(options_.kind) != nullptr) return true;
  return crew_.entry.size() > 0 || port_.deque.size() > 0 || turns_wait() || victims_have_work();
}

bool WorkerCore::victims_have_work() const {
  if (crew_.plan.shared_queue) return false;
  for (const std::vector<WorkerId>& ring : crew_.plan.victims[options_.self.index()]) {
    for (const WorkerId victim : ring) {
      if (crew_.ports[victim.index()].deque.size() > 0) return true;
    }
  }
  return false;
}

bool WorkerCore::park() {
  crew_.idle.insert(options_.self);
  if (!sees_work() || !crew_.idle.erase(options_.self)) {
    WorkerCounters::add(port_.counters.parks, std::uint64_t{1});
    return true;
  }
  return false;
}

}  // namespace troupe::workers
