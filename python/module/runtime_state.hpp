/// A runtime with what Python needs beside it: which arrays it knows, what waits for being forgotten, what kernels
/// raised.
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
#include "client/runtime.hpp"
#include "graph/task_graph.hpp"
#include "graph/tasks/home_process.hpp"
#include "python/module/array_data.hpp"
#include "python/module/gil.hpp"
#include "python/module/task_cell.hpp"

namespace troupe::python {

/// Shared by the Python objects of a runtime, its data and its futures, all of which may outlive it. All members but
/// those that say otherwise are called with the interpreter's lock; those that wait give it away meanwhile.
class RuntimeState : public std::enable_shared_from_this<RuntimeState> {
 public:
  struct Settings {
    RuntimeOptions options;
    /// Where the trace is written when the runtime closes; empty: nowhere.
    std::string trace_file;
  };
  static std::shared_ptr<RuntimeState> start(Settings settings);
  /// Of a service.
  static std::shared_ptr<RuntimeState> adopt(std::unique_ptr<Runtime> runtime);

  RuntimeState() = default;
  RuntimeState(const RuntimeState&) = delete;
  RuntimeState& operator=(const RuntimeState&) = delete;

  /// Throws `Stopped` where the runtime has ended, and `RuntimeError` in a process that was forked from the one that
  /// started it. What it returns keeps the runtime while a call without the lock goes on.
  [[nodiscard]] std::shared_ptr<Runtime> runtime() const;
  [[nodiscard]] bool open() const { return runtime_ != nullptr && !foreign(); }
  /// An interrupt has left it while kernels went on that do not end: nobody waits for it again unasked.
  [[nodiscard]] bool abandoned() const { return abandoned_; }
  /// This process was forked from the one that started the runtime.
  [[nodiscard]] bool foreign() const;
  /// Throws in such a process.
  void require_own_process() const;
  /// Tasks run in the thread that waits.
  [[nodiscard]] bool runs_in_waiting_thread() const { return runs_in_waiting_thread_; }

  // Data.
  /// The data that this array is, which are registered where they are not yet. A name is given to data without one.
  [[nodiscard]] std::shared_ptr<ArrayData> add(const pybind11::array& array, std::string name);
  /// That of a bare array: registered when a task first uses it.
  [[nodiscard]] std::shared_ptr<ArrayData> find_or_add(pybind11::handle array);
  /// Forgets bare arrays that share memory with this one, and that only this runtime still has, after their last use.
  void forget_bare(const pybind11::array& array);
  /// Data, wholes and parts, that can be found by their array from now on.
  void make_known(const std::shared_ptr<ArrayData>& data) { remember(known_, data); }
  /// Waits for the last use.
  void release(const Handle& handle);
  /// Forgets the data when their last task has ended, and then the array. Any thread, with the lock or without.
  void drop(const Handle& handle, KeptObject array) noexcept;

  // Tasks.
  /// One more task is about to be submitted. False: the window may be full, so that submitting may have to wait.
  [[nodiscard]] bool has_room();
  /// Submits without the lock where that may have to wait.
  Future submit(const Codelet& codelet, std::span<const Access> accesses, const Arguments& arguments,
                const TaskOptions& options);
  /// Waits for all tasks. Throws what failed.
  void wait();
  /// Waits for all tasks, ends the runtime. Throws what failed, when that is done. `cancel`: tasks that have not begun
  /// are cancelled. `lost`: nobody had asked for that, and it is worth a warning.
  void close(bool cancel, bool lost = false);
  /// A 'with' block waits for the tasks from now on. Where the interpreter ends before the block, it is a daemon
  /// thread's.
  void enter_block() { in_block_ = true; }

  /// What the calling thread submits is recorded until `end_recording`.
  void begin_recording(std::string name);
  /// Ends the recording of the calling thread, and returns what it recorded, with the cells of its tasks.
  struct Recorded {
    std::shared_ptr<client::RecordedTasks> tasks;
    std::shared_ptr<std::vector<CellReference>> cells;
    /// Numbers of the handles that tasks write.
    std::unordered_set<std::uint64_t> written = {};
  };
  [[nodiscard]] Recorded end_recording();
  /// Records what `program` submits. The only way on a service.
  [[nodiscard]] Recorded record(const std::function<void()>& program, std::string name);
  /// Submits one run. The cell that it returns ends with it, as soon as somebody looks (`settle_runs`).
  struct Run {
    Future future;
    CellReference cell;
  };
  /// `now`: the data of the rebindings, which are kept until the run has ended.
  [[nodiscard]] Run run(const Recorded& recorded, std::span<const Rebinding> rebindings,
                        const std::vector<std::shared_ptr<ArrayData>>& now);
  /// The data at this address that last stood for others in a run; null: none.
  [[nodiscard]] std::shared_ptr<ArrayData> rebound(const void* address) const;
  /// Ends the cells of runs that have ended. Not in a kernel. With the lock or without.
  void settle_runs();
  /// From now on a thread does, until none is left.
  void watch_runs();

