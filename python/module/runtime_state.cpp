#include "python/module/runtime_state.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "client/backend.hpp"
#include "client/embedded_backend.hpp"
#include "graph/tasks/calling_thread.hpp"
#include "kernels/blas_threads.hpp"
#include "python/module/errors.hpp"
#include "python/module/task_cell.hpp"
#include "traces/files/trace_file.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::python {

namespace py = pybind11;

namespace {

/// The task whose kernel in Python this thread runs; null outside of kernels.
thread_local TaskCell* kernel_task = nullptr;
/// The context of that kernel; null outside of kernels.
thread_local const KernelContext* kernel_context = nullptr;
thread_local PyObject* const* kernel_arguments = nullptr;

/// The open runtimes. Requires the interpreter's lock. Never destroyed: see `RuntimeState::close_all`.
std::vector<std::shared_ptr<RuntimeState>>& open_runtimes() {
  static auto* const all = new std::vector<std::shared_ptr<RuntimeState>>;
  return *all;
}

/// A thread that runs a kernel in Python.
struct KernelThread {
  unsigned long thread;
  RuntimeState* runtime;
};

/// All threads that run kernels in Python. Requires the interpreter's lock.
std::vector<KernelThread>& kernel_threads() {
  static auto* const all = new std::vector<KernelThread>;
  return *all;
}

void in_forked_process() {
  forget_watching();
  forget_disposed();
  kernel_threads().clear();
}

/// Destroys a runtime while the interpreter's lock is released, because its workers may wait for that lock.
struct EndWithoutLock {
  void operator()(Runtime* runtime) const {
    if (PyGILState_Check() != 0) {
      const WithoutGil without;
      delete runtime;
    } else {
      delete runtime;
    }
  }
};

}  // namespace

std::shared_ptr<RuntimeState> RuntimeState::start(Settings settings) {
  auto state = std::make_shared<RuntimeState>();
  state->trace_file_ = std::move(settings.trace_file);
  state->window_ = settings.options.window;
  state->runs_in_waiting_thread_ = settings.options.threads.deterministic || settings.options.simulation != nullptr;
  std::unique_ptr<Runtime> runtime;
  {
    const WithoutGil without;
    runtime = std::make_unique<Runtime>(settings.options);
  }
  if (auto* const embedded = dynamic_cast<client::EmbeddedBackend*>(&runtime->backend())) {
    state->graph_ = &embedded->graph();
    state->calls_ = settings.options.simulation == nullptr;
  }
  state->set(std::move(runtime));
  return state;
}

std::shared_ptr<RuntimeState> RuntimeState::adopt(std::unique_ptr<Runtime> runtime) {
  auto state = std::make_shared<RuntimeState>();
  state->set(std::move(runtime));
  return state;
}

void RuntimeState::set(std::unique_ptr<Runtime> runtime) {
  [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, &in_forked_process);
  runtime_ = std::shared_ptr<Runtime>(runtime.release(), EndWithoutLock());
  open_runtimes().push_back(shared_from_this());
}

bool RuntimeState::foreign() const { return home_.left(); }

void RuntimeState::require_own_process() const {
  if (!foreign()) return;
  throw std::runtime_error(
      "this process was forked from the one that started the runtime, whose threads are not here: start a runtime of "
      "its own, or use multiprocessing's start method 'spawn'");
}

std::shared_ptr<Runtime> RuntimeState::runtime() const {
  require_own_process();
  if (runtime_ == nullptr) raise(ErrorCode::stopped, "the runtime has ended: use it inside of its 'with' block");
  return runtime_;
}

// The next functions submit tasks and wait for them.

bool RuntimeState::has_room() {
  if (graph_ == nullptr) return false;
  if (until_count_ > 0) {
    --until_count_;
    return true;
  }
  const auto progress = graph_->progress();
  if (progress.submitted - progress.ended >= window_) return false;
  until_count_ = static_cast<std::uint32_t>(std::clamp<std::size_t>(window_ / 8, 1, 64)) - 1;
  return true;
}

