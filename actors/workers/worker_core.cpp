#include "actors/workers/worker_core.hpp"

#include <algorithm>
#include <utility>

#include "platform/clock.hpp"
#include "platform/cycles.hpp"

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
      random_(options.seed) {}

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

Task* WorkerCore::next_task() {
  const TimeStamp now = options_.deterministic ? TimeStamp{} : platform::coarse_now();
  const bool long_ago = now != looked_at_;
  looked_at_ = now;
  ++since_read_;
  // Before what was handed over, too: a chain may have no end.
  if (long_ago || since_read_ >= stride_) look_at_arrivals();
  if (handed_over_ != nullptr) return std::exchange(handed_over_, nullptr);
  if (crew_.mixed) [[unlikely]] {
    TaskDeque& own_kind = crew_.only(options_.kind);
    if (own_kind.size() > 0 && own_kind.top() >= std::max(crew_.entry.top(), port_.deque.top())) {
      if (Task* task = own_kind.pop_oldest()) return task;
    }
  }
  if (crew_.entry.top() > port_.deque.top()) {
    if (Task* task = take_from_entry()) return task;
  }
  if (Task* task = options_.in_order ? port_.deque.pop_oldest() : port_.deque.pop_newest()) return task;
  return crew_.entry.drained() > 0 ? take_from_entry() : nullptr;
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
  }
}

Step WorkerCore::next() {
  Step step;
  if (!acquired_.empty() && running_ < options_.slots) {
    ++running_;
    step.kind = Step::Kind::start;
    step.task = acquired_.front();
    acquired_.pop_front();
    return step;
  }
  TaskList ready;
  while (in_hand() < options_.slots + options_.lookahead) {
    Task* task = next_task();
    if (task == nullptr) break;
    const TaskId id = task->task_id();
    const Begin begun = crew_.graph.begin(*task, options_.self, ready);
    if (!ready.empty()) [[unlikely]]
      activated(ready);
    if (begun != Begin::run) {
      if (crew_.services != nullptr) crew_.services->left(options_.self, id, begun == Begin::ended);
      continue;
    }
    asked_ = 0;
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

WorkerId WorkerCore::sleeper_for_surplus() {
  // First, as the queues' lines may be those that a thread that submits writes.
  if (crew_.idle.empty()) return WorkerId{};
  if (crew_.mixed) [[unlikely]] {
    if (const WorkerId sleeper = crew_.take_idle_for_restricted(); sleeper.valid()) return sleeper;
  }
  if (crew_.entry.size() == 0 && !(crew_.steals && port_.deque.size() > 0)) return WorkerId{};
  return crew_.take_idle(options_.self);
}

void WorkerCore::activated(TaskList& ready) {
  if (options_.activation_queue == nullptr && crew_.mixed) [[unlikely]] {
    crew_.set_restricted_aside(ready);
    if (ready.empty()) return;
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
  crew_.graph.complete(task, cause, options_.self, ready);
  --running_;
  if (ready.empty()) return;
  if (goes_first(ready)) handed_over_ = ready.pop_back();
  if (!ready.empty()) activated(ready);
}

bool WorkerCore::goes_first(const TaskList& ready) const {
  if (!hands_over_ || handed_over_ != nullptr || crew_.mixed) return false;
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

void WorkerCore::refused(const Task& task) { std::erase(acquiring_, &task); }

void WorkerCore::failed_to_start(Task& task, const graph::FailureLog::Cause& cause) {
  if (std::erase(acquiring_, &task) == 0) return;  // of the actor before this one
  ++running_;
  task_ended(task, cause);
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
  asked_for.insert(asked_for.end(), acquiring_.begin(), acquiring_.end());
  asked_for.insert(asked_for.end(), acquired_.begin(), acquired_.end());
  acquiring_.clear();
  acquired_.clear();
  return std::exchange(activation_due_, false);
}

bool WorkerCore::finds_work() {
  if (port_.deque.size() > 0 || crew_.entry.drained() > 0 || victims_have_work()) return true;
  if (crew_.mixed && crew_.only(options_.kind).size() > 0) return true;
  return look_at_arrivals() && crew_.entry.drained() > 0;
}

bool WorkerCore::sees_work() const {
  if (crew_.mixed && crew_.only(options_.kind).size() > 0) return true;
  return crew_.entry.size() > 0 || port_.deque.size() > 0 || victims_have_work();
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
