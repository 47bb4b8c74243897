/// The times that tasks have taken.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "actors/scheduler/models/power_law.hpp"
#include "actors/scheduler/models/time_law.hpp"
#include "actors/scheduler/models/time_statistics.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "graph/data/size_classes.hpp"
#include "troupe/devices.hpp"

namespace troupe::scheduler {

/// The key of a group of tasks whose times depend on their sizes alone: tasks of one codelet, on one type of device,
/// with elements of one size.
struct KernelKey {
  /// The result of `learned_name`: codelets with the same name count as one kernel.
  std::string name;
  /// The type of device, with as many cores as the codelet uses (`CodeletDefinition::cores_used`): a task that uses
  /// only one core of a cluster counts as a task of a single core.
  DeviceType device;
  /// The size of the largest element in bytes: times of single and double precision must not be mixed.
  std::uint64_t element_bytes = 0;
  /// True if sizes are floating-point operations; false if they are bytes, because the codelet does not count
  /// operations.
  bool in_flops = false;

  friend auto operator<=>(const KernelKey&, const KernelKey&) = default;
};

/// Returns the name under which the codelet's times are learned: its name for times (`timed_as`) if it has one, else
/// its own name. A program may give a codelet several tables of times, for example one for each size of its tasks
/// ("program/dot#1/any", "program/dot#2/any"). A number behind `#` distinguishes tables, not kernels, so it is left out
/// here.
[[nodiscard]] std::string learned_name(const CodeletDefinition& codelet);
[[nodiscard]] KernelKey kernel_of(const graph::SizeClass& size_class, const DeviceType& device);
/// Returns the measures of the tasks of a size class. The size is in operations, or in bytes if operations are not
/// counted.
[[nodiscard]] TaskMeasures measures_of(const graph::SizeClass& size_class);

/// The measured times of one kernel by the shapes of its data (`graph::SizeClass::shapes`), and the law that is fitted
/// to all of these times. Different shapes are kept apart even if they need equally many operations. Plain data; one
/// thread at a time.
class KernelHistory {
 public:
  /// From this many measured times on, a mean or a law is more than a guess. With fewer times, the law is a better
  /// guess than the mean.
  static constexpr std::uint64_t kEnough = 3;
  /// A law with this many measurements is not corrected by laws of other devices.
  static constexpr std::uint64_t kMany = 64;

  struct Shape : TaskMeasures {
    TimeStatistics times;
    /// The number of the last run that had tasks of this shape (`ExecutionHistory::run`).
    std::uint64_t used = 0;
  };

  /// Returns the entry of a shape; makes one if there is none. The reference stays valid.
  [[nodiscard]] Shape& shape(std::uint64_t shapes, const TaskMeasures& task);
  /// Adds a measured time. `shape` must be a shape of this kernel.
  void add(Shape& shape, double time_s);
  /// Returns the mean time of the shape if it was measured often enough; else the law's prediction, if there is one;
  /// else nothing.
  [[nodiscard]] std::optional<TimeLaw::Prediction> predict(const Shape& shape) const;
  /// Returns true if enough measurements support the prediction for the shape, so that it is more than a guess.
  [[nodiscard]] bool is_settled(const Shape& shape) const {
    return law_.count() >= kEnough || shape.times.count() >= kEnough;
  }
  /// Predicts the time of a task with data of these shapes, even if these shapes were never measured.
  [[nodiscard]] std::optional<TimeLaw::Prediction> predict(std::uint64_t shapes, const TaskMeasures& task) const;
  [[nodiscard]] const std::map<std::uint64_t, Shape>& shapes() const { return shapes_; }
  [[nodiscard]] const TimeLaw& law() const { return law_; }
  void set_law(const TimeLaw& law) { law_ = law; }
  void resemble(const KernelHistory& other) { law_.resemble(other.law_); }
  /// Returns the number of the last run that had tasks of this kernel.
  [[nodiscard]] std::uint64_t used() const;

 private:
  std::map<std::uint64_t, Shape> shapes_;
  TimeLaw law_;
};

/// The histories of all kernels. Plain data; one thread at a time.
class ExecutionHistory {
 public:
  /// Returns the kernel's history; makes one if there is none. The reference stays valid.
  [[nodiscard]] KernelHistory& kernel(const KernelKey& key) { return kernels_[key]; }
  [[nodiscard]] const std::map<KernelKey, KernelHistory>& kernels() const { return kernels_; }
  /// Makes the kernel's laws on devices with few measurements resemble its law on the device with the most
  /// measurements.
  void relate(const KernelKey& key);
  /// Predicts a time by Amdahl's law (`fit_amdahl`), fitted to the same kernel's predictions for other numbers of
  /// cores. Predictions that are guesses are left out. Returns nothing if fewer than two predictions are left.
  [[nodiscard]] std::optional<TimeLaw::Prediction> predict_from_other_cores(const KernelKey& key, std::uint64_t shapes,
                                                                            const TaskMeasures& task) const;
  /// Returns the number of runs that have added to the history, including the present run. Callers use this number to
  /// tell old times from new times.
  [[nodiscard]] std::uint64_t run() const { return run_; }
  void set_run(std::uint64_t run) { run_ = run; }

 private:
  std::map<KernelKey, KernelHistory> kernels_;
  std::uint64_t run_ = 1;
};

}  // namespace troupe::scheduler
