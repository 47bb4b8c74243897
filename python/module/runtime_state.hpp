/// A runtime and the additional state for Python: registered arrays, data whose registration is ending, and the
/// exceptions of kernels.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "client/embedded_backend.hpp"
#include "graph/task_graph.hpp"
#include "graph/tasks/calling_thread.hpp"
#include "graph/tasks/home_process.hpp"
#include "graph/tasks/task_specification.hpp"
#include "python/module/array_data.hpp"
#include "python/module/gil.hpp"
#include "python/module/task_cell.hpp"
#include "troupe/runtime.hpp"

namespace troupe::python {

/// The state of a runtime. The Python objects of the runtime, its data and its futures share the state, and may all
/// outlive the runtime. All members require the interpreter's lock unless they say otherwise. Members that wait release
/// the lock meanwhile.
class RuntimeState : public std::enable_shared_from_this<RuntimeState> {
 public:
  struct Settings {
    RuntimeOptions options;
    /// The path of the trace that is written when the runtime closes; empty if none is written.
    std::string trace_file;
  };
  static std::shared_ptr<RuntimeState> start(Settings settings);
  /// Makes a state from a runtime on a service.
  static std::shared_ptr<RuntimeState> adopt(std::unique_ptr<Runtime> runtime);

  RuntimeState() = default;
  RuntimeState(const RuntimeState&) = delete;
  RuntimeState& operator=(const RuntimeState&) = delete;

  /// Returns the runtime. The pointer keeps the runtime alive during calls without the interpreter's lock. Throws
  /// `Stopped` if the runtime has ended, and `RuntimeError` in a process that was forked from the process that started
  /// the runtime.
  [[nodiscard]] std::shared_ptr<Runtime> runtime() const;
  [[nodiscard]] bool open() const { return runtime_ != nullptr && !foreign(); }
  /// Returns true if the end of the runtime was interrupted while kernels that do not end were running. Then the end of
  /// the interpreter does not wait for the runtime; only explicit calls of the program wait.
  [[nodiscard]] bool abandoned() const { return end_.abandoned; }
  /// Returns true if this process was forked from the process that started the runtime.
  [[nodiscard]] bool foreign() const;
  /// Throws in a forked process.
  void require_own_process() const;
  /// Returns true if tasks run in the thread that waits.
  [[nodiscard]] bool runs_in_waiting_thread() const { return runs_in_waiting_thread_; }

  // Data.
  /// Returns the data of this array, and registers the array if it is not yet registered. If the data have no name,
  /// they get this name.
  [[nodiscard]] std::shared_ptr<ArrayData> add(const pybind11::array& array, std::string name);
  /// Returns the data of a bare array: an array that is passed to a task without `Runtime.data`. Registers the array
  /// when a task first uses it, and again when the program has changed its shape, strides or dtype.
  [[nodiscard]] std::shared_ptr<ArrayData> find_or_add(pybind11::handle array);
  /// Returns true if the task in whose kernel the thread is, or a nested task around it, declares these data or data
  /// around them.
  [[nodiscard]] bool declares_here(const ArrayData& data) const;
  /// Ends, after their last use, the registrations of bare arrays that share memory with this array and to which only
  /// this runtime still refers. Waits for tasks that use such arrays.
  void forget_bare(const pybind11::array& array);
  /// Adds data (a whole array or a part) to the table in which data are found by their array.
  void make_known(const std::shared_ptr<ArrayData>& data) { remember(known_, data); }
  /// Waits for the last use of the data, and releases them.
  void release(const Handle& handle);
  /// Ends the registration when the last task on the data has ended, and then drops the array. Any thread may call
  /// this, with or without the interpreter's lock.
  void drop(const Handle& handle, KeptObject array) noexcept;