Future RuntimeState::submit(const graph::TaskSpecification& specification) {
  const auto keep = runtime();
  client::Backend& backend = keep->backend();
  // Submissions by kernels, and recorded submissions, never wait, so the lock is not released.
  if (in_kernel() == this || recording_here()) {
    return backend.submit(specification).value_or_throw();
  }
  if (!runs_in_waiting_thread_ && has_room()) {
    const graph::UnboundedSubmission unbounded(graph_);
    return backend.submit(specification).value_or_throw();
  }
  std::optional<Result<Future>> future;
  wait_without_lock([&] { future = backend.submit(specification); });
  return std::move(*future).value_or_throw();
}

void RuntimeState::wait_without_lock(const std::function<void()>& wait) {
  const std::function<bool()> interrupted = [] {
    if (_Py_IsFinalizing() != 0 || ending_elsewhere()) return false;
    const WithGil lock;
    return PyErr_CheckSignals() != 0;
  };
  try {
    const graph::WaitInterrupt interrupt(interrupted);
    const WithoutGil without;
    wait();
  } catch (const Error&) {
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    throw;
  }
  if (PyErr_Occurred() != nullptr) throw py::error_already_set();
}

void RuntimeState::raise_failure(const Error& error) {
  const py::list exceptions = take_exceptions();
  const py::object cause = exceptions.empty() ? py::object(py::none()) : py::object(exceptions[0]);
  const py::object exception = exception_of(error.code(), error.what(), cause);
  exception.attr("failures") = exceptions;
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  throw py::error_already_set();
}

void RuntimeState::wait_for_children() {
  const auto runtime = this->runtime();
  try {
    wait_without_lock([&] { runtime->wait(); });
  } catch (const Error& error) {
    // The exceptions of kernels stay for the program's own wait.
    TaskCell* const failed = task_here()->failed_child;
    PyObject* const raised = failed != nullptr ? failed->exception.load() : nullptr;
    const auto cause = raised == nullptr ? py::object(py::none()) : py::reinterpret_borrow<py::object>(raised);
    const py::object exception = exception_of(error.code(), error.what(), cause);
    if (raised != nullptr) {
      if (failed->plain) forget_failed_call(*failed);
      exception.attr("failures").attr("append")(cause);
    }
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
    throw py::error_already_set();
  }
}

void RuntimeState::wait() {
  if (task_here() != nullptr) return wait_for_children();
  const auto runtime = this->runtime();
  try {
    wait_without_lock([&] { runtime->wait(); });
  } catch (const Error& error) {
    collect_disposed();
    forget_unused_arrays();
    forget_dropped(false);
    [[maybe_unused]] const std::optional<Error> calls =
        take_failed_calls();  // their exceptions are added to the exceptions of kernels
    raise_failure(error);
  }
  collect_disposed();
  settle_runs();
  exceptions_.clear();
  const std::optional<Error> calls = take_failed_calls();
  forget_unused_arrays();
  forget_dropped(false);
  // Restore the program's own number of BLAS threads for numpy, until the next kernel.
  kernels::lend_blas_threads();
  if (calls) raise_failure(*calls);
}

void RuntimeState::warn_of_end(const std::optional<Error>& failure, bool lost) {
  const auto warn = runtime_->backend().warn();
  if (!warn || (!failure && !end_.calls_lost)) return;
  // Tasks that were cancelled by the end of the runtime did not fail. If there are only such tasks, warn only if the
  // program has not asked for the end.
  const bool went_wrong = failure && (failure->code() != ErrorCode::cancelled || !exceptions_.empty());
  if (went_wrong) {
    warn(fmt::format(
        "a runtime has ended, and the program had not asked what became of its tasks (wait() says it, and so does a "
        "'with' block that no exception leaves): {}",
        failure->what()));
  } else if (lost) {
    warn(
        "a runtime was left open, and tasks that had not begun were cancelled when the program ended: wait() or a "
        "'with' block waits for them");
  }
}

