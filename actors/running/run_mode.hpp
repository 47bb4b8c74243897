/// Run modes: a runtime runs on threads, in one thread, or in virtual time.
#pragma once

#include <caf/all.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "actors/device_setup.hpp"
#include "actors/host_views.hpp"
#include "actors/memory_nodes.hpp"
#include "actors/running/runtime_plan.hpp"
#include "actors/scheduler/models/execution_model.hpp"
#include "actors/scheduler/submitted_tasks.hpp"
#include "actors/workers/worker_actor.hpp"
#include "graph/task_graph.hpp"
#include "platform/machine/clock.hpp"
#include "troupe/trace.hpp"

namespace troupe::actors {

/// The functions of a runtime that depend on the mode in which it runs. All other functions are the same in every mode.
///
/// | mode         | actors run in         | clock, devices          | memories beside the host's |
/// |--------------|-----------------------|-------------------------|----------------------------|
/// | threads      | threads of their own  | this machine's          | its accelerators'          |
/// | one thread   | the thread that waits | this machine's          | none                       |
/// | virtual time | the thread that waits | the described machine's | its GPUs'                  |
class RunMode {
 public:
  /// Makes the mode that the plan's options ask for. Takes the accelerators out of the plan; plan and views outlive the
  /// mode. `submitted` may be null, except in virtual time, if no object of the runtime needs to know tasks before
  /// these are ready.
  static std::unique_ptr<RunMode> make(RuntimePlan& plan, HostViews& views,
                                       std::shared_ptr<scheduler::SubmittedTasks> submitted);
  virtual ~RunMode() = default;

  /// Returns false if all actors run in the thread that waits, one message at a time.
  [[nodiscard]] bool has_threads() const { return has_threads_; }
  /// Returns the seed of all random choices.
  [[nodiscard]] std::uint64_t seed() const { return seed_; }
  [[nodiscard]] virtual const platform::Clock& clock() const = 0;
  /// Returns the clock's time if the clock is virtual.
  [[nodiscard]] virtual std::optional<TimeStamp> virtual_time() const { return std::nullopt; }

  /// Lets one actor handle one message or, if there is no message, moves virtual time to its next event.
  virtual graph::GraphHost::Pump pump(caf::actor_system& /*system*/) { return graph::GraphHost::Pump::block; }
  /// Waits until the actors, which were told to stop, have ended.
  virtual void await_actors(caf::actor_system& system);

  /// Sets how many tasks a worker runs at a time, and how many more tasks the worker takes ahead.
  virtual void set_depth(workers::WorkerSetup& /*worker*/, const WorkerPlace& /*place*/) const {}
  virtual Result<std::unique_ptr<workers::Device>> make_device(DeviceSetup setup, DeviceKind kind,
                                                               workers::DeviceListener& listener) = 0;
  /// Called when the number of cores that `worker` drives changes to `cores`.
  virtual void set_cores(WorkerId /*worker*/, int /*cores*/) {}
  /// Sets the function that is called when a memory turns out to be lost.
  virtual void on_lost(std::function<void(NodeId)> /*act*/) {}
  /// Returns the codelet that runs in place of `codelet`.
  virtual Result<const Codelet*> stand_in(const Codelet& codelet, bool /*nested*/) { return &codelet; }

  /// Returns the memories other than host memory; null if there are none.
  [[nodiscard]] virtual MemoryNodes* memories() { return nullptr; }
  /// Returns the copies between memories that have ended since the last call, if the run traces.
  [[nodiscard]] virtual std::vector<TraceTransfer> take_copies() { return {}; }
  /// Prevents further copies from starting, and waits for the copies under way.
  virtual void stop_copies() {}

  /// Returns the kernel times that the scheduler assumes; null if no times are known. Must be called only once.
  [[nodiscard]] virtual std::unique_ptr<scheduler::ExecutionModel> believed_times() { return nullptr; }
  /// Saves the kernel times that this run has learned, for later runs.
  virtual void keep_times() noexcept {}

 protected:
  RunMode(bool has_threads, std::uint64_t seed) : has_threads_(has_threads), seed_(seed) {}

 private:
  const bool has_threads_;
  const std::uint64_t seed_;
};

}  // namespace troupe::actors
