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

  /// Takes tasks that have become ready for another reason than the completion of a task by a worker: they were
  /// submitted (`worker` is valid if a kernel submitted the task), or a thread gave data back. May be called from any
  /// thread.
  virtual void activate(TaskList& ready, WorkerId worker) noexcept = 0;

  enum class Pump {
    /// Other threads do the work, so the caller blocks.
    block,
    /// One event was handled, so the caller checks its condition again.
    progressed,
    /// Nothing is left to do in a single-threaded run.
    exhausted,
  };
  /// A thread calls this before it blocks. In a single-threaded run it handles one event, if there is one. The result
  /// tells the thread to block, to check its condition again, or that nothing is left to do.
  virtual Pump pump() = 0;
  /// Returns true if the other workers have enough tasks, so that a kernel on this worker may call kernels instead of
  /// submitting them. Called in the thread that runs the kernel.
  [[nodiscard]] virtual bool has_enough(WorkerId /*worker*/) const { return false; }
  /// Returns true if the calling thread's stack has room for another kernel on top of those that it is in.
  [[nodiscard]] virtual bool has_stack() const { return true; }
  /// Fails if kernels on this worker must not wait. Called in the thread that runs the kernel.
  [[nodiscard]] virtual Result<void> may_wait_inside(WorkerId /*worker*/) const { return {}; }
  /// A kernel waits for tasks that belong to its own nested task. `worker` runs the kernel, in the calling thread. Runs
  /// these tasks, or has other threads run them, until the wait is over. Fails if the kernel cannot wait.
  virtual Result<void> wait_inside(WorkerId /*worker*/, KernelWait& wait) {
    wait.block();
    return {};
  }
  /// Called when a thread holds these data and is about to use them in host memory. Copies their content there if the
  /// mode reads it, and makes all other copies outdated if the mode writes.
  virtual Result<void> bring_home(const DataRecord& /*data*/, AccessMode /*mode*/) { return {}; }
  /// Called when the program is about to use, in host memory, data that ended tasks of this graph have written. Copies
  /// these data there, except for hidden data and data that other tasks write meanwhile. Not called under any lock of
  /// the graph.
  virtual Result<void> bring_all_home(const TaskOwner& /*graph*/) { return {}; }
  /// Called when the content of a piece of data, which no task uses at this moment, is worthless: other memories may
  /// drop their copies. May be called under locks of the graph.
  virtual void discard(const DataRecord& /*data*/) noexcept {}
  /// Called when a piece of data, which no task uses, is about to be forgotten, under the submission lock.
  virtual void forget(const DataRecord& /*data*/) noexcept {}
  /// Returns the tasks of this graph that run on other threads at this moment. A task that a worker is about to begin
  /// may be missing for a moment.
  [[nodiscard]] virtual std::vector<RunningTask> running_elsewhere(const TaskGraph& /*graph*/) { return {}; }
  /// Translates a set of devices into this runtime's workers. Fails with `invalid_argument` if the set names a device
  /// that the runtime does not have. May be called from any thread.
  virtual Result<DevicesHere> find_devices(const DeviceSet& devices);
  /// Used with `GraphOptions::stand_ins`: returns this codelet, or another codelet in its place, which the host keeps
  /// as long as the graph. `nested` says whether the task is nested. Fails if no device here could run it.
  virtual Result<const Codelet*> stand_in(const Codelet& codelet, bool /*nested*/) { return &codelet; }
};

}  // namespace troupe::graph