void RuntimeState::close(bool cancel, bool lost) {
  if (runtime_ == nullptr || end_.closing) return;
  const auto self = shared_from_this();
  if (foreign()) {
    // In a forked process the runtime's threads do not exist, so the runtime cannot end. Keep it forever.
    [[maybe_unused]] static auto* const left = new std::vector<std::shared_ptr<RuntimeState>>;
    left->push_back(self);
    return;
  }
  if (in_kernel() == this) raise(ErrorCode::wait_in_kernel, "a kernel tried to end the runtime that runs it");
  end_.closing = true;
  Ending ending = end_tasks(cancel);
  if (!ending.over) {
    end_.closing = false;
    end_.abandoned = true;
    throw *ending.interrupted;
  }
  std::optional<Error>& failure = ending.failure;
  const auto runtime = runtime_;
  if (!trace_file_.empty()) {
    try {
      const WithoutGil without;
      Trace trace = runtime->take_trace();
      const auto description = traces::describe("Python", trace, runtime->report());
      traces::write_trace(trace_file_, std::move(trace), description).value_or_throw();
    } catch (const Error& error) {
      if (!failure) failure = error;
    }
  }
  settle_runs();
  if (runs_.watcher.joinable()) {
    const WithoutGil without;
    runs_.watcher.join();
  }
  const std::optional<Error> calls = take_failed_calls();
  if (!failure) failure = calls;
  if (cancel) warn_of_end(failure, lost);
  // From here on, the runtime's own end has no failures to warn of.
  if (graph_ != nullptr) graph_->failures().told(nullptr);
  destroy();
  if (ending.interrupted) throw *ending.interrupted;
  if (failure && !cancel) raise_failure(*failure);
}

