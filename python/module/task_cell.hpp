/// The state of one submitted task for Python: for its future and, if the task runs a kernel in Python or a plain
/// function, for the function and its arguments.
#pragma once

#include <pybind11/pybind11.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "python/module/array_data.hpp"
#include "troupe/access.hpp"
#include "troupe/errors.hpp"
#include "troupe/handle.hpp"

namespace troupe::python {

class RuntimeState;

/// The cell of a task. The task and its future share the cell until the task has ended.
struct TaskCell {
  /// The bits of `stage`: `kWaited` if a thread waits for the end, `kWatched` if `take_ended` must return the cell,
  /// `kEnded` if the task has ended, and `kTellsFailure` if `take_ended` must return the cell unless the task succeeds.
  static constexpr std::uint8_t kWaited = 1;
  static constexpr std::uint8_t kWatched = 2;
  static constexpr std::uint8_t kEnded = 4;
  static constexpr std::uint8_t kTellsFailure = 8;

  std::atomic<std::uint32_t> references{1};
  std::atomic<std::uint8_t> stage{0};
  /// The status of the task, valid after its end.
  TaskStatus status = TaskStatus::pending;
  /// The runtime's message for a failure. If it is empty, the task has not failed, and `code` has no meaning.
  std::string message;
  ErrorCode code = ErrorCode::kernel_failed;

  /// The members from here to `parameters` are the call of a kernel in Python or of a plain function. They are needed
  /// until the call has run; a recorded task keeps them.
  struct Parameter {
    std::shared_ptr<ArrayData> data;
    bool writable = false;
  };
  RuntimeState* runtime = nullptr;
  bool recorded = false;
  PyObject* function = nullptr;
  PyObject* further = nullptr;   ///< a tuple of positional arguments, or null
  PyObject* keywords = nullptr;  ///< a dictionary, or null
  std::vector<Parameter> parameters;

  /// The result of a kernel in Python that has run. Requires the interpreter's lock.
  PyObject* result = nullptr;
  /// The exception of the kernel. When a run has ended, any thread may move the exception of a recorded task to the
  /// cell of the run.
  std::atomic<PyObject*> exception{nullptr};

  /// True for a call of a plain function (`Runtime.call`). Its future raises the function's own exception.
  bool plain = false;
  /// The tasks whose results are arguments of a plain function; null if there are none. Becomes null when the task
  /// ends.
  std::shared_ptr<std::vector<class CellReference>> inputs;
  /// If the task was cancelled because one of `inputs` did not succeed, or failed because of a child, the task that
  /// failed first; otherwise null. This cell owns a reference to that task's cell. Valid after the end.
  TaskCell* failed_input = nullptr;

  /// The task in whose kernel this task was submitted, if this task is one of its children; otherwise null. That task
  /// ends after its children, so the pointer is valid until this task has ended.
  TaskCell* parent = nullptr;
  /// The first task inside this task, at any depth, whose function raised an exception; null if there is none. This
  /// cell owns a reference to that task's cell. Written with the interpreter's lock, before the task ends.
  TaskCell* failed_child = nullptr;
  /// True for a nested task (`TaskOptions::nested`) and for all tasks inside of it: tasks that their kernels submit use
  /// the data of the nested task. If `nested` is false, kernels that a function of `Runtime.call` submits are tasks of
  /// the program.
  bool nested = false;
  /// The weak data of a nested task, which live until the task has ended.
  std::vector<std::shared_ptr<ArrayData>> weak;

  /// True for a run of a recording. Never changes after the run was submitted.
  bool is_run = false;
  /// For a run of a recording, the cells of its tasks, which live until the run has ended.
  std::shared_ptr<std::vector<class CellReference>> recording;

  TaskCell() = default;
  TaskCell(const TaskCell&) = delete;
  TaskCell& operator=(const TaskCell&) = delete;
  ~TaskCell();

  void add_reference() { references.fetch_add(1, std::memory_order_relaxed); }
  void drop_reference() {
    if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  /// Marks the task as ended, and drops the task's reference. Called in the thread in which the task ended, without the
  /// interpreter's lock.
  void end(const TaskOutcome& outcome);
  /// Drops the references to the function and the arguments, which are needed only until the kernel has run.
  void forget_call() noexcept;
  [[nodiscard]] bool ended() const { return (stage.load(std::memory_order_acquire) & kEnded) != 0; }

  /// Notes in all tasks around this task that its function raised an exception. Requires the interpreter's lock.
  void tell_parents();

  /// Waits without the interpreter's lock until the task has ended, for at most the given time. A Python signal handler
  /// that raises an exception, such as `KeyboardInterrupt`, ends the wait. Returns false after the timeout.
  bool wait(std::optional<std::chrono::duration<double>> timeout);
  /// Requests that `take_ended` returns this cell after the end of the task. Returns false if the task has already
  /// ended.
  bool watch() { return mark(kWatched); }
  /// Returns the task whose end the future reports: this task, or the input that kept this task from running, or the
  /// child whose failure made this task fail.
  [[nodiscard]] TaskCell& told() { return failed_input == nullptr ? *this : *failed_input; }

 private:
  void find_failed_input();
  void find_failed_child();
  bool mark(std::uint8_t what) { return (stage.fetch_or(what, std::memory_order_acq_rel) & kEnded) == 0; }
};

/// One reference to a cell.
class CellReference {
 public:
  CellReference() = default;
  /// Takes over a reference.
  explicit CellReference(TaskCell* cell) : cell_(cell) {}
  CellReference(CellReference&& other) noexcept : cell_(std::exchange(other.cell_, nullptr)) {}
  CellReference& operator=(CellReference&& other) noexcept {
    std::swap(cell_, other.cell_);
    return *this;
  }
  CellReference(const CellReference&) = delete;
  CellReference& operator=(const CellReference&) = delete;
  ~CellReference() {
    if (cell_ != nullptr) cell_->drop_reference();
  }
  /// Makes this object empty without dropping the reference, which the caller or another owner drops.
  void leave() { cell_ = nullptr; }
  TaskCell* operator->() const { return cell_; }
  [[nodiscard]] TaskCell* get() const { return cell_; }

 private:
  TaskCell* cell_ = nullptr;
};

/// Waits, without the interpreter's lock, until watched tasks have ended, and returns their cells. The result is empty
/// after `end_watching`.
[[nodiscard]] std::vector<CellReference> take_ended();
void end_watching();
/// Called in a forked process, in which no thread watches: makes a new, empty list.
void forget_watching();

}  // namespace troupe::python
