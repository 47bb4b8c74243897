/// Issuing: gives tasks to a device before the device can begin them.
#include <algorithm>
#include <cassert>
#include <utility>

#include "actors/workers/worker_core.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "graph/data/working_set.hpp"
#include "troupe/codelet.hpp"

namespace troupe::workers {

using graph::Begin;
using graph::Task;
using graph::TaskList;

namespace {
/// At most so many waiting tasks of each task are examined: examining more would take longer than issuing could save.
constexpr std::size_t kMostEdges = 64;
/// The limit for calls of `Options::may_issue` in one search for a task.
constexpr std::size_t kMostQuestions = 4;
}  // namespace

bool WorkerCore::may_start(const InHand& one) {
  if (!one.acquired) return false;
  Task& task = *one.task;
  if (!task.issued_ahead && running_ < options_.slots) return true;
  // Other clients that wait for the device have their turn first.
  if (!fits_ahead(task) || (shares_ != nullptr && shares_->contended())) return false;
  if (!task.issued_ahead) return true;
  return !one.put_off && waits_for_device_alone(task) && crew_.graph_of(task).would_run(task);
}

bool WorkerCore::can_be_followed(const Task& task) {
  // A task's callback has to run before any task that waits for the task. A nested task has not ended when its kernel
  // has returned, because its children may still run.
  return !task.is_recorded() && !(task.extras && task.extras->callback) && task.own_domain() == nullptr;
}

bool WorkerCore::fits_ahead(const Task& task) const {
  if (running_ >= options_.slots + options_.most_ahead) return false;
  const Duration more = expected(task);
  if (more <= Duration{}) return false;
  Duration sum = more;
  for (const OnDevice& one : on_device_) {
    if (one.ahead) sum += one.expected;
  }
  return sum <= options_.work_ahead;
}

bool WorkerCore::waits_for_device_alone(const Task& task) {
  behind_.clear();
  std::uint32_t edges = 0;
  for (const OnDevice& one : on_device_) {
    const std::uint32_t before = edges;
    if (can_be_followed(*one.task)) {
      graph::visit_waiting(*one.task, kMostEdges, [&](const Task& waiting) { edges += &waiting == &task ? 1 : 0; });
    }
    if (edges > before) behind_.push_back(one.task);
  }
  // Acquire: the effects of tasks that ended elsewhere become visible here.
  return edges > 0 && edges == task.pending.load(std::memory_order_acquire);
}

bool WorkerCore::can_be_issued(const Task& task) const {
  if (task.role != graph::TaskRole::user || task.commute.wants || task.issued_ahead) return false;
  // The kernel of a nested task must not submit children before it is certain that the task runs.
  if (task.own_domain() != nullptr) return false;
  if (!task.codelet->runs_on(options_.kind, options_.self) || !fits_ahead(task)) return false;
  if (std::ranges::find(asked_about_, task.task_id()) != asked_about_.end()) return false;
  return std::ranges::none_of(task.data(),
                              [](const graph::TaskAccess& access) { return access.mode() == AccessMode::reduce; });
}

std::optional<bool> WorkerCore::may_issue(Task& task) const {
  // An accelerator could not use data that were split into parts. A halo part is copied from data that the tasks before
  // may still write.
  if (!crew_.graph_of(task).would_run(task) || graph::kinds_for_data(task) != kEveryKind) return false;
  return options_.may_issue ? options_.may_issue(task) : true;
}

Task* WorkerCore::find_issuable() {
  waiting_.clear();
  for (const OnDevice& one : on_device_) {
    if (!can_be_followed(*one.task)) continue;
    graph::visit_waiting(*one.task, kMostEdges, [this](Task& task) { waiting_.push_back(&task); });
  }
  std::ranges::sort(waiting_);
  // Keeps each task once, and only if all tasks for which it waits are on the device.
  std::size_t kept = 0;
  for (std::size_t i = 0, next = 0; i < waiting_.size(); i = next) {
    while (next < waiting_.size() && waiting_[next] == waiting_[i]) ++next;
    // Acquire: pairs with the submission's last addition to `pending`, which publishes the whole task.
    if (waiting_[i]->pending.load(std::memory_order_acquire) != next - i) continue;
    if (can_be_issued(*waiting_[i])) waiting_[kept++] = waiting_[i];
  }
  waiting_.resize(kept);
  // The order must not depend on addresses, which differ from run to run.
  std::ranges::sort(waiting_, [](const Task* one, const Task* other) {
    return one->priority != other->priority ? one->priority > other->priority : one->task_id() < other->task_id();
  });
  if (waiting_.size() > kMostQuestions) waiting_.resize(kMostQuestions);
  for (Task* const task : waiting_) {
    const std::optional<bool> answer = may_issue(*task);
    if (!answer) return nullptr;
    asked_about_[next_asked_about_++ % asked_about_.size()] = task->task_id();
    if (*answer) return task;
  }
  return nullptr;
}

bool WorkerCore::claim(Step& step) {
  if (on_device_.empty() || in_hand() >= most_in_hand()) return false;
  // Other clients that wait for the device have their turn first.
  if (shares_ != nullptr && shares_->contended()) return false;
  Task* const task = find_issuable();
  if (task == nullptr) return false;
  task->issued_ahead = true;
  ++claimed_;
  if (shares_ != nullptr) shares_->taken(options_.self, *task);
  in_hand_.push_back({task, false, false});
  step.task = task;
  step.kind = Step::Kind::acquire;
  return true;
}

bool WorkerCore::begin_claimed(Task& task) {
  if (crew_.graph_of(task).would_run(task)) return true;
  crew_.data->withdraw(options_.self, task);
  if (shares_ != nullptr) shares_->released(options_.self, task);
  const bool runs = begin(task);
  assert(!runs && "what is cancelled stays so");
  return runs;
}

bool WorkerCore::withdraw_claim(Task& task) {
  if (!task.issued_ahead || !gives_up_waiting(task)) return false;
  release_claim(task);
  return true;
}

void WorkerCore::release_claim(Task& task) {
  task.issued_ahead = false;
  --claimed_;
  if (shares_ != nullptr) shares_->released(options_.self, task);
}

void WorkerCore::taken_back(TaskList& tasks) {
  while (!tasks.empty()) {
    Task* const task = tasks.pop_front();
    const bool begun = leaves_device(*task);
    --running_;
    in_hand_.push_back({task, true, begun});
  }
}

bool WorkerCore::put_off_claim(Task& task) {
  (void)leaves_device(task);
  --running_;
  in_hand_.push_back({&task, true, false, true});
  return true;
}

bool WorkerCore::leaves_device(const Task& task) {
  if (!issues()) return true;
  const auto found = std::ranges::find(on_device_, &task, &OnDevice::task);
  const bool begun = found->begun;
  on_device_.erase(found);
  // The next waiting task gets the slot that has become free.
  std::size_t begins = static_cast<std::size_t>(std::ranges::count(on_device_, false, &OnDevice::ahead));
  for (OnDevice& one : on_device_) {
    if (begins >= options_.slots) break;
    if (!one.ahead) continue;
    one.ahead = false;
    ++begins;
  }
  return begun;
}

void WorkerCore::keep_claimed(TaskList& ready) {
  TaskList others;
  while (!ready.empty()) {
    Task* const task = ready.pop_front();
    if (task->issued_ahead) {
      task->issued_ahead = false;
      --claimed_;
    } else {
      others.push_back(task);
    }
  }
  ready = others;
}

Duration WorkerCore::expected(const Task& task) const {
  const auto found = std::ranges::find(times_, task.codelet, &KernelTime::codelet);
  return found != times_.end() ? found->mean : Duration{};
}

void WorkerCore::note_time(const Task& task, Duration took) {
  if (took <= Duration{}) return;
  const auto found = std::ranges::find(times_, task.codelet, &KernelTime::codelet);
  if (found == times_.end()) {
    times_[next_time_++ % times_.size()] = {task.codelet, took};
  } else {
    found->mean += (took - found->mean) / 4;
  }
}

}  // namespace troupe::workers
