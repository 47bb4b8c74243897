#include "python/module/task_cell.hpp"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "python/module/gil.hpp"
#include "python/module/runtime_state.hpp"

namespace troupe::python {

namespace py = pybind11;

namespace {

/// The watched tasks that have ended. The object is never destroyed, because workers may still report ended tasks after
/// static objects were destroyed.
struct Endings {
  std::mutex mutex;
  /// Notifies threads that wait for one task, and threads that wait for any watched task.
  std::condition_variable any;
  std::vector<CellReference> ended;
  bool over = false;
};

/// Never destroyed, and made when the module is loaded, like the list of `dispose`.
Endings* all_endings = new Endings;
Endings& endings() { return *all_endings; }

constexpr std::chrono::milliseconds kBetweenSignals{50};

}  // namespace

TaskCell::~TaskCell() {
  forget_call();
  dispose(std::exchange(result, nullptr));
  dispose(exception.exchange(nullptr));
  if (failed_input != nullptr) failed_input->drop_reference();
  if (failed_child != nullptr) failed_child->drop_reference();
}

void TaskCell::forget_call() noexcept {
  dispose(std::exchange(function, nullptr));
  dispose(std::exchange(further, nullptr));
  dispose(std::exchange(keywords, nullptr));
  parameters.clear();
}

void TaskCell::find_failed_input() {
  if (status != TaskStatus::succeeded) {
    for (const CellReference& input : *inputs) {
      if (!input->ended() || input->status == TaskStatus::succeeded) continue;
      // `told` leads to the task that failed first, so that this cell does not keep a chain of cells alive.
      failed_input = &input->told();
      failed_input->add_reference();
      break;
    }
  }
  inputs.reset();
}

void TaskCell::find_failed_child() {
  TaskCell* const child = std::exchange(failed_child, nullptr);
  if (status == TaskStatus::failed && failed_input == nullptr && exception.load() == nullptr) {
    failed_input = child;
  } else {
    child->drop_reference();
  }
}

void TaskCell::tell_parents() {
  for (TaskCell* task = parent; task != nullptr && task->failed_child == nullptr; task = task->parent) {
    task->failed_child = this;
    add_reference();
  }
}

void TaskCell::end(const TaskOutcome& outcome) {
  status = outcome.status;
  if (outcome.status != TaskStatus::succeeded) {
    message = outcome.message;
    code = outcome.code.value_or(outcome.status == TaskStatus::cancelled ? ErrorCode::cancelled
                                                                         : ErrorCode::kernel_failed);
  }
  // The arguments are still here in two cases: the kernel never ran, or this is a run of a recording, which keeps its
  // data until its end. A function that has run to its end has nothing to tell, even if its task fails because of a
  // child.
  const bool tells = (stage.load(std::memory_order_relaxed) & kTellsFailure) != 0 && status != TaskStatus::succeeded &&
                     function != nullptr;
  if ((function != nullptr || is_run) && !tells) forget_call();
  recording.reset();
  if (plain && status == TaskStatus::cancelled) runtime->call_was_cancelled();
  if (inputs != nullptr) find_failed_input();
  if (failed_child != nullptr) find_failed_child();
  if (!weak.empty()) weak.clear();
  // Release: publishes the results above to the acquire load in `ended`.
  const std::uint8_t before = stage.fetch_or(kEnded, std::memory_order_acq_rel);
  if ((before & ~kTellsFailure) != 0 || tells) {
    Endings& all = endings();
    const std::lock_guard lock(all.mutex);
    all.any.notify_all();
    if ((before & kWatched) != 0 || tells) {
      all.ended.emplace_back(this);
      return;  // the list owns this reference now
    }
  }
  drop_reference();
}

bool TaskCell::wait(std::optional<std::chrono::duration<double>> timeout) {
  if (ended()) return true;
  if (timeout && timeout->count() <= 0) return false;
  if (!mark(kWaited)) return true;
  using Clock = std::chrono::steady_clock;
  const bool bounded = timeout && timeout->count() < 1e9;
  const Clock::time_point until =
      bounded ? Clock::now() + std::chrono::duration_cast<Clock::duration>(*timeout) : Clock::time_point::max();
  Endings& all = endings();
  for (;;) {
    {
      const WithoutGil without;
      std::unique_lock lock(all.mutex);
      const Clock::time_point wake = std::min(until, Clock::now() + kBetweenSignals);
      all.any.wait_until(lock, wake, [this] { return ended(); });
    }
    if (ended()) return true;
    if (bounded && Clock::now() >= until) return false;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
}

std::vector<CellReference> take_ended() {
  Endings& all = endings();
  const WithoutGil without;
  std::unique_lock lock(all.mutex);
  all.any.wait(lock, [&all] { return all.over || !all.ended.empty(); });
  return std::exchange(all.ended, {});
}

void end_watching() {
  Endings& all = endings();
  const std::lock_guard lock(all.mutex);
  all.over = true;
  all.any.notify_all();
}

void forget_watching() { all_endings = new Endings; }

}  // namespace troupe::python