  // Tasks.
  /// Notes that one more task is about to be submitted. Returns false if the submission window may be full, so that
  /// submitting may have to wait.
  [[nodiscard]] bool has_room();
  /// Submits a task; releases the interpreter's lock if the submission may have to wait.
  Future submit(const graph::TaskSpecification& specification);
  /// Returns true if tasks of this runtime may be nested, that is, if the runtime is in this process.
  [[nodiscard]] bool nests() const { return graph_ != nullptr; }
  /// Returns true if a function of `Runtime.call` may call further functions and wait for their results. For that, the
  /// runtime must be in this process and run in real time: it is neither a service nor a simulation.
  [[nodiscard]] bool calls() const { return calls_; }
  /// Returns the task graph of a runtime in this process; null for a service.
  [[nodiscard]] graph::TaskGraph* graph() const { return graph_; }
  /// Waits for all tasks, or in a kernel for the children of its task. Throws the failures of the tasks that it waited
  /// for.
  void wait();
  /// Calls `wait` without the interpreter's lock. An exception of a Python signal handler (Ctrl-C) gives up the wait in
  /// which it finds the thread (`graph::WaitInterrupt`), and is thrown when `wait` has returned or thrown.
  static void wait_without_lock(const std::function<void()>& wait);
  /// Waits for all tasks, ends the runtime, and then throws the failures. `cancel` is true if tasks that have not begun
  /// are cancelled. `lost` is true if the program has not asked for the end, so that failures become a warning.
  void close(bool cancel, bool lost = false);
  /// Notes that a 'with' block will wait for the tasks. If the interpreter ends although the block has not ended, the
  /// block is in a daemon thread.
  void enter_block() { end_.in_block = true; }
  /// Ends the runtime at the end of a 'with' block, which may have ended with an exception.
  void leave_block(bool by_exception) {
    end_.by_exception = by_exception;
    close(by_exception);
  }

  /// Begins to record the calling thread's submissions, until `end_recording`.
  void begin_recording(std::string name);
  /// The result of a recording of the calling thread: the recorded tasks, and their cells (`TaskCell`).
  struct Recorded {
    std::shared_ptr<client::RecordedTasks> tasks;
    std::shared_ptr<std::vector<CellReference>> cells;
    /// The numbers of the handles that tasks write.
    std::unordered_set<std::uint64_t> written = {};
    /// The data of the tasks, without repetitions. The cells own them.
    std::vector<const ArrayData*> data = {};
  };
  [[nodiscard]] Recorded end_recording();
  /// Records the submissions of `program`. On a service this is the only way to record.
  [[nodiscard]] Recorded record(const std::function<void()>& program, std::string name);
  /// A run that was submitted. After the run, `settle_runs` marks its cell as ended.
  struct Run {
    Future future;
    CellReference cell;
  };
  /// Submits one run. `now` has the new data of the rebindings, which are kept alive until the run has ended.
  [[nodiscard]] Run run(const Recorded& recorded, std::span<const Rebinding> rebindings,
                        const std::vector<std::shared_ptr<ArrayData>>& now);
  /// Returns the data at this address that were last used in a run in place of recorded data; null if there are none.
  [[nodiscard]] std::shared_ptr<ArrayData> rebound(const void* address) const;
  /// Marks the cells of runs that have ended. Must not be called in a kernel. May be called with or without the
  /// interpreter's lock.
  void settle_runs();
  /// Starts a thread that calls `settle_runs` until there are no more runs.
  void watch_runs();

  /// Returns true if the calling thread is recording.
  [[nodiscard]] bool recording_here() const {
    return recording_thread_ != 0 && recording_thread_ == PyThread_get_thread_ident();
  }
  /// The cells of tasks in the current recording.
  std::vector<CellReference> recorded_cells;

  // The next functions are for the exceptions that kernels in Python raised since the last wait.
  void add_exception(pybind11::object exception);
  [[nodiscard]] pybind11::list take_exceptions();
  /// Keeps a call of a plain function that failed, until the program gets its exception or waits for all tasks. Keeps
  /// at most as many calls as exceptions of kernels.
  void add_failed_call(CellReference call);
  /// Called when a call was cancelled, without the interpreter's lock: notes that calls are lost because the
  /// interpreter ends. The graph does not report cancelled calls.
  void call_was_cancelled() noexcept {
    if (end_.unasked) end_.calls_lost = true;
  }
  /// Called when the program gets the exception of a failed call, so that waits do not report this call any more.
  void forget_failed_call(const TaskCell& call);

