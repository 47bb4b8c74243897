/// The functions of a runtime in Python for recordings and their runs.
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/backend.hpp"
#include "python/module/errors.hpp"
#include "python/module/runtime_state.hpp"
#include "python/module/task_cell.hpp"

namespace troupe::python {

void RuntimeState::begin_recording(std::string name) {
  const auto runtime = this->runtime();
  auto* const embedded = dynamic_cast<client::EmbeddedBackend*>(&runtime->backend());
  if (embedded == nullptr) {
    raise(ErrorCode::invalid_argument, "a runtime of the service records what a function submits: rt.record(function)");
  }
  require_no_recording();
  recording_ = embedded->begin_recording(std::move(name)).value_or_throw();
  recording_thread_ = PyThread_get_thread_ident();
  recorded_cells.clear();
}

RuntimeState::Recorded RuntimeState::end_recording() {
  if (!recording_here()) {
    raise(ErrorCode::invalid_argument, "a recording is ended by the thread that began it, inside of its 'with' block");
  }
  const auto recording = std::exchange(recording_, nullptr);
  recording_thread_ = 0;
  return recorded_by(recording->end());
}

RuntimeState::Recorded RuntimeState::recorded_by(std::shared_ptr<client::RecordedTasks> tasks) {
  Recorded recorded{std::move(tasks), std::make_shared<std::vector<CellReference>>(std::exchange(recorded_cells, {}))};
  std::unordered_set<const ArrayData*> known;
  const auto note = [&](const ArrayData& data) {
    if (known.insert(&data).second) recorded.data.push_back(&data);
  };
  for (const CellReference& task : *recorded.cells) {
    for (const TaskCell::Parameter& parameter : task->parameters) {
      note(*parameter.data);
      if (parameter.writable) recorded.written.insert(parameter.data->handle().id().value());
    }
    for (const std::shared_ptr<ArrayData>& weak : task->weak) note(*weak);
  }
  return recorded;
}

void RuntimeState::require_no_recording() const {
  if (recording_thread_ == 0) return;
  raise(ErrorCode::invalid_argument, recording_here() ? "a recording inside of another: end that one first"
                                                      : "another thread records tasks of this runtime: only one thread "
                                                        "of a program in Python can do so at a time");
}

RuntimeState::Recorded RuntimeState::record(const std::function<void()>& program, std::string name) {
  const auto runtime = this->runtime();
  require_no_recording();
  recording_thread_ = PyThread_get_thread_ident();
  recorded_cells.clear();
  std::optional<Result<std::shared_ptr<client::RecordedTasks>>> tasks;
  const auto with_lock = [&program] {
    const WithGil lock;
    program();
  };
  try {
    wait_without_lock([&] { tasks = runtime->backend().record(with_lock, std::move(name)); });
  } catch (...) {
    recording_thread_ = 0;
    recorded_cells.clear();
    throw;
  }
  recording_thread_ = 0;
  return recorded_by(std::move(*tasks).value_or_throw());
}

RuntimeState::Run RuntimeState::run(const Recorded& recorded, std::span<const Rebinding> rebindings,
                                    const std::vector<std::shared_ptr<ArrayData>>& now) {
  const auto keep = runtime();
  for (const auto& data : now) {
    rebound_.data.erase(data->address());
    remember(rebound_, data);
  }
  Run run;
  const auto submit = [&] { run.future = recorded.tasks->run(rebindings).value_or_throw(); };
  if (in_kernel() == this || recording_here()) {
    const AsProgram as_program(*this);
    submit();
  } else if (!runs_in_waiting_thread_ && has_room()) {
    until_count_ = 0;  // a run has many tasks, so the next submission must count the tasks in flight again
    const graph::UnboundedSubmission unbounded(graph_);
    submit();
  } else {
    wait_without_lock(submit);
  }
  auto* const cell = new TaskCell;
  run.cell = CellReference(cell);
  cell->runtime = this;
  cell->is_run = true;
  cell->recording = recorded.cells;
  for (const auto& data : now) cell->parameters.push_back({data});
  cell->add_reference();
  Run shown{run.future, CellReference(cell)};
  std::size_t count = 0;
  {
    const std::lock_guard lock(runs_.mutex);
    runs_.list.push_back(std::move(run));
    count = runs_.list.size();
  }
  // If the runtime has ended meanwhile, it has settled only its earlier runs, so settle this run here.
  if ((count % 32 == 0 || runtime_ == nullptr) && in_kernel() == nullptr) settle_runs();
  return shown;
}

void RuntimeState::settle_runs() {
  std::vector<Run> ended;
  {
    const std::lock_guard lock(runs_.mutex);
    for (auto it = runs_.list.begin(); it != runs_.list.end();) {
      if (it->future.status() == TaskStatus::pending) {
        ++it;
        continue;
      }
      ended.push_back(std::move(*it));
      it = runs_.list.erase(it);
    }
  }
  for (Run& run : ended) {
    TaskOutcome outcome{run.future.id(), run.future.status(), {}};
    if (outcome.status != TaskStatus::succeeded && graph_ != nullptr) {
      // The program hears of the failure by the future, or at the end.
      const Failure failure = graph_->failures().look_at(outcome.task);
      outcome.message = failure.message;
      outcome.code = failure.code;
    }
    for (const CellReference& task : *run.cell->recording) {
      if (outcome.status == TaskStatus::succeeded) break;
      PyObject* const exception = task->exception.exchange(nullptr);
      PyObject* none = nullptr;
      if (!run.cell->exception.compare_exchange_strong(none, exception)) dispose(exception);
    }
    run.cell->end(outcome);
    run.cell.leave();
  }
}

void RuntimeState::watch_runs() {
  if (runs_.watched.exchange(true)) return;
  if (runs_.watcher.joinable()) runs_.watcher.join();  // the thread is about to end
  runs_.watcher = std::thread([this] {
    for (;;) {
      settle_runs();
      {
        const std::lock_guard lock(runs_.mutex);
        if (runs_.list.empty()) {
          runs_.watched.store(false);
          return;
        }
      }
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
  });
}

}  // namespace troupe::python
