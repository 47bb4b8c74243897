/// Where the tasks of a `Runtime` run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "actors/observation/metrics_snapshot.hpp"
#include "actors/observation/why_report.hpp"
#include "actors/reporting/run_report.hpp"
#include "actors/reporting/trace.hpp"
#include "graph/codelets/handle.hpp"
#include "graph/data/data_registry.hpp"
#include "graph/task_graph.hpp"
#include "proto/errors.hpp"
#include "proto/units.hpp"

namespace troupe::client {

/// Memory for data. Goes with its last owner; whoever needs only the address may share the pointer alone.
struct Memory {
  std::shared_ptr<std::byte> data;
  Bytes size;
};

/// A graph that was recorded: what a `RecordedGraph` stands on. Thread-safe.
class RecordedTasks {
 public:
  RecordedTasks() = default;
  virtual ~RecordedTasks() = default;
  RecordedTasks(const RecordedTasks&) = delete;
  RecordedTasks& operator=(const RecordedTasks&) = delete;

  /// See `RecordedGraph::run` and `tasks`.
  virtual Result<Future> run(std::span<const Rebinding> rebindings) = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;
};

/// Takes warnings; must not throw.
using Warn = std::function<void(const std::string&)>;

/// What the members of `Runtime`, `Data`, `HostAccess` … do: each call means what the member of `Runtime` of its name
/// says, and fails where that throws. There are two: workers in this process (`EmbeddedBackend`), and the service of
/// this node (client/remote/). Thread-safe. Its destructor waits for all tasks.
class Backend {
 public:
  Backend() = default;
  virtual ~Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;

  /// What happens when the calling thread ends it.
  enum class End : std::uint8_t {
    /// It waits for its tasks and is gone.
    ends,
    /// The process was forked from the one in which it was started: its threads are not here, so it can only be left.
    in_another_process,
    /// The thread is in one of its kernels or callbacks, which it would wait for: it can only be left.
    inside_of_task,
  };
  [[nodiscard]] virtual End end_here() const { return End::ends; }

  /// Who is told what is wrong and keeps nothing from going on; null: nobody. Before anybody else uses it.
  void warn_with(Warn warn) { warn_ = std::move(warn); }
  [[nodiscard]] const Warn& warn() const { return warn_; }

  // Data.
  virtual Result<Handle> register_data(graph::DataDescription description) = 0;
  /// False in virtual time, unless kernels are executed.
  [[nodiscard]] virtual bool data_have_memory() const { return true; }
  /// Uninitialized; of a NUMA node where `node` is valid and the system lets us choose.
  virtual Result<Memory> allocate(Bytes size, NumaId node) = 0;
  virtual std::shared_ptr<void> pin(const void* memory, Bytes size) = 0;
  virtual Result<std::vector<Handle>> partition(const Handle& whole, std::span<const graph::Block> blocks) = 0;
  virtual Result<void> set_reduction(const Handle& handle, ReductionMethods methods) = 0;
  virtual Result<void> release(const Handle& handle) = 0;
  /// What the end of a `Data` does, which cannot be told of a failure: `TaskGraph::let_go`.
  virtual void let_go(const Handle& handle) noexcept = 0;
  virtual Result<void> set_reuse(const Handle& handle, std::int64_t index) = 0;
  /// The data are kept as long as what this returns lives.
  virtual Result<std::shared_ptr<void>> keep(const Handle& handle) = 0;

  // Tasks.
  virtual Result<Future> submit(const graph::TaskSpecification& specification) = 0;
  /// Throws what `program` throws.
  virtual Result<std::shared_ptr<RecordedTasks>> record(const std::function<void()>& program, std::string name) = 0;
  /// The runtime is about to go, and those who look for it still find it: waits for all tasks, as these may make and
  /// end registrations.
  virtual void finish() noexcept {}
  virtual void cancel_all() = 0;
  virtual Result<void> stop_submissions() = 0;

  // Waiting.
  virtual Result<void> wait_all() = 0;
  virtual Result<void> wait_for(const Handle& handle) = 0;
  /// Data that the program may use until it gives them back, once, with `hold`, which means something to the backend
  /// alone.
  struct Acquired {
    void* hold = nullptr;
    DataView view;
  };
  virtual Result<Acquired> acquire(const Handle& handle, AccessMode mode) = 0;
  virtual void give_back(void* hold) noexcept = 0;
  /// Perhaps another thread will give it back: the one that acquired it may wait for that.
  virtual void hand_on(void* hold) noexcept = 0;

  virtual Result<void> regroup(const std::string& clusters) = 0;

  /// Whether kernels can use any memory of the program, which their arguments then may point to.
  [[nodiscard]] virtual bool shares_memory() const = 0;
  [[nodiscard]] virtual std::size_t workers() const = 0;
  [[nodiscard]] virtual std::size_t numa_nodes() const = 0;
  [[nodiscard]] virtual const std::string& policy() const = 0;
  [[nodiscard]] virtual graph::GraphProgress progress() const = 0;
  virtual Result<RunReport> report() const = 0;
  virtual Result<Trace> take_trace() = 0;
  virtual Result<MetricsSnapshot> metrics() const = 0;
  virtual Result<WhyReport> why() const = 0;

 private:
  Warn warn_;
};

}  // namespace troupe::client
