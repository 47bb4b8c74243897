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
  /// The predictions that a measured time has changed.
  enum class Change : std::uint8_t {
    nothing,
    /// The predictions for the task's class changed.
    size_class,
    /// The predictions for all classes of its kernel changed.
    kernel,
  };

  virtual ~ExecutionModel() = default;
  /// Returns the expected time of a task of this class on this worker, whose device the codelet runs on; nothing if it
  /// has been measured too rarely to say.
  [[nodiscard]] virtual std::optional<Duration> predict(const graph::SizeClass& size_class, WorkerId worker) const = 0;
  /// Predicts the time as if the worker, which drives cores, had this many of them.
  [[nodiscard]] virtual std::optional<Duration> predict_on_cores(const graph::SizeClass& /*size_class*/,
                                                                 WorkerId /*worker*/, int /*cores*/) const {
    return std::nullopt;
  }
  /// Returns true if the prediction will hardly change with the next measurements, so that many tasks may be placed by
  /// it at once.
  [[nodiscard]] virtual bool is_sure(const graph::SizeClass& /*size_class*/, WorkerId /*worker*/) const { return true; }
  /// Returns the standard deviation of the logarithm of the predicted time.
  [[nodiscard]] virtual double doubt(const graph::SizeClass& /*size_class*/, WorkerId /*worker*/) const { return 0; }
  /// Returns how many more tasks of the kernel are to be tried on the worker's device. Until then, a prediction for it
  /// is a guess.
  [[nodiscard]] virtual std::uint32_t measurements_missing(const graph::SizeClass& size_class, WorkerId worker) const {
    return predict(size_class, worker) ? 0 : 3;
  }
  /// Returns the number of the kernel. Classes with the same number are of one kernel: a measurement of one says
  /// something of the others.
  [[nodiscard]] virtual std::size_t kernel(const graph::SizeClass& size_class) const { return size_class.id.index(); }
  /// Adds a measurement: a task of the class took `time` on the worker.
  virtual Change measured(const graph::SizeClass& size_class, WorkerId worker, Duration time) = 0;
  /// Called when the worker's cores were grouped otherwise: from now on its device has this type.
  virtual void regrouped(WorkerId /*worker*/, const DeviceType& /*type*/) {}
  /// Returns true if the worker's device cannot run tasks of this class, whatever the codelet says: nothing is known of
  /// its speed, nor can be.
  [[nodiscard]] virtual bool cannot_run(const graph::SizeClass&, WorkerId) const { return false; }
};

}  // namespace troupe::scheduler
