/// A device in virtual time.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "actors/workers/devices/core_device.hpp"
#include "actors/workers/devices/device.hpp"
#include "actors/workers/worker_trace.hpp"
#include "platform/virtual/virtual_time.hpp"
#include "troupe/errors.hpp"

namespace troupe::workers {

/// Kernels run one after the other, in the order of their starts. A kernel is an event in virtual time, at the kernel's
/// end. If kernels are executed, they are executed at that event, so that the run computes the same results as a real
/// run.
///
/// A kernel can begin when the host has spent the time `launch` on the kernel's start; the host starts one kernel after
/// the other. The end of a kernel is reported to the listener only after the time `notice`. So a device that runs empty
/// loses both times between two tasks, and a device with queued tasks loses neither.
///
/// If `core.board` is set, as it is on cores, a task of pieces runs in ranges of pieces, and all pieces are assumed to
/// take equally long. Each range that a worker takes is an event, and other workers can take ranges, too.
class ModelledDevice final : public Device {
 public:
  struct Options {
    /// The device's name and worker, and other options that a modelled device shares with a core. `find_replica` is
    /// used only if kernels are executed.
    CoreDevice::Options core;
    /// True if kernels are executed. If false, data are never touched: only kernels of nested tasks are executed,
    /// because these tasks have no data.
    bool executes = false;
    platform::VirtualTime* time = nullptr;
    /// Returns the time that a task takes on this device.
    std::function<Result<Duration>(const graph::Task&)> duration;
    /// Called at each kernel's modelled end, before any execution. Returns why the task fails (the kernel is then not
    /// executed), or null. May be empty.
    std::function<graph::FailureLog::Cause(const graph::Task&)> fault = nullptr;
    Duration launch{};
    Duration notice{};
    /// Returns the number of cores of a kernel that starts now: several on a cluster. The model does not say which of
    /// these cores compute. If this function is empty, each kernel uses one core.
    std::function<int()> cores = nullptr;
  };

  /// `listener` outlives the device.
  ModelledDevice(Options options, DeviceListener& listener);
  ~ModelledDevice() override;

  [[nodiscard]] std::string name() const override { return options_.core.name; }
  using Device::start;
  Started start(graph::Task& task, std::span<graph::Task* const> behind) noexcept override;
  void take_back(graph::TaskList& not_begun) noexcept override;
  PiecesDone help(SharedPieces& shared, PieceRange first, const std::function<bool()>& leave) noexcept override;

 private:
  /// The pieces of a task that this device runs.
  struct DevicePieces {
    /// Null if the device runs the whole task, including all pieces of a task of pieces.
    SharedPieces* of = nullptr;
    /// The number of all pieces; empty if the task is not made of pieces.
    std::optional<std::uint32_t> all = {};
    /// The pieces that run now.
    PieceRange now = {};
    std::uint32_t done = 0;
    /// The time of the pieces that are done.
    Duration took{};
    bool owner = false;
  };
  struct Queued {
    graph::Task* task = nullptr;
    /// The time of the whole task.
    Duration duration{};
    int cores = 1;
    /// The time at which the task's launch is finished.
    TimeStamp launched{};
    DevicePieces pieces = {};
  };
  /// A task that has ended on the device, but whose end has not been reported to the listener yet.
  struct Ended {
    Queued one;
    graph::FailureLog::Cause cause;
    platform::EventId notice;
  };

  /// Returns the time of the whole task on this device; a failure names the task.
  Result<Duration> duration_of(const graph::Task& task) noexcept;
  /// Opens a task of pieces that other workers can join, and takes the first pieces.
  Result<DevicePieces> open(graph::Task& task) noexcept;
  /// Executes the kernel, if kernels are executed or the task is nested.
  graph::FailureLog::Cause execute(const Queued& one) noexcept;
  /// Calls `all_taken` if no other worker can join from here on.
  void look_at_last(const Queued& one);
  void begin();
  /// Returns the time until the next event: the end of the pieces that run, or of the whole task.
  [[nodiscard]] static Duration length(const Queued& one);
  void end(TimeStamp begun);
  void end_of_pieces(TimeStamp begun);
  /// Leaves the task. Called when the pieces that ran have ended, with or without a failure.
  void leave(const Queued& one);
  void tell();
  void note(const Queued& one, TimeStamp begun, bool failed) noexcept;

  Options options_;
  DeviceListener& listener_;
  CoreDevice executor_;
  /// Tasks in the order of their starts. The first task runs, unless the device is stopped after a failure (`held_`).
  std::deque<Queued> queue_;
  platform::EventId end_;
  bool running_ = false;
  /// If the first task in the queue runs in pieces: the time at which the task began.
  TimeStamp pieces_begun_{};
  /// Returns true if the device is to stop helping with its present task.
  std::function<bool()> leaves_ = nullptr;
  /// True if a task has failed, and `take_back` has not been called since.
  bool held_ = false;
  std::deque<Ended> ended_;
  /// The time at which the last launch ends.
  TimeStamp launched_{};
};

}  // namespace troupe::workers
