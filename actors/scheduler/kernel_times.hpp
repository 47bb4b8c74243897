/// The scheduler's knowledge of kernel times.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "actors/scheduler/models/execution_model.hpp"
#include "actors/scheduler/models/predictions.hpp"
#include "actors/scheduler/policy.hpp"
#include "actors/scheduler/submitted_tasks.hpp"
#include "graph/data/size_classes.hpp"
#include "troupe/devices.hpp"
#include "troupe/report.hpp"

namespace troupe::scheduler {

/// Asks the execution model once per size class and type of device (kind, cores, model), and keeps the answers in the
/// table from which policies read them. A measurement makes it ask again about all classes that the measurement
/// changes. A class that has no tasks left is forgotten then, and asked about when it has tasks again.
///
/// If a prediction is in doubt (`ExecutionModel::doubt`), the table gets a longer time. If a class is not known on one
/// type of device, the table gets ten times the longest known time there. A worker that cannot run a class, that is
/// lost, or that helps another worker gets `ExecutionTimes::kNever`.
///
/// Without a model, nothing is known of any class. Not thread-safe.
class KernelTimes {
 public:
  /// The knowledge of a size class. `known`, `complete` and `sure` say that on every type of device that can run the
  /// class its time is known, no measurements are missing, and the prediction is sure. `types` counts these types;
  /// `measured` says for each type whether the time is known (empty if there are no predictions for the class).
  struct ClassTimes {
    bool known = false;
    bool known_somewhere = false;
    bool complete = false;
    bool sure = false;
    /// True if policies get longer times than the predicted times.
    bool in_doubt = false;
    std::uint32_t types = 0;
    std::vector<bool> measured;
    /// The number of the class's kernel (`ExecutionModel::kernel`).
    std::size_t kernel = 0;
    /// True if the class is among the classes of its kernel.
    bool in_kernel = false;

    [[nodiscard]] bool is_unsure() const { return !known || !complete || !sure; }
  };

  /// The workers, and the predictions in which their times are entered.
  struct Machine {
    std::span<const WorkerState> workers;
    Predictions& predictions;
  };

  /// The times by which a task is placed.
  struct Estimate {
    /// The time for which the task counts in the load of its worker.
    Duration load{};
    /// The predicted time; 0 if there is none.
    Duration predicted{};
    /// True if the policy decides by times and they are not sure.
    bool guessed = false;
  };

  /// `model` is null if kernel times are unknown; `submitted` is null if tasks are unknown before they are ready. A
  /// model needs `submitted`.
  KernelTimes(std::unique_ptr<ExecutionModel> model, std::shared_ptr<SubmittedTasks> submitted,
              const PolicyTraits& traits)
      : model_(std::move(model)), submitted_(std::move(submitted)), traits_(traits) {}

  [[nodiscard]] const ExecutionModel* model() const { return model_.get(); }
  [[nodiscard]] const SubmittedTasks* submitted() const { return submitted_.get(); }
  /// Returns true if the task's class can have predictions.
  [[nodiscard]] bool predicts(const ReadyTask& task) const { return model_ != nullptr && task.size_class.valid(); }

  /// Returns the number of a type of device; adds the type if it is new.
  std::uint32_t number_of(const DeviceType& type);
  [[nodiscard]] const DeviceType& type(std::uint32_t number) const { return types_[number]; }
  /// Returns the number of the worker's type now that it has this many cores; 0 cores if it helps another worker. All
  /// predictions are out of date until `refresh` is called.
  [[nodiscard]] std::uint32_t regrouped(const WorkerState& worker, int cores);
  /// Updates all predictions if any workers were regrouped: once for all of these workers.
  void refresh(const Machine& machine);
  /// Updates the predictions of all classes that have predictions.
  void learn_again(const Machine& machine);

  /// Returns what is known of the class; asks the model if the class has no predictions. The result is valid until the
  /// next call.
  const ClassTimes& of(SizeClassId size_class, const Machine& machine);
  /// Returns the number of the kernel of a class that has been asked about.
  [[nodiscard]] std::size_t kernel_of(SizeClassId size_class) const { return classes_[size_class.index()].kernel; }
  /// Returns true if the class's time on the worker's type of device is known.
  [[nodiscard]] bool is_measured(SizeClassId size_class, const WorkerState& worker) const;
  /// Returns the class's operations; its bytes if its kernel does not count operations.
  [[nodiscard]] double size_of(SizeClassId size_class) const;
  /// These functions ask the model about a class. They must not be called without a model.
  [[nodiscard]] std::uint32_t measurements_missing(SizeClassId size_class, WorkerId worker) const {
    return model_->measurements_missing(submitted_->size_class(size_class), worker);
  }
  [[nodiscard]] std::optional<Duration> predict(SizeClassId size_class, WorkerId worker) const {
    return model_->predict(submitted_->size_class(size_class), worker);
  }
  /// Returns true if the worker's time for the class is unknown, or more doubtful than `most`.
  [[nodiscard]] bool is_doubtful(SizeClassId size_class, WorkerId worker, double most) const {
    return !predict(size_class, worker) || model_->doubt(submitted_->size_class(size_class), worker) > most;
  }
  /// Returns the times by which the task is placed on the worker.
  [[nodiscard]] Estimate estimate(const ReadyTask& task, const WorkerState& worker,
                                  const Predictions& predictions) const;
  /// Sets what the policy asks for: the task's rank, its operations and the use of its data.
  void describe(ReadyTask& task, const Machine& machine);

  /// Adds the time of a task of this class, if there is a model; `predicted` is its predicted time, or 0. Returns true
  /// if predictions of other classes have changed.
  [[nodiscard]] bool measured(SizeClassId size_class, const WorkerState& worker, Duration predicted, Duration took,
                              const Machine& machine);
  /// Returns the errors of the predictions by which tasks were placed, by size class, then kind of device.
  [[nodiscard]] const std::vector<std::array<PredictionErrors, kDeviceKinds>>& errors() const { return errors_; }

 private:
  void learn(SizeClassId size_class, const Machine& machine);
  /// Adds the class to the classes of its kernel.
  void enter(SizeClassId size_class, const graph::SizeClass& known);
  /// Updates the predictions of this class's kernel, for all classes of the kernel that have tasks left. The other
  /// classes of the kernel are updated when they have tasks again.
  void learn_kernel(SizeClassId size_class, const Machine& machine);
  void compare(SizeClassId size_class, DeviceKind kind, Duration predicted, Duration took);

  std::unique_ptr<ExecutionModel> model_;
  std::shared_ptr<SubmittedTasks> submitted_;
  PolicyTraits traits_;
  /// All types of device that there are, or were before a regrouping.
  std::vector<DeviceType> types_;
  /// True if workers have been regrouped since their times were learned.
  bool stale_ = false;
  std::vector<ClassTimes> classes_;
  /// For each kernel, all its size classes that have predictions.
  std::vector<std::vector<SizeClassId>> kernels_;
  /// The costs from which ranks are computed, by class.
  std::vector<double> costs_s_;
  /// The costs of all classes with smaller numbers have been computed.
  std::size_t costs_asked_for_ = 0;
  std::vector<std::array<PredictionErrors, kDeviceKinds>> errors_;
};

}  // namespace troupe::scheduler
