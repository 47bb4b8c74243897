/// The interface of the runtime around a task graph.
#pragma once

#include <cstdint>
#include <vector>

#include "graph/codelets/device_set.hpp"
#include "graph/data/data_record.hpp"
#include "graph/tasks/graph_snapshot.hpp"
#include "graph/tasks/kernel_wait.hpp"
#include "graph/tasks/task.hpp"
#include "graph/tasks/task_owner.hpp"
#include "troupe/access.hpp"
#include "troupe/codelet.hpp"
#include "troupe/devices.hpp"
#include "troupe/errors.hpp"
#include "troupe/ids.hpp"

namespace troupe::graph {

/// The interface through which the graph calls the runtime around it.
class GraphHost {
 public:
  virtual ~GraphHost() = default;

  /// Takes tasks that have become ready outside of a worker's completion: because they were just submitted, or because
  /// a thread gave data back. `worker` is the worker whose kernel submitted the tasks; otherwise invalid. May be called
  /// from any thread.
  virtual void activate(TaskList& ready, WorkerId worker) noexcept = 0;

  enum class Pump {
    /// Other threads do the work, so the caller blocks.
    block,
    /// One event was handled, so the caller checks its condition again.
    progressed,
    /// Nothing is left to do in a single-threaded run.
    exhausted,
  };
  /// A thread calls this function before it blocks. In a single-threaded run the function handles one event, if there
  /// is one. The result tells the thread what to do.
  virtual Pump pump() = 0;
  /// Returns true if the other workers have enough tasks. A kernel on this worker may then call other kernels instead
  /// of submitting them. Called in the thread that runs the kernel.
  [[nodiscard]] virtual bool has_enough(WorkerId /*worker*/) const { return false; }
  /// Returns true if the calling thread's stack has room for one more kernel, called from the kernels that the thread
  /// runs.
  [[nodiscard]] virtual bool has_stack() const { return true; }
  /// Returns true if the worker runs kernels on cores, where their data lie in host memory.
  [[nodiscard]] virtual bool is_core(WorkerId /*worker*/) const { return true; }
  /// Fails if kernels on this worker must not wait. Called in the thread that runs the kernel.
  [[nodiscard]] virtual Result<void> may_wait_inside(WorkerId /*worker*/) const { return {}; }
  /// Called when a kernel, which `worker` runs in the calling thread, waits for tasks that belong to its own nested
  /// task, or for another runtime. Runs tasks of the nested task, or lets other threads run tasks, until the wait is
  /// over. Fails if the kernel cannot wait.
  virtual Result<void> wait_inside(WorkerId /*worker*/, KernelWait& wait) {
    wait.block();
    return {};
  }
  /// Called when a thread holds these data and is about to use them in host memory. If the mode reads, copies the
  /// content to host memory; if the mode writes, makes all other copies outdated.
  virtual Result<void> bring_home(const DataRecord& /*data*/, AccessMode /*mode*/) { return {}; }
  /// Called when the program is about to use, in host memory, data that ended tasks of this graph have written. Copies
  /// these data to host memory, except for hidden data and data that other tasks write meanwhile. Not called under any
  /// lock of the graph.
  virtual Result<void> bring_all_home(const TaskOwner& /*graph*/) { return {}; }
  /// Called when the content of a piece of data is not needed any more: all memories may drop their copies. No task
  /// uses the data at this moment. May be called under locks of the graph.
  virtual void discard(const DataRecord& /*data*/) noexcept {}
  /// Called under the submission lock when a piece of data is about to be forgotten. No task uses the data.
  virtual void forget(const DataRecord& /*data*/) noexcept {}
  /// Returns the tasks of this graph that run on other threads at this moment. A task that a worker is about to begin
  /// may be missing for a moment.
  [[nodiscard]] virtual std::vector<RunningTask> running_elsewhere(const TaskGraph& /*graph*/) { return {}; }
  /// Translates a set of devices into this runtime's workers. Fails with `invalid_argument` if the set names a device
  /// that the runtime does not have. May be called from any thread.
  virtual Result<DevicesHere> find_devices(const DeviceSet& devices) {
    if (devices.choices().empty()) return DevicesHere{devices.kinds(), nullptr};
    return Failure{ErrorCode::invalid_argument, "the workers have neither numbers nor names here"};
  }
  /// Used if `GraphOptions::stand_ins` is true. Returns the codelet to run in place of `codelet`, which may be
  /// `codelet` itself. The host keeps the returned codelet as long as the graph lives. `nested` says whether the task
  /// is nested. Fails if no device of the runtime could run the task.
  virtual Result<const Codelet*> stand_in(const Codelet& codelet, bool /*nested*/) { return &codelet; }
};

}  // namespace troupe::graph
