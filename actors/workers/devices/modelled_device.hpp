/// A device in virtual time.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "actors/workers/devices/core_device.hpp"
#include "actors/workers/devices/device.hpp"
#include "actors/workers/worker_trace.hpp"
#include "platform/virtual/virtual_time.hpp"
#include "proto/errors.hpp"

namespace troupe::workers {

/// Kernels run one after the other, in the order of their starts. A kernel is an event at its end. With an executor it
/// is then executed, so that the run computes what a real one would; without, data are never touched.
///
/// A start takes the host `launch`, one start after the other, before the kernel can begin; the listener hears of an
/// end `notice` later. So an idle device loses both between two tasks, and one with a queue neither.
class ModelledDevice final : public Device {
 public:
  struct Options {
    std::string name;
    platform::VirtualTime* time = nullptr;
    /// How long a task takes on this device.
    std::function<Result<Duration>(const graph::Task&)> duration;
    /// Asked at each kernel's end: why the task fails and its kernel is not executed, or null. May be empty.
    std::function<graph::FailureLog::Cause(const graph::Task&)> fault = nullptr;
    Duration launch{};
    Duration notice{};
    /// That a kernel has which starts now: several on a cluster. Which of them compute is not modelled. Empty: one.
    std::function<int()> cores = nullptr;
    /// Where to note every task, or null.
    WorkerTrace* trace = nullptr;
    /// Executes kernels; null: nobody does.
    std::unique_ptr<CoreDevice> executor;
  };

  /// `listener` outlives the device.
  ModelledDevice(Options options, DeviceListener& listener);
  ~ModelledDevice() override;

  [[nodiscard]] std::string name() const override { return options_.name; }
  using Device::start;
  Started start(graph::Task& task, std::span<graph::Task* const> behind) noexcept override;
  void take_back(graph::TaskList& not_begun) noexcept override;

 private:
  struct Queued {
    graph::Task* task = nullptr;
    Duration duration{};
    int cores = 1;
    /// Its launch has been made.
    TimeStamp launched{};
  };
  /// One that has ended on the device, and of which the listener has not heard.
  struct Ended {
    Queued one;
    graph::FailureLog::Cause cause;
    platform::EventId notice;
  };

  void begin();
  void end(TimeStamp begun);
  void tell();
  void note(const Queued& one, TimeStamp begun, bool failed) noexcept;

  Options options_;
  DeviceListener& listener_;
  /// The first runs, unless a failure holds the device.
  std::deque<Queued> queue_;
  platform::EventId end_;
  bool running_ = false;
  /// A task has failed, and `take_back` has not been called.
  bool held_ = false;
  std::deque<Ended> ended_;
  /// The last launch's end.
  TimeStamp launched_{};
};

}  // namespace troupe::workers
