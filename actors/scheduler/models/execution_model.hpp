/// Predictions of the times of tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "graph/data/size_classes.hpp"
#include "troupe/devices.hpp"
#include "troupe/ids.hpp"
#include "troupe/units.hpp"

namespace troupe::scheduler {

/// Predicts the times of kernels. Used by the scheduler only.
class ExecutionModel {
 public:
  /// Says which predictions a new measurement has changed.
  enum class Change : std::uint8_t {
    nothing,
    /// The predictions for the task's class changed.
    size_class,
    /// The predictions for all classes of the task's kernel changed.
    kernel,
  };

  virtual ~ExecutionModel() = default;
  /// Returns the expected time of a task of this class on this worker. The codelet must run on the worker's device.
  /// Returns nothing if there are too few measurements.
  [[nodiscard]] virtual std::optional<Duration> predict(const graph::SizeClass& size_class, WorkerId worker) const = 0;
  /// Predicts the time as if the worker's device, which must consist of cores, had this many cores.
  [[nodiscard]] virtual std::optional<Duration> predict_on_cores(const graph::SizeClass& /*size_class*/,
                                                                 WorkerId /*worker*/, int /*cores*/) const {
    return std::nullopt;
  }
  /// Returns true if further measurements will hardly change the prediction. Then the scheduler may place many tasks at
  /// once by this prediction.
  [[nodiscard]] virtual bool is_sure(const graph::SizeClass& /*size_class*/, WorkerId /*worker*/) const { return true; }
  /// Returns how uncertain the prediction is: the standard deviation of the logarithm of the predicted time.
  [[nodiscard]] virtual double doubt(const graph::SizeClass& /*size_class*/, WorkerId /*worker*/) const { return 0; }
  /// Returns how many more tasks of the kernel have to run on the worker's device. Until then, the prediction for that
  /// device is a guess.
  [[nodiscard]] virtual std::uint32_t measurements_missing(const graph::SizeClass& size_class, WorkerId worker) const {
    return predict(size_class, worker) ? 0 : 3;
  }
  /// Returns the number of the class's kernel. Classes of one kernel have the same number: a measurement of one of
  /// these classes also tells something about the other classes.
  [[nodiscard]] virtual std::size_t kernel(const graph::SizeClass& size_class) const { return size_class.id.index(); }
  /// Adds a measurement: a task of the class took `time` on the worker. Returns which predictions changed.
  virtual Change measured(const graph::SizeClass& size_class, WorkerId worker, Duration time) = 0;
  /// Called after the worker's cores were regrouped: from now on the worker's device has this type.
  virtual void regrouped(WorkerId /*worker*/, const DeviceType& /*type*/) {}
  /// Returns true if the worker's device cannot run tasks of this class, even if the codelet would allow it: such tasks
  /// have no times there, and never will.
  [[nodiscard]] virtual bool cannot_run(const graph::SizeClass&, WorkerId) const { return false; }
};

}  // namespace troupe::scheduler