void RuntimeState::warn_of_running_kernels() {
  const auto runtime = runtime_;
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (!idle(*runtime)) {
    if (std::chrono::steady_clock::now() >= patience) {
      const auto warn = runtime->backend().warn();
      if (!warn) return;
      return warn(
          "the end of a runtime waits for kernels that still run, and has cancelled what has not begun: Ctrl-C ends "
          "kernels and functions in Python, those in C run to their end");
    }
    {
      const WithoutGil without;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  }
}

RuntimeState::Ending RuntimeState::end_tasks(bool cancel) {
  const auto keep = runtime_;
  Ending ending;
  // On a service, and where tasks run in the waiting thread, an interrupt ends no kernels.
  const bool may_tell = nests() && !runs_in_waiting_thread_;
  bool user_waits = end_.by_exception && may_tell;
  const auto wait = [&](const std::function<void()>& function) {
    try {
      wait_without_lock(function);
    } catch (const Error& error) {
      if (!ending.failure) ending.failure = error;
    }
  };
  // A failure that the program knows from a future is no news at the end.
  const std::function<void()> wait_for_news = [&] {
    if (graph_ == nullptr) return keep->wait();
    graph_->wait_all(graph::FailureLog::Summary::untold).value_or_throw();
  };
  for (;;) {
    try {
      // Kernels may submit until the last task has ended.
      if (!cancel) wait(wait_for_news);
      if (cancel && user_waits) {
        user_waits = false;
        keep->cancel();
        warn_of_running_kernels();
      }
      wait([&] {
        if (cancel) keep->cancel();
        keep->backend().stop_submissions().value_or_throw();
        wait_for_news();
      });
      return ending;
    } catch (py::error_already_set& interrupted) {
      ending.interrupted = interrupted;
      if (cancel && !end_kernels()) {
        ending.over = false;
        return ending;
      }
      // An interrupt means that the user wants to stop, so cancel the tasks that have not begun.
      user_waits = !cancel && may_tell;
      cancel = true;
    }
  }
}

void RuntimeState::destroy() {
  // Other Python threads may run while this thread waits below. From here on, their calls fail because the runtime has
  // ended.
  const auto ended = std::exchange(runtime_, nullptr);
  graph::TaskGraph* const graph = std::exchange(graph_, nullptr);
  arrays_.clear();
  known_ = {};
  rebound_ = {};
  forget_dropped(*ended, graph, true);
  auto& all = open_runtimes();
  std::erase_if(all, [this](const auto& other) { return other.get() == this; });
  {
    const std::lock_guard lock(dropped_mutex_);
    dropped_.clear();
  }
  collect_disposed();
}

bool RuntimeState::idle(const Runtime& runtime) {
  const Progress progress = runtime.progress();
  return progress.submitted == progress.ended;
}

bool RuntimeState::end_kernels() {
  if (!open() || runs_in_waiting_thread_) return true;
  const auto runtime = runtime_;
  [[maybe_unused]] const Result<void> stopped = runtime->backend().stop_submissions();
  runtime->cancel();
  const auto end_soon = [&] {
    // Two seconds are longer than most kernels take, and short enough for a user who waits.
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    const WithoutGil without;
    for (;;) {
      if (idle(*runtime)) return true;
      if (std::chrono::steady_clock::now() >= patience) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  if (end_soon()) return true;
  for (const KernelThread& kernel : kernel_threads()) {
    if (kernel.runtime == this) PyThreadState_SetAsyncExc(kernel.thread, PyExc_SystemExit);
  }
  return end_soon();
}

void RuntimeState::close_all() {
  // Runtimes that cannot end, because their workers are in kernels that do not end. They are kept forever.
  static auto* const left = new std::vector<std::shared_ptr<RuntimeState>>;
  while (!open_runtimes().empty()) {
    const auto state = open_runtimes().back();
    open_runtimes().pop_back();
    try {
      // Do not wait for a runtime that was abandoned after an interrupt and still has running kernels.
      if (state->end_.abandoned && state->open() && !idle(*state->runtime_)) {
        left->push_back(state);
        continue;
      }
      const bool lost = state->open() && !state->end_.in_block && !idle(*state->runtime_);
      state->end_.unasked = true;
      state->end_kernels();
      state->close(true, lost);
    } catch (py::error_already_set& error) {
      error.discard_as_unraisable("the end of a Troupe runtime");
    } catch (const std::exception&) {
      // At the interpreter's end there is no way to report the failure.
    }
    if (state->open()) left->push_back(state);
  }
  end_watching();
  collect_disposed();
}

RuntimeState* RuntimeState::in_kernel() { return kernel_task == nullptr ? nullptr : kernel_task->runtime; }
TaskCell* RuntimeState::innermost_task() { return kernel_task; }
TaskCell* RuntimeState::task_here() const { return in_kernel() == this ? kernel_task : nullptr; }
RuntimeState::AsProgram::AsProgram(const RuntimeState& runtime) {
  const TaskCell* const task = runtime.task_here();
  if (task != nullptr && task->plain && !task->nested) scope_.emplace(runtime.graph_);
}
RuntimeState::KernelScope::KernelScope(TaskCell& task, const KernelContext& context)
    : outer_(std::exchange(kernel_task, &task)),
      outer_context_(std::exchange(kernel_context, &context)),
      outer_arguments_(std::exchange(kernel_arguments, nullptr)) {
  kernel_threads().push_back({PyThread_get_thread_ident(), task.runtime});
}
RuntimeState::KernelScope::~KernelScope() {
  auto& threads = kernel_threads();
  threads.erase(std::ranges::find(threads, PyThread_get_thread_ident(), &KernelThread::thread));
  kernel_task = outer_;
  kernel_context = outer_context_;
  kernel_arguments = outer_arguments_;
}
void RuntimeState::KernelScope::set_arguments(PyObject* const* arguments) { kernel_arguments = arguments; }
py::handle RuntimeState::KernelScope::argument(std::size_t index) {
  return kernel_arguments == nullptr ? nullptr : kernel_arguments[index];
}
bool RuntimeState::KernelScope::cancelled() { return kernel_context != nullptr && kernel_context->cancelled(); }

}  // namespace troupe::python
