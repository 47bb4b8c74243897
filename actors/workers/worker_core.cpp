#include "actors/workers/worker_core.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace troupe::workers {

using graph::Begin;
using graph::Task;
using graph::TaskList;

namespace {
/// The limit for the number of tasks that one steal moves, or that a worker takes from the entry queue at once.
constexpr std::size_t kBatch = 32;
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
      options_(std::move(options)),
      port_(crew.ports[options_.self.index()]),
      shares_(crew.shares.get()),
      sets_apart_(crew.sets_apart(options_.activation_queue)),
      hands_over_(options_.activation_queue == nullptr && !crew.plan.shared_queue),
      taken_(options_.fetches ? most_in_hand() : 0, options_.urgent_first),
      // `reject` may need room for one task more than can be in hand.
      on_device_({options_.slots, options_.most_ahead, options_.work_ahead}, most_in_hand() + 1),
      arrivals_(options_.deterministic),
      search_(crew, options_.self, options_.seed) {
  if (shares_ != nullptr) shares_->begin(options_.self, most_in_hand() + 1);
}

Step WorkerCore::next() {
  if (lost()) [[unlikely]]
    return send_on();
  if (!port_.standing.open()) [[unlikely]]
    return stand_by();
  Step step;
  const bool taken = start_acquired(step) || take(step) || claim(step);
  // The scheduler has to decide before the kernel runs, and some devices run the kernel inside `start`.
  step.activate = std::exchange(activation_due_, false);
  if (taken) {
    // The idle set is read first: a submitting thread may be writing the cache lines of the queues.
    if (!crew_.idle.empty()) [[unlikely]]
      step.wake = sleeper_for_surplus();
    return step;
  }
  if (crew_.mixed()) [[unlikely]]
    step.wake = crew_.take_idle_for_restricted();
  if (help(step) || !has_room() || search_.awaits_answer() || steal(step)) return step;
  search_.end();
  step.kind = Step::Kind::rest;
  return step;
}

// The functions that run for every task are `inline`, because calls would take a quarter of the 30 ns of an empty task.
inline bool WorkerCore::start_acquired(Step& step) {
  if (taken_.empty()) return false;
  if (gives_back(step)) return true;
  while (!taken_.empty() && !device_is_full()) {
    const auto found = taken_.take_next([this](const TakenTask& one) { return may_start(one); });
    if (!found) return false;
    Task& task = *found->task;
    const bool claimed = task.issued_ahead;
    if (!found->begun && !claimed && !begin_claimed(task)) continue;
    if (claimed) step.behind = on_device_.predecessors(task);
    on_device_.add(task, claimed || running_ >= options_.slots, found->begun || !claimed);
    start(task, step);
    return true;
  }
  return false;
}

inline bool WorkerCore::take(Step& step) {
  while (has_room()) {
    Task* const task = next_task();
    if (task == nullptr) return false;
    if (!begin(*task)) continue;
    search_.end();
    if (options_.fetches) {
      taken_.add({task});
      step.task = task;
      step.kind = Step::Kind::acquire;
    } else {
      start(*task, step);
    }
    return true;
  }
  return false;
}

bool WorkerCore::steal(Step& step) {
  step.victim = search_.ask_next();
  if (!step.victim.valid()) return false;
  step.kind = Step::Kind::steal;
  return true;
}

inline void WorkerCore::start(Task& task, Step& step) {
  ++running_;
  if (shares_ != nullptr) [[unlikely]]
    shares_->started(options_.self, task);
  step.task = &task;
  step.kind = Step::Kind::start;
}

inline bool WorkerCore::begin(Task& task) {
  const TaskId id = task.task_id();
  if (shares_ != nullptr) [[unlikely]]
    shares_->taken(options_.self, task);
  TaskList ready;
  const Begin begun = crew_.graph_of(task).begin(task, options_.self, ready);
  // The observers hear of this task before the ready tasks are placed, because one of these may have the same id: the
  // task that stands for this task in a run of a recording.
  if (begun != Begin::run) [[unlikely]]
    tell_not_run(id, begun == Begin::ended);
  if (!ready.empty()) [[unlikely]] {
    if (shares_ != nullptr) shares_->activated(ready);
    if (claims_.any()) claims_.keep(ready);
    place(ready);
  }
  if (begun == Begin::run) return true;
  if (shares_ != nullptr) leave(shares_->released(options_.self, task));
  return false;
}

void WorkerCore::tell_not_run(TaskId task, bool ended) const {
  using Kind = graph::TaskEvent::Kind;
  crew_.tell({.kind = ended ? Kind::dropped : Kind::left, .worker = options_.self, .task = task});
}

Task* WorkerCore::next_task() {
  // The worker looks for newly submitted tasks even if `handed_over_` is the next task, because a chain of tasks that
  // are handed over may never end.
  look_up();
  if (shares_ != nullptr) [[unlikely]]
    give_way();
  if (handed_over_ != nullptr) return std::exchange(handed_over_, nullptr);
  if (crew_.mixed()) [[unlikely]] {
    if (Task* task = take_restricted()) return task;
  }
  if (crew_.entry.top() > port_.deque.top()) {
    if (Task* task = take_from_entry()) return task;
  }
  if (Task* task = options_.in_order ? port_.deque.pop_oldest() : port_.deque.pop_newest()) return task;
  if (crew_.entry.drained() > 0) {
    if (Task* task = take_from_entry()) return task;
  }
  return shares_ != nullptr ? shares_->take_turn(options_.self, port_.deque) : nullptr;
}

Task* WorkerCore::take_restricted() {
  TaskDeque* const own = crew_.restricted.best_for(options_.self);
  if (own == nullptr || own->top() < std::max(crew_.entry.top(), port_.deque.top())) return nullptr;
  Task* const task = crew_.restricted.take(*own);
  if (task == nullptr || shares_ == nullptr || shares_->comes_first(*task)) return task;
  crew_.restricted.put_back(*own, *task);
  return nullptr;
}

Task* WorkerCore::take_from_entry() {
  if (crew_.plan.shared_queue) return crew_.entry.pop_oldest();
  // Several tasks are taken at once, but enough are left for the other workers.
  const std::size_t portion = crew_.entry.drained() / (2 * crew_.ports.size());
  if (portion <= 1) return crew_.entry.pop_oldest();
  std::array<TaskDeque::Entry, TaskDeque::kMostStolen> tasks;
  const std::size_t count = crew_.entry.steal_half(std::min(portion, kBatch), tasks);
  if (count == 0) return nullptr;
  port_.deque.push({&tasks[1], count - 1});
  return tasks[0].task;
}

inline void WorkerCore::look_up() {
  if (arrivals_.next_task()) look_at_arrivals();
}

bool WorkerCore::look_at_arrivals() {
  if (!arrivals_.may_look()) return false;
  crew_.entry.drain();
  return true;
}

void WorkerCore::give_way() {
  if (!shares_->contention_is_new(options_.self)) return;
  // While one client was alone, the client's tasks were put into the queues below. Left there, these tasks would run
  // before the tasks of all other clients.
  if (handed_over_ != nullptr) port_.deque.push(std::exchange(handed_over_, nullptr));
  shares_->put_all_into_turns(port_.deque);
  crew_.entry.drain();
  shares_->put_all_into_turns(crew_.entry);
}

WorkerId WorkerCore::sleeper_in_its_place() {
  if (crew_.mixed()) {
    if (const WorkerId sleeper = crew_.take_idle_for_restricted(); sleeper.valid()) return sleeper;
  }
  const auto has_some = [](const WorkerPort& port) { return port.deque.size() > 0; };
  const bool stealable = crew_.steals && std::ranges::any_of(crew_.ports, has_some);
  if (!turns_wait() && crew_.entry.size() == 0 && !stealable) {
    const SharedPieces* const shared = crew_.pieces_for(options_.self);
    return shared != nullptr ? crew_.take_idle_for(*shared, options_.self) : WorkerId{};
  }
  for (std::size_t i = 0; i < crew_.ports.size(); ++i) {
    const WorkerId other(static_cast<std::uint32_t>(i));
    if (crew_.ports[i].lost.load(std::memory_order_relaxed) || !crew_.idle.contains(other)) continue;
    if (crew_.idle.erase(other)) return other;
  }
  return WorkerId{};
}

WorkerId WorkerCore::sleeper_for_surplus() {
  if (crew_.mixed()) [[unlikely]] {
    if (const WorkerId sleeper = crew_.take_idle_for_restricted(); sleeper.valid()) return sleeper;
  }
  // The last victim may be in a long kernel. Then no other thread wakes a sleeper for the tasks that the victim still
  // has.
  const WorkerId robbed = search_.take_robbed();
  const bool to_steal =
      crew_.steals && (port_.deque.size() > 0 || (robbed.valid() && crew_.ports[robbed.index()].deque.size() > 0));
  if (turns_wait() || crew_.entry.size() > 0 || to_steal) return crew_.take_idle(options_.self);
  const SharedPieces* const shared = crew_.pieces_for(options_.self);
  return shared != nullptr ? crew_.take_idle_for(*shared, options_.self) : WorkerId{};
}

inline void WorkerCore::place(TaskList& ready) {
  if (sets_apart_ || crew_.mixed()) [[unlikely]] {
    if (crew_.set_apart(ready, options_.activation_queue)) activation_due_ = true;
    if (ready.empty()) return;
  }
  if (crew_.plan.shared_queue) {
    crew_.entry.push_sorted(ready);
  } else {
    port_.deque.push(ready);
  }
}

void WorkerCore::task_ended(Task& task, const graph::FailureLog::Cause& cause, Duration took) {
  assert(!task.issued_ahead && "what it waits for ends first");
  TaskList ready;
  Share* const share = shares_ != nullptr ? &shares_->released(options_.self, task, took) : nullptr;
  graph::TaskGraph& graph = crew_.graph_of(task);
  bool runs = true;
  if (on_device_.queues()) {
    on_device_.note_time(task, took);
    if (!on_device_.remove(task)) {
      WorkerCounters::add(port_.counters.issued_ahead, std::uint64_t{1});
      runs = graph.begin_after_running(task, options_.self, ready) == Begin::run;
    }
  }
  // The task is counted before its completion, so that a thread that waits for the task finds the task, and its
  // client's time, in the report.
  WorkerCounters::add(port_.counters.tasks, std::uint64_t{runs ? 1U : 0U});
  if (runs) graph.complete(task, cause, options_.self, ready);
  --running_;
  ready_now(ready, share);
}

inline void WorkerCore::ready_now(TaskList& ready, Share* share) {
  if (ends_count()) activation_due_ = true;
  // The ready tasks are counted before the ended task leaves, so that a client with a chain of tasks is never seen
  // without work.
  if (share != nullptr) [[unlikely]]
    shares_->activated(ready);
  if (claims_.any()) [[unlikely]]
    claims_.keep(ready);
  if (!ready.empty() && goes_first(ready)) handed_over_ = ready.pop_back();
  if (!ready.empty()) place(ready);
  if (share != nullptr) [[unlikely]]
    leave(*share);
}

void WorkerCore::last_piece_ended(Task& task, const graph::FailureLog::Cause& cause) {
  TaskList ready;
  Share* const share = shares_ != nullptr ? &shares_->of(task) : nullptr;
  crew_.graph_of(task).complete(task, cause, options_.self, ready);
  ready_now(ready, share);
}

void WorkerCore::leave(Share& share) {
  shares_->followed_up(options_.self, share);
  shares_->left(share);
  if (shares_->pass_on()) activation_due_ = true;
}

bool WorkerCore::goes_first(const TaskList& ready) const {
  if (!hands_over_ || handed_over_ != nullptr || crew_.mixed()) return false;
  if (shares_ != nullptr && shares_->contended()) return false;
  const std::int32_t priority = ready.back()->priority;
  if (priority < port_.deque.top() || priority < crew_.entry.top()) return false;
  for (const Task* task = ready.front(); task != ready.back(); task = task->next) {
    if (task->priority > priority) return false;
  }
  return true;
}

void WorkerCore::acquired(Task& task) {
  // The task is not there if this worker's previous actor requested the data.
  taken_.acquired(task);
}

void WorkerCore::refused(const Task& task) {
  if (taken_.take_waiting(task) && shares_ != nullptr) shares_->released(options_.self, task);
}

void WorkerCore::failed_to_start(Task& task, const graph::FailureLog::Cause& cause) {
  const auto found = taken_.take_waiting(task);
  if (!found) return;  // this worker's previous actor requested the data
  on_device_.add(task, false, found->begun);
  ++running_;
  task_ended(task, cause);
}

void WorkerCore::reject(Task& task, const graph::FailureLog::Cause& cause) {
  const TaskId id = task.task_id();
  if (!begin(task)) return;
  on_device_.add(task, false, true);
  ++running_;
  task_ended(task, cause);
  tell_not_run(id, true);
}

void WorkerCore::steal_answered(WorkerId victim, std::size_t tasks) {
  const bool awaited = search_.answered(victim, tasks);
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
  // The first of the stolen tasks has the highest priority.
  const bool first = hands_over_ && handed_over_ == nullptr && !crew_.mixed() &&
                     tasks.front()->priority >= crew_.entry.top() && tasks.front()->priority >= port_.deque.top();
  if (first) handed_over_ = tasks.pop_front();
  if (!tasks.empty()) port_.deque.push(tasks);
}

bool WorkerCore::give_up(std::vector<Task*>& asked_for) {
  if (handed_over_ != nullptr) port_.deque.push(std::exchange(handed_over_, nullptr));
  for (const TakenTask& one : taken_.all()) {
    if (one.task->issued_ahead) {
      // The task waits for another task that this worker has in hand.
      crew_.data->withdraw(options_.self, *one.task);
      release_claim(*one.task);
    } else {
      asked_for.push_back(one.task);
    }
  }
  taken_.clear();
  return std::exchange(activation_due_, false);
}

bool WorkerCore::finds_work() {
  if (lost()) [[unlikely]]
    return has_any_to_send_on();
  // A worker that is not open (`Standing`) must call `next`, which decides what the worker does.
  if (!port_.standing.open()) [[unlikely]]
    return true;
  return crew_.entry.drained() > 0 || sees_work_besides_entry() || (look_at_arrivals() && crew_.entry.drained() > 0);
}

bool WorkerCore::sees_work() const {
  if (lost()) [[unlikely]]
    return has_any_to_send_on();
  if (!port_.standing.open_seq_cst()) [[unlikely]]
    return true;
  return crew_.entry.size() > 0 || sees_work_besides_entry();
}

bool WorkerCore::sees_work_besides_entry() const {
  if (port_.deque.size() > 0 || turns_wait() || (running_ == 0 && crew_.pieces_for(options_.self) != nullptr))
    return true;
  if (crew_.mixed() && crew_.restricted.best_for(options_.self) != nullptr) return true;
  return search_.sees_tasks();
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
