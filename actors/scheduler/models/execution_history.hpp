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

/// The tasks whose times depend on their size alone: of one codelet, on one type of device, with elements of one size.
struct KernelKey {
  /// See `learned_name`: codelets of one name count as one.
  std::string name;
  /// Its cores are those that the codelet uses (`CodeletDefinition::cores_used`): a task that runs on one core of a
  /// cluster counts among those of single cores.
  DeviceType device;
  /// Bytes of the largest element: single and double precision are not to be mixed.
  std::uint64_t element_bytes = 0;
  /// Sizes are floating-point operations; else bytes, as the codelet does not count operations.
  bool in_flops = false;

  friend auto operator<=>(const KernelKey&, const KernelKey&) = default;
};

/// Returns the name that the codelet is timed as, or else its own. A program may give a codelet several tables of
/// times, one for each size of its tasks, say ("program/dot#1/any", "program/dot#2/any"): a number behind `#` tells
/// tables apart, and not kernels, so it is left out here.
[[nodiscard]] std::string learned_name(const CodeletDefinition& codelet);
[[nodiscard]] KernelKey kernel_of(const graph::SizeClass& size_class, const DeviceType& device);
/// Its size is in operations, or in bytes.
[[nodiscard]] TaskMeasures measures_of(const graph::SizeClass& size_class);

/// One kernel's times by shape (`graph::SizeClass::shapes`), and the law through all of them: data of other shapes are
/// told apart even where they need as many operations. Plain data; one thread at a time.
class KernelHistory {
 public:
  /// A mean of fewer times than this says less than the law; and from fewer the law is a guess.
  static constexpr std::uint64_t kEnough = 3;
  /// A law with this many measurements needs no others.
  static constexpr std::uint64_t kMany = 64;

  struct Shape : TaskMeasures {
    TimeStatistics times;
    /// The last run that had such tasks (`ExecutionHistory::run`).
    std::uint64_t used = 0;
  };

  /// Made if need be. The reference stays valid.
  [[nodiscard]] Shape& shape(std::uint64_t shapes, const TaskMeasures& task);
  /// `shape` is one of this kernel's.
  void add(Shape& shape, double time_s);
  /// The mean where it was measured often enough; else what the law says, if there is one; else nothing.
  [[nodiscard]] std::optional<TimeLaw::Prediction> predict(const Shape& shape) const;
  /// Returns true if the prediction for the shape is no guess.
  [[nodiscard]] bool is_settled(const Shape& shape) const {
    return law_.count() >= kEnough || shape.times.count() >= kEnough;
  }
  /// Predicts the time of a task with data of these shapes, measured or not.
  [[nodiscard]] std::optional<TimeLaw::Prediction> predict(std::uint64_t shapes, const TaskMeasures& task) const;
  [[nodiscard]] const std::map<std::uint64_t, Shape>& shapes() const { return shapes_; }
  [[nodiscard]] const TimeLaw& law() const { return law_; }
  void set_law(const TimeLaw& law) { law_ = law; }
  void resemble(const KernelHistory& other) { law_.resemble(other.law_); }
  /// The last run that had such tasks.
  [[nodiscard]] std::uint64_t used() const;

 private:
  std::map<std::uint64_t, Shape> shapes_;
  TimeLaw law_;
};

/// The histories of all kernels. Plain data; one thread at a time.
class ExecutionHistory {
 public:
  /// Made if need be. The reference stays valid.
  [[nodiscard]] KernelHistory& kernel(const KernelKey& key) { return kernels_[key]; }
  [[nodiscard]] const std::map<KernelKey, KernelHistory>& kernels() const { return kernels_; }
  /// The kernel's laws on other devices where it was measured rarely, and less often than on the one where it was
  /// measured most, resemble its law there.
  void relate(const KernelKey& key);
  /// Predicts from the same kernel's times on other numbers of cores: by Amdahl's law, fitted to what is predicted
  /// there (`fit_amdahl`), as far as that is no guess. Returns nothing if that is for fewer than two numbers.
  [[nodiscard]] std::optional<TimeLaw::Prediction> predict_from_other_cores(const KernelKey& key, std::uint64_t shapes,
                                                                            const TaskMeasures& task) const;
  /// Counts the runs that have added to it, this one included: so old times can be told from new ones.
  [[nodiscard]] std::uint64_t run() const { return run_; }
  void set_run(std::uint64_t run) { run_ = run; }

 private:
  std::map<KernelKey, KernelHistory> kernels_;
  std::uint64_t run_ = 1;
};

}  // namespace troupe::scheduler