  /// The calling thread is recording.
  [[nodiscard]] bool recording_here() const {
    return recording_thread_ != 0 && recording_thread_ == PyThread_get_thread_ident();
  }
  /// Cells of tasks that are recorded now.
  std::vector<CellReference> recorded_cells;

  // What kernels in Python raised since the last wait.
  void add_exception(pybind11::object exception);
  [[nodiscard]] pybind11::list take_exceptions();

  /// The runtime whose kernel in Python the calling thread runs, or null.
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

  /// Ends all runtimes that are open, as the interpreter does.
  static void close_all();

 private:
  /// A piece of data whose owner has gone.
  struct Dropped {
    Handle handle;
    KeptObject array;
    /// The end of its last use is waited for.
    std::unique_ptr<graph::PendingHold> pending = nullptr;
    std::shared_ptr<std::atomic<bool>> unused = nullptr;
  };

  /// Data by where they lie; those that have gone leave it when there are so many.
  struct DataByAddress {
    /// A whole and its first part have the same address.
    std::unordered_multimap<const void*, std::weak_ptr<ArrayData>> data = {};
    std::size_t look_through_at = 64;
  };
  static void remember(DataByAddress& all, const std::shared_ptr<ArrayData>& data);
  /// Data of exactly these elements; null: none are registered.
  [[nodiscard]] std::shared_ptr<ArrayData> known(const pybind11::array& array) const;
  [[nodiscard]] std::shared_ptr<ArrayData> register_array(const pybind11::array& array, std::string name);

  void set(std::unique_ptr<Runtime> runtime);
  void require_no_recording() const;
  /// Waits without the lock; the signals of the terminal end the wait.
  template <class Wait>
  void wait_without_lock(const Wait& wait);
  /// With the cells that were made meanwhile.
  [[nodiscard]] Recorded recorded_by(std::shared_ptr<client::RecordedTasks> tasks);
  /// Cancels what has not begun, and ends kernels in Python that go on for longer than a moment. False: kernels go on.
  bool end_kernels();
  [[nodiscard]] static bool idle(const Runtime& runtime);
  /// Waits until all tasks have ended, and stops. The first interrupt cancels what has not begun; another one ends
  /// kernels in Python.
  struct Ending {
    /// False: kernels go on nevertheless.
    bool over = true;
    std::optional<Error> failure = {};
    std::optional<pybind11::error_already_set> interrupted = {};
  };
  [[nodiscard]] Ending end_tasks(bool cancel);
  [[noreturn]] void raise_failure(const Error& error);
  /// Warns of what nobody is left to be told in another way.
  void warn_of_end(const std::optional<Error>& failure, bool lost);
  /// Forgets what has been dropped and is not in use any more. Does not wait, unless `waits`.
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
  /// 0: none records.
  unsigned long recording_thread_ = 0;
  std::string trace_file_;
  std::size_t window_ = 0;
  /// Null: of a service.
  graph::TaskGraph* graph_ = nullptr;
  /// Submissions until the tasks in flight are counted again.
  std::uint32_t until_count_ = 0;
  /// Bare arrays, which the runtime keeps.
  std::unordered_map<PyObject*, std::shared_ptr<ArrayData>> arrays_;
  /// Those that nobody else has any more are forgotten when there are so many.
  std::size_t look_through_arrays_at_ = 64;
  DataByAddress known_;
  /// Data that stand for others in runs.
  DataByAddress rebound_;
  std::vector<KeptObject> exceptions_;

  /// Being forgotten; with the interpreter's lock.
  std::vector<Dropped> forgetting_;
  std::mutex runs_mutex_;
  std::vector<Run> runs_;
  std::thread runs_thread_;
  std::atomic<bool> runs_watched_{false};
  std::mutex dropped_mutex_;
  std::vector<Dropped> dropped_;
};

}  // namespace troupe::python
