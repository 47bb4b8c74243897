/// The backend of a `Runtime`: the place where its tasks run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graph/tasks/call_place.hpp"
#include "graph/tasks/task_specification.hpp"
#include "troupe/data.hpp"
#include "troupe/errors.hpp"
#include "troupe/handle.hpp"
#include "troupe/report.hpp"
#include "troupe/trace.hpp"
#include "troupe/units.hpp"
#include "troupe/why.hpp"

namespace troupe::client {

/// A recorded graph: the implementation behind `RecordedGraph`. Thread-safe.
class RecordedTasks {
 public:
  RecordedTasks() = default;
  virtual ~RecordedTasks() = default;
  RecordedTasks(const RecordedTasks&) = delete;
  RecordedTasks& operator=(const RecordedTasks&) = delete;

  /// `run` does the work of `RecordedGraph::run`, and `size` the work of `RecordedGraph::tasks`.
  virtual Result<Future> run(std::span<const Rebinding> rebindings) = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;
};

/// A function that receives warnings; it must not throw.
using Warn = std::function<void(const std::string&)>;

/// The operations behind the members of `Runtime`, `Data`, `HostAccess` …: each function does the work of the `Runtime`
/// member with the same name, and returns a failure where that member throws. There are two backends: workers in this
/// process (`EmbeddedBackend`), and the service of this node (client/remote/). Thread-safe. The destructor waits for
/// all tasks.
class Backend : public std::enable_shared_from_this<Backend> {
 public:
  Backend() = default;
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  /// The effect of destroying the backend in the calling thread.
  enum class End : std::uint8_t {
    /// The backend waits for its tasks and is destroyed.
    ends,
    /// The process was forked from the process that started the backend. The backend's threads do not exist in this
    /// process, so the backend is not destroyed.
    in_another_process,
    /// The thread is in one of the backend's kernels or callbacks, and the destructor would wait for this kernel or
    /// callback forever. So the backend is not destroyed.
    inside_of_task,
  };
  [[nodiscard]] virtual End end_here() const { return End::ends; }

  /// Sets the function that receives warnings: problems that do not stop the run. It may be null. Call this before any
  /// other thread uses the backend.
  void warn_with(Warn warn) { warn_ = std::move(warn); }
  [[nodiscard]] const Warn& warn() const { return warn_; }

  // The next functions are about data.
  virtual Result<Handle> register_data(graph::DataDescription description) = 0;
  /// Returns false if the runtime runs in virtual time and does not execute kernels; data then need no memory.
  [[nodiscard]] virtual bool data_have_memory() const { return true; }
  /// Returns uninitialized memory, on a NUMA node if `node` is valid and the system allows the choice.
  virtual Result<Memory> allocate(Bytes size, NumaId node) = 0;
  virtual std::shared_ptr<void> pin(const void* memory, Bytes size) = 0;
  virtual Result<std::vector<Handle>> partition(const Handle& whole, std::span<const Block> blocks) = 0;
  virtual Result<std::vector<Handle>> repartition(const Handle& whole, std::span<const Block> blocks) = 0;
  virtual Result<std::vector<Handle>> halos(const Handle& whole, std::span<const Block> blocks, const Rim& rim) = 0;
  /// Returns the layout of registered data, or fails with `invalid_handle`.
  virtual Result<Layout> layout_of(const Handle& handle) = 0;
  virtual Result<void> set_reduction(const Handle& handle, ReductionMethods methods) = 0;
  virtual Result<void> release(const Handle& handle) = 0;
  virtual Result<void> discard(const Handle& handle) = 0;
  /// Ends a registration for the destructor of `Data`, which cannot report a failure; see `TaskGraph::let_go`.
  virtual void let_go(const Handle& handle) noexcept = 0;
  virtual Result<void> set_reuse(const Handle& handle, std::int64_t index) = 0;
  /// Keeps the data in devices' memories as long as the returned object lives.
  virtual Result<std::shared_ptr<void>> keep(const Handle& handle) = 0;

  // The next functions are about tasks.
  virtual Result<Future> submit(const graph::TaskSpecification& specification) = 0;
  /// Returns the owner of the futures that `submit` returns.
  [[nodiscard]] virtual graph::TaskOwner& tasks() = 0;
  /// Returns the task whose kernel the calling thread runs, and whether `Runtime::async` in this kernel is to call its
  /// function directly instead of submitting a task.
  [[nodiscard]] virtual graph::CallPlace call_place() const { return {}; }
  /// Called when a function has returned that `Runtime::async` called directly; see `graph::TaskGraph::end_call`.
  virtual Result<void> end_call(graph::CallPlace& /*place*/, std::uint64_t /*got*/) { return {}; }
  /// Throws what `program` throws.
  virtual Result<std::shared_ptr<RecordedTasks>> record(const std::function<void()>& program, std::string name) = 0;
  /// Called before the runtime is destroyed: waits for all tasks, because tasks may still use the runtime to make and
  /// end registrations, and warns of failures that were not reported to the program.
  virtual void finish() noexcept {}
  /// Returns, in one text, the failures that have not been reported to the program; empty if there are none.
  [[nodiscard]] virtual std::string untold_failures() const { return {}; }
  virtual void cancel_all() = 0;
  virtual Result<void> stop_submissions() = 0;

  // The next functions wait for tasks or data, or give acquired data back.
  virtual Result<void> wait_all() = 0;
  virtual Result<void> wait_for(const Handle& handle) = 0;
  /// Data that the program may use until it calls `give_back(hold)`, which it does once. Only the backend knows what
  /// `hold` points to.
  struct Acquired {
    void* hold = nullptr;
    DataView view;
  };
  virtual Result<Acquired> acquire(const Handle& handle, AccessMode mode) = 0;
  virtual void give_back(void* hold) noexcept = 0;
  /// Allows another thread to give the data back. After this call, the thread that acquired the data may wait for tasks
  /// that need them.
  virtual void hand_on(void* hold) noexcept = 0;

  virtual Result<void> regroup(const std::string& clusters) = 0;

  /// Returns true if kernels can use any memory of the program, so that their arguments may point to it.
  [[nodiscard]] virtual bool shares_memory() const = 0;
  [[nodiscard]] virtual std::size_t workers() const = 0;
  [[nodiscard]] virtual std::size_t numa_nodes() const = 0;
  [[nodiscard]] virtual const std::string& policy() const = 0;
  [[nodiscard]] virtual Progress progress() const = 0;
  virtual Result<RunReport> report() const = 0;
  virtual Result<Trace> take_trace() = 0;
  virtual Result<MetricsSnapshot> metrics() const = 0;
  virtual Result<WhyReport> why() const = 0;

 private:
  Warn warn_;
};

}  // namespace troupe::client
