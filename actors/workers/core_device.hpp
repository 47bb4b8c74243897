/// A CPU core: kernels run inside `start`.
#pragma once

#include <deque>
#include <span>
#include <string>
#include <vector>

#include "actors/workers/device.hpp"
#include "actors/workers/worker_trace.hpp"
#include "graph/kernel_context.hpp"
#include "graph/task_graph.hpp"
#include "platform/clock.hpp"

namespace troupe::workers {

/// Finds the replica of a piece of data that a kernel on some memory node is to work on.
using FindReplica = std::function<DataView(const graph::DataRecord& data)>;

class CoreDevice final : public Device {
 public:
  struct Options {
    const graph::TaskGraph* graph = nullptr;
    WorkerId worker;
    std::string name;
    /// Whose implementations to call: those for cores, but on a modelled GPU, where they run on the host all the same.
    DeviceKind kind = DeviceKind::cpu_core;
    /// Where to note every task, or null.
    WorkerTrace* trace = nullptr;
    /// Outlives the device; only used with a trace.
    const platform::Clock* clock = nullptr;
    /// Empty: kernels work on host memory.
    FindReplica find_replica = nullptr;
  };

  explicit CoreDevice(Options options) : options_(std::move(options)) {}

  [[nodiscard]] DeviceKind kind() const override { return options_.kind; }
  [[nodiscard]] std::string name() const override { return options_.name; }
  Started start(graph::Task& task) noexcept override;

 private:
  void prepare(const graph::Task& task);
  /// Tasks that reduce get partial results of this worker.
  void use_partials(std::span<const graph::TaskAccess> data);
  const DataView* partial(graph::DataRecord& record);
  void use_replicas(std::span<const graph::TaskAccess> data);
  /// The exception that is being handled, as the task's failure.
  [[nodiscard]] graph::FailureLog::Cause current_exception_of(const graph::Task& task) const;
  [[nodiscard]] KernelContext context_of(const graph::Task& task) const;
  void note(const graph::Task& task, bool failed) noexcept;
  [[nodiscard]] graph::FailureLog::Cause failure(const graph::Task& task, ErrorCode code, const char* what) const;

  Options options_;
  /// Views of the current task's data; kept to save the allocation.
  std::vector<const DataView*> views_;
  /// Those of partial results and replicas. A deque: its elements stay where they are.
  std::deque<DataView> partials_;
  /// For when there is no memory to say more.
  const graph::FailureLog::Cause bare_failure_ =
      std::make_shared<Failure>(Failure{ErrorCode::kernel_failed, "a kernel failed"});
  /// Of the current task's kernel, with a trace.
  TimeStamp kernel_start_{};
};

}  // namespace troupe::workers
