/// A runtime, and what Python needs in addition: the arrays that it knows, the data that wait to be forgotten, and the
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
#include "graph/tasks/home_process.hpp"
#include "python/module/array_data.hpp"
#include "python/module/gil.hpp"
#include "python/module/task_cell.hpp"
#include "troupe/runtime.hpp"

namespace troupe::python {

/// The state of a runtime. The Python objects of the runtime, its data and its futures share it, and all of them may
/// outlive it. All members require the interpreter's lock unless they say otherwise; members that wait release it
/// meanwhile.
class RuntimeState : public std::enable_shared_from_this<RuntimeState> {
 public:
  struct Settings {
    RuntimeOptions options;
    /// The path of the trace that is written when the runtime closes; empty if none is written.
    std::string trace_file;
  };
  static std::shared_ptr<RuntimeState> start(Settings settings);
  /// Takes over the runtime of a service.
  static std::shared_ptr<RuntimeState> adopt(std::unique_ptr<Runtime> runtime);

  RuntimeState() = default;
  RuntimeState(const RuntimeState&) = delete;
  RuntimeState& operator=(const RuntimeState&) = delete;

  /// Returns the runtime, and keeps it alive while a call without the lock goes on. Throws `Stopped` if the runtime has
  /// ended, and `RuntimeError` in a process that was forked from the one that started it.
  [[nodiscard]] std::shared_ptr<Runtime> runtime() const;
  [[nodiscard]] bool open() const { return runtime_ != nullptr && !foreign(); }
  /// Returns true if an interrupt has left the runtime while kernels that do not end went on: then only the program's
  /// own calls still wait for it.
  [[nodiscard]] bool abandoned() const { return abandoned_; }
  /// Returns true if this process was forked from the one that started the runtime.
  [[nodiscard]] bool foreign() const;
  /// Throws in a forked process.
  void require_own_process() const;
  /// Returns true if tasks run in the thread that waits.
  [[nodiscard]] bool runs_in_waiting_thread() const { return runs_in_waiting_thread_; }

  // Data.
  /// Returns the data of this array, and registers the array if it is not yet registered. The name is given to data
  /// that have none.
  [[nodiscard]] std::shared_ptr<ArrayData> add(const pybind11::array& array, std::string name);
  /// Returns the data of a bare array, which is registered when a task first uses it.
  [[nodiscard]] std::shared_ptr<ArrayData> find_or_add(pybind11::handle array);
  /// Forgets, after their last use, bare arrays that share memory with this one and that only this runtime still has.
  void forget_bare(const pybind11::array& array);
  /// Makes data, wholes and parts, known: from now on they can be found by their array.
  void make_known(const std::shared_ptr<ArrayData>& data) { remember(known_, data); }
  /// Waits for the last use, and releases the data.
  void release(const Handle& handle);
  /// Forgets the data when their last task has ended, and then drops the array. Any thread may call, with the lock or
  /// without.
  void drop(const Handle& handle, KeptObject array) noexcept;

  // Tasks.
  /// Notes that one more task is about to be submitted. Returns false if the window may be full, so that submitting may
  /// have to wait.
  [[nodiscard]] bool has_room();
  /// Submits a task; releases the lock if that may have to wait.
  Future submit(const Codelet& codelet, std::span<const Access> accesses, const Arguments& arguments,
                const TaskOptions& options);
  /// Waits for all tasks. Throws the failures.
  void wait();
  /// Waits for all tasks, ends the runtime, and then throws the failures. `cancel` is true if tasks that have not begun
  /// are cancelled. `lost` is true if nobody has asked for the end, which is worth a warning.
  void close(bool cancel, bool lost = false);
  /// Says that a 'with' block waits for the tasks from now on. If the interpreter ends before the block does, the block
  /// is a daemon thread's.
  void enter_block() { in_block_ = true; }

  /// Begins to record the calling thread's submissions, until `end_recording`.
  void begin_recording(std::string name);
  /// The result of a recording of the calling thread: the recorded tasks, with their cells.
  struct Recorded {
    std::shared_ptr<client::RecordedTasks> tasks;
    std::shared_ptr<std::vector<CellReference>> cells;
    /// The numbers of the handles that tasks write.
    std::unordered_set<std::uint64_t> written = {};
  };
  [[nodiscard]] Recorded end_recording();
  /// Records the submissions of `program`. On a service this is the only way to record.
  [[nodiscard]] Recorded record(const std::function<void()>& program, std::string name);
  /// A run that was submitted. Its cell ends after the run, as soon as somebody looks (`settle_runs`).
  struct Run {
    Future future;
    CellReference cell;
  };
  /// Submits one run. `now` holds the new data of the rebindings; they are kept until the run has ended.
  [[nodiscard]] Run run(const Recorded& recorded, std::span<const Rebinding> rebindings,
                        const std::vector<std::shared_ptr<ArrayData>>& now);
  /// Returns the data at this address that last stood for others in a run; null if there are none.
  [[nodiscard]] std::shared_ptr<ArrayData> rebound(const void* address) const;
  /// Ends the cells of runs that have ended. Must not be called in a kernel. The lock may be held or not.
  void settle_runs();
  /// Makes a thread settle the runs from now on, until none is left.
  void watch_runs();