  /// Returns the runtime whose kernel in Python the calling thread runs, or null.
  static RuntimeState* in_kernel();
  /// Returns the task whose kernel in Python the calling thread runs, or null.
  [[nodiscard]] static TaskCell* innermost_task();
  /// Returns the task of this runtime whose kernel in Python the calling thread runs, or null.
  [[nodiscard]] TaskCell* task_here() const;
  /// While an `AsProgram` lives in a function of `Runtime.call`, the data and tasks that the calling thread registers
  /// and submits belong to the program, not to the call: a call names no data, so its children could use none. An
  /// `AsProgram` has no effect in nested tasks, in other kernels, and outside of kernels.
  class AsProgram {
   public:
    explicit AsProgram(const RuntimeState& runtime);

   private:
    std::optional<graph::UnboundedSubmission> scope_;
  };
  class KernelScope {
   public:
    KernelScope(TaskCell& task, const KernelContext& context);
    ~KernelScope();
    KernelScope(const KernelScope&) = delete;
    KernelScope& operator=(const KernelScope&) = delete;

    /// Returns true if this thread runs a Python kernel or function whose task is not wanted any more.
    [[nodiscard]] static bool cancelled();
    /// Sets the arguments with which the kernel is called: first an array for each of its data.
    void set_arguments(PyObject* const* arguments);
    /// Returns an argument of the kernel that this thread runs; null if they are not set.
    [[nodiscard]] static pybind11::handle argument(std::size_t index);

   private:
    TaskCell* outer_;
    const KernelContext* outer_context_;
    PyObject* const* outer_arguments_;
  };

  /// Ends all open runtimes; the interpreter calls this at its end.
  static void close_all();

 private:
  /// Data whose last owner was destroyed.
  struct Dropped {
    Handle handle;
    KeptObject array;
    /// Represents the wait for the last use of the data.
    std::unique_ptr<graph::PendingHold> pending = nullptr;
    std::shared_ptr<std::atomic<bool>> unused = nullptr;
  };

  /// Data by their addresses. When the table has `look_through_at` entries, entries of destroyed data are removed.
  struct DataByAddress {
    /// Several data can have the same address, such as an array and its first part.
    std::unordered_multimap<const void*, std::weak_ptr<ArrayData>> data = {};
    std::size_t look_through_at = 64;
  };
  static void remember(DataByAddress& all, const std::shared_ptr<ArrayData>& data);
  /// Returns the data of exactly these elements; null if none are registered.
  [[nodiscard]] std::shared_ptr<ArrayData> known(const pybind11::array& array) const;
  /// Returns those data among the declared ones (`declares_here`) that can be used for the array; null if there are
  /// none. Since the task was submitted, other data may have got the same elements (`repartition`), which its kernel
  /// must not use.
  [[nodiscard]] std::shared_ptr<ArrayData> declared_here(const pybind11::array& array) const;
  /// Returns the first data that the task in whose kernel the thread is, or a nested task around it, declares and for
  /// which `is_wanted` returns true; null if there are none.
  [[nodiscard]] std::shared_ptr<ArrayData> find_declared(
      const std::function<bool(const ArrayData& data)>& is_wanted) const;
  [[nodiscard]] std::shared_ptr<ArrayData> register_array(const pybind11::array& array, std::string name);

