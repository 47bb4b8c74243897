/// Issuing: gives tasks to a device before the device can begin them.
#include <algorithm>
#include <cassert>

#include "actors/workers/worker_core.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "graph/data/working_set.hpp"
#include "troupe/codelet.hpp"

namespace troupe::workers {

using graph::Task;
using graph::TaskList;

namespace {
/// The limit for calls of `Options::may_issue` in one search for a task.
constexpr std::size_t kMostQuestions = 4;
}  // namespace

bool WorkerCore::may_start(const TakenTask& one) {
  if (!one.acquired) return false;
  Task& task = *one.task;
  if (!task.issued_ahead && running_ < options_.slots) return true;
  // Other clients that wait for the device have their turn first.
  if (!on_device_.fits_ahead(task) || (shares_ != nullptr && shares_->contended())) return false;
  if (!task.issued_ahead) return true;
  return !one.put_off && !on_device_.predecessors(task).empty() && crew_.graph_of(task).would_run(task);
}

bool WorkerCore::can_be_issued(const Task& task) const {
  if (task.role != graph::TaskRole::user || task.commute.wants || task.issued_ahead) return false;
  // The kernel of a nested task must not submit children before it is certain that the task runs.
  if (task.own_domain() != nullptr) return false;
  if (!task.codelet->runs_on(options_.kind, options_.self) || !on_device_.fits_ahead(task)) return false;
  if (claims_.was_asked_about(task.task_id())) return false;
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
  std::size_t questions = 0;
  for (Task* const task : on_device_.followers()) {
    if (!can_be_issued(*task)) continue;
    if (questions++ == kMostQuestions) return nullptr;
    const std::optional<bool> answer = may_issue(*task);
    if (!answer) return nullptr;
    claims_.asked_about(task->task_id());
    if (*answer) return task;
  }
  return nullptr;
}

bool WorkerCore::claim(Step& step) {
  if (on_device_.empty() || device_is_full() || in_hand() >= most_in_hand()) return false;
  // Other clients that wait for the device have their turn first.
  if (shares_ != nullptr && shares_->contended()) return false;
  Task* const task = find_issuable();
  if (task == nullptr) return false;
  claims_.add(*task);
  if (shares_ != nullptr) shares_->taken(options_.self, *task);
  taken_.add({.task = task, .begun = false});
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
  if (!task.issued_ahead || !taken_.take_waiting(task)) return false;
  release_claim(task);
  return true;
}

void WorkerCore::release_claim(Task& task) {
  claims_.end(task);
  if (shares_ != nullptr) shares_->released(options_.self, task);
}

void WorkerCore::taken_back(TaskList& tasks) {
  while (!tasks.empty()) {
    Task* const task = tasks.pop_front();
    const bool begun = on_device_.remove(*task);
    --running_;
    taken_.add({.task = task, .acquired = true, .begun = begun});
  }
}

bool WorkerCore::put_off_claim(Task& task) {
  (void)on_device_.remove(task);
  --running_;
  taken_.add({.task = &task, .acquired = true, .begun = false, .put_off = true});
  return true;
}

}  // namespace troupe::workers
