/// How long tasks take, as predicted.
#pragma once

#include <optional>

#include "graph/data/size_classes.hpp"
#include "proto/device_kinds.hpp"
#include "proto/ids.hpp"
#include "proto/units.hpp"

namespace troupe::scheduler {

/// Where predictions of kernel times come from. Used by the scheduler alone.
class ExecutionModel {
 public:
  virtual ~ExecutionModel() = default;
  /// The expected time of a task of this class on this worker, whose device the codelet runs on. Nothing: it has been
  /// measured too rarely to say.
  [[nodiscard]] virtual std::optional<Duration> predict(const graph::SizeClass& size_class, WorkerId worker) const = 0;
  /// The same as if the worker, which drives cores, had so many of them.
  [[nodiscard]] virtual std::optional<Duration> predict_on_cores(const graph::SizeClass& /*size_class*/,
                                                                 WorkerId /*worker*/, int /*cores*/) const {
    return std::nullopt;
  }
  /// A task took so long. True: predictions of this class have changed.
  virtual bool measured(const graph::SizeClass& size_class, WorkerId worker, Duration time) = 0;
  /// The worker's device is of another type from here on, as its cores are grouped otherwise.
  virtual void regrouped(WorkerId /*worker*/, const DeviceType& /*type*/) {}
  /// The worker's device cannot run tasks of this class, whatever the codelet says: nothing is known of its speed, nor
  /// can be.
  [[nodiscard]] virtual bool cannot_run(const graph::SizeClass&, WorkerId) const { return false; }
};

}  // namespace troupe::scheduler