  void set(std::unique_ptr<Runtime> runtime);
  void require_no_recording() const;
  /// Returns the recorded tasks, with the cells that were made during the recording.
  [[nodiscard]] Recorded recorded_by(std::shared_ptr<client::RecordedTasks> tasks);
  /// Cancels tasks that have not begun, and then raises an exception in kernels in Python that do not end soon. Returns
  /// false if kernels still run.
  bool end_kernels();
  [[nodiscard]] static bool idle(const Runtime& runtime);
  /// The result of `end_tasks`, which waits until all tasks have ended, and stops the runtime. The first interrupt
  /// cancels tasks that have not begun; a second interrupt ends kernels in Python.
  struct Ending {
    /// False if kernels still run.
    bool over = true;
    std::optional<Error> failure = {};
    std::optional<pybind11::error_already_set> interrupted = {};
  };
  [[nodiscard]] Ending end_tasks(bool cancel);
  /// Warns the user, who waits for the end of the program, if kernels still run after two seconds.
  void warn_of_running_kernels();
  /// Waits, in a kernel, for the children of its task.
  void wait_for_children();
  [[noreturn]] void raise_failure(const Error& error);
  /// Forgets the calls of plain functions that failed. The exceptions that the program has not got count as exceptions
  /// of kernels, and are summarized in the result, which is empty if there are none.
  [[nodiscard]] std::optional<Error> take_failed_calls();
  /// Warns of failures that cannot be reported in another way.
  void warn_of_end(const std::optional<Error>& failure, bool lost);
  /// Ends the registrations of dropped data that are not in use any more. Waits for data in use only if `waits` is
  /// true.
  void forget_dropped(bool waits);
  void forget_dropped(Runtime& runtime, graph::TaskGraph* graph, bool waits);
  void forget_unused_arrays();
  /// Ends the registration of a bare array whose shape, strides or dtype the program has changed, after the last use of
  /// the data. Throws `InvalidHandle` if something else than tasks uses the data, and in kernels, which cannot wait.
  void forget_former(const std::shared_ptr<ArrayData>& data);
  void wait_for_tasks_on(const ArrayData& data);
  void destroy();

  std::shared_ptr<Runtime> runtime_;
  /// The process that started the runtime.
  const graph::HomeProcess home_;
  bool runs_in_waiting_thread_ = false;
  bool calls_ = false;
  /// The way in which the runtime ends, or has ended.
  struct EndState {
    bool closing = false;
    bool abandoned = false;
    bool in_block = false;
    /// True if an exception of the program ends the runtime.
    bool by_exception = false;
    /// True if the end of the interpreter ends the runtime. `calls_lost` is true if this has cancelled calls.
    std::atomic<bool> unasked{false};
    std::atomic<bool> calls_lost{false};
  };
  EndState end_;
  std::unique_ptr<client::EmbeddedBackend::OpenRecording> recording_;
  /// The thread that records; 0 if no thread records.
  unsigned long recording_thread_ = 0;
  std::string trace_file_;
  std::size_t window_ = 0;
  /// The task graph of a runtime in this process; null for a service.
  graph::TaskGraph* graph_ = nullptr;
  /// The number of submissions until the tasks in flight are counted again.
  std::uint32_t until_count_ = 0;
  /// Bare arrays (`find_or_add`), which the runtime keeps alive.
  std::unordered_map<PyObject*, std::shared_ptr<ArrayData>> arrays_;
  /// When there are this many bare arrays, the runtime ends the registration of the arrays to which nothing else
  /// refers.
  std::size_t look_through_arrays_at_ = 64;
  DataByAddress known_;
  /// Data that were used in runs in place of recorded data.
  DataByAddress rebound_;
  std::vector<KeptObject> exceptions_;
  std::vector<CellReference> failed_calls_;

  /// The data whose registration is ending. Requires the interpreter's lock.
  std::vector<Dropped> forgetting_;
  /// The threads that end registrations at this moment (`EndsRegistrations`), in part without the interpreter's lock,
  /// which guards the list.
  class EndsRegistrations;
  std::vector<unsigned long> ending_;
  [[nodiscard]] bool others_end_registrations() const;
  /// The runs of recordings that have not been settled, and the thread that settles them.
  struct Runs {
    std::mutex mutex;
    std::vector<Run> list;
    std::thread watcher;
    std::atomic<bool> watched{false};
  };
  Runs runs_;
  std::mutex dropped_mutex_;
  std::vector<Dropped> dropped_;
};

}  // namespace troupe::python
