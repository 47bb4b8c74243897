/// Kernel timer: the times of tasks on the devices of a described machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/scheduler/models/execution_model.hpp"
#include "actors/scheduler/submitted_tasks.hpp"
#include "actors/simulating/kernel_duration.hpp"
#include "graph/tasks/task.hpp"
#include "troupe/devices.hpp"
#include "troupe/machine.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::actors {

/// `SimulationOptions::times` gives the time of a task. If it gives none, the task takes the time of the kernel that
/// its codelet names (`CodeletDefinition::timed_as`; `StandIns` makes sure that all codelets name one) for the tile
/// edge at which the kernel has as many operations as the task. On a cluster, the time is that for the number of cores
/// that the codelet uses (`CodeletDefinition::cores_used`). Tasks that the runtime submits for itself (to combine a
/// reduction) take no time. Only one thread at a time may call the functions.
class KernelTimer {
 public:
  /// `options` outlives this object.
  KernelTimer(const SimulationOptions& options, std::vector<DescribedDevice> workers,
              std::shared_ptr<scheduler::SubmittedTasks> submitted)
      : options_(options), workers_(std::move(workers)), submitted_(std::move(submitted)) {}

  /// Returns the time of the task on the worker. Fails with `bad_input` if neither the program nor the description
  /// gives a time.
  [[nodiscard]] Result<platform::KernelTime> time(const graph::Task& task, WorkerId worker);
  [[nodiscard]] Result<platform::KernelTime> time(const graph::SizeClass& size_class, WorkerId worker);
  /// Returns the time that the task would take if the worker had this many cores.
  [[nodiscard]] Result<platform::KernelTime> time_on_cores(const graph::SizeClass& size_class, WorkerId worker,
                                                           int cores) const;
  /// Called when the worker's number of cores changes to `cores`.
  void set_cores(WorkerId worker, int cores);

 private:
  Result<platform::KernelTime> look_up(const graph::SizeClass& size_class, const DescribedDevice& device) const;

  const SimulationOptions& options_;
  std::vector<DescribedDevice> workers_;
  const std::shared_ptr<scheduler::SubmittedTasks> submitted_;
  /// The times that have been looked up, by size class and then by worker.
  std::vector<std::vector<std::optional<Result<platform::KernelTime>>>> known_;
};

/// Returns a model that predicts the timer's times, multiplied by errors (`SimulatedKnowledge::kernel_error`).
[[nodiscard]] std::unique_ptr<scheduler::ExecutionModel> exact_model(KernelTimer& timer,
                                                                     std::vector<DescribedDevice> workers, double error,
                                                                     std::uint64_t seed);

/// Returns a model that predicts from the times that were measured during the run, multiplied by the same errors as in
/// `exact_model`. The model knows that a kernel cannot run on devices for which the timer has no time. It begins
/// without any measurements.
[[nodiscard]] std::unique_ptr<scheduler::ExecutionModel> learned_model(KernelTimer& timer,
                                                                       const std::vector<DescribedDevice>& workers,
                                                                       double error, std::uint64_t seed);

}  // namespace troupe::actors