  /// Returns true if the calling thread is recording.
  [[nodiscard]] bool recording_here() const {
    return recording_thread_ != 0 && recording_thread_ == PyThread_get_thread_ident();
  }
  /// The cells of tasks in the current recording.
  std::vector<CellReference> recorded_cells;

  // The next functions handle the exceptions that kernels in Python raised since the last wait.
  void add_exception(pybind11::object exception);
  [[nodiscard]] pybind11::list take_exceptions();

  /// Returns the runtime whose kernel in Python the calling thread runs, or null.
  static RuntimeState* in_kernel();
  class KernelScope {
   public:
    explicit KernelScope(RuntimeState* runtime);
    ~KernelScope();
    KernelScope(const KernelScope&) = delete;
    KernelScope& operator=(const KernelScope&) = delete;

   private:
    RuntimeState* outer_;
  };

  /// Ends all open runtimes; the interpreter calls this at its end.
  static void close_all();

 private:
  /// A piece of data whose owner has gone.
  struct Dropped {
    Handle handle;
    KeptObject array;
    /// The hold that is granted when the last use of the data has ended.
    std::unique_ptr<graph::PendingHold> pending = nullptr;
    std::shared_ptr<std::atomic<bool>> unused = nullptr;
  };

  /// Data by their addresses. Data that have gone are removed when the table has `look_through_at` entries.
  struct DataByAddress {
    /// The map allows equal addresses: a whole and its first part have the same.
    std::unordered_multimap<const void*, std::weak_ptr<ArrayData>> data = {};
    std::size_t look_through_at = 64;
  };
  static void remember(DataByAddress& all, const std::shared_ptr<ArrayData>& data);
  /// Returns the data of exactly these elements; null if none are registered.
  [[nodiscard]] std::shared_ptr<ArrayData> known(const pybind11::array& array) const;
  [[nodiscard]] std::shared_ptr<ArrayData> register_array(const pybind11::array& array, std::string name);

  void set(std::unique_ptr<Runtime> runtime);
  void require_no_recording() const;
  /// Calls `wait` without the interpreter's lock. An exception of a Python signal handler (Ctrl-C) ends the wait.
  template <class Wait>
  void wait_without_lock(const Wait& wait);
  /// Returns the recording, with the cells that were made meanwhile.
  [[nodiscard]] Recorded recorded_by(std::shared_ptr<client::RecordedTasks> tasks);
  /// Cancels tasks that have not begun, and ends kernels in Python that run for longer than a moment. Returns false if
  /// kernels go on.
  bool end_kernels();
  [[nodiscard]] static bool idle(const Runtime& runtime);
  /// The result of `end_tasks`, which waits until all tasks have ended, and stops the runtime. The first interrupt
  /// cancels tasks that have not begun; another one ends kernels in Python.
  struct Ending {
    /// False if kernels go on nevertheless.
    bool over = true;
    std::optional<Error> failure = {};
    std::optional<pybind11::error_already_set> interrupted = {};
  };
  [[nodiscard]] Ending end_tasks(bool cancel);
  [[noreturn]] void raise_failure(const Error& error);
  /// Warns of failures that nobody can be told of in another way.
  void warn_of_end(const std::optional<Error>& failure, bool lost);
  /// Forgets dropped data that are not in use any more. Waits only if `waits` is true.
  void forget_dropped(bool waits);
  void forget_dropped(Runtime& runtime, graph::TaskGraph* graph, bool waits);
  void forget_unused_arrays();
  void destroy();

  std::shared_ptr<Runtime> runtime_;
  /// The process that started the runtime.
  const graph::HomeProcess home_;
  bool runs_in_waiting_thread_ = false;
  bool closing_ = false;
  bool abandoned_ = false;
  bool in_block_ = false;
  std::unique_ptr<client::EmbeddedBackend::OpenRecording> recording_;
  /// The thread that records; 0 if none does.
  unsigned long recording_thread_ = 0;
  std::string trace_file_;
  std::size_t window_ = 0;
  /// The task graph of a runtime in this process; null for a service.
  graph::TaskGraph* graph_ = nullptr;
  /// The number of submissions until the tasks in flight are counted again.
  std::uint32_t until_count_ = 0;
  /// Bare arrays, which the runtime keeps alive.
  std::unordered_map<PyObject*, std::shared_ptr<ArrayData>> arrays_;
  /// When there are this many bare arrays, the runtime forgets the arrays that nobody else has.
  std::size_t look_through_arrays_at_ = 64;
  DataByAddress known_;
  /// Data that stand for others in runs.
  DataByAddress rebound_;
  std::vector<KeptObject> exceptions_;

  /// The data that are being forgotten. Requires the interpreter's lock.
  std::vector<Dropped> forgetting_;
  std::mutex runs_mutex_;
  std::vector<Run> runs_;
  std::thread runs_thread_;
  std::atomic<bool> runs_watched_{false};
  std::mutex dropped_mutex_;
  std::vector<Dropped> dropped_;
};

}  // namespace troupe::python
