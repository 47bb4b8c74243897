/// A device in virtual time.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "actors/workers/devices/core_device.hpp"
#include "actors/workers/devices/device.hpp"
#include "actors/workers/worker_trace.hpp"
#include "platform/virtual/virtual_time.hpp"
#include "proto/errors.hpp"

namespace troupe::workers {

/// A kernel is an event at its end. With an executor it is then executed, so that the run computes what a real one
/// would; without, data are never touched.
class ModelledDevice final : public Device {
 public:
  struct Options {
    std::string name;
    platform::VirtualTime* time = nullptr;
    /// How long a task takes on this device.
    std::function<Result<Duration>(const graph::Task&)> duration;
    /// Asked at each kernel's end: why the task fails and its kernel is not executed, or null. May be empty.
    std::function<graph::FailureLog::Cause(const graph::Task&)> fault = nullptr;
    /// Where to note every task, or null.
    WorkerTrace* trace = nullptr;
    /// Executes kernels; null: nobody does.
    std::unique_ptr<CoreDevice> executor;
  };

  /// `listener` outlives the device.
  ModelledDevice(Options options, DeviceListener& listener);
  ~ModelledDevice() override;

  [[nodiscard]] std::string name() const override { return options_.name; }
  Started start(graph::Task& task) noexcept override;

 private:
  void end(TimeStamp begun);
  void note(const graph::Task& task, TimeStamp begun, bool failed) noexcept;

  Options options_;
  DeviceListener& listener_;
  /// What runs, or null.
  graph::Task* running_ = nullptr;
  platform::EventId end_;
};

}  // namespace troupe::workers
