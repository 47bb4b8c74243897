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
#include "proto/errors.hpp"

namespace troupe::workers {

/// Kernels run one after the other, in the order of their starts. A kernel is an event at its end. With an executor it
/// is then executed, so that the run computes what a real one would; without, data are never touched.
///
/// A start takes the host `launch`, one start after the other, before the kernel can begin; the listener hears of an
/// end `notice` later. So an idle device loses both between two tasks, and one with a queue neither.
///
/// With a board, as on cores, a task of pieces takes its time in pieces, all of which are taken to take equally long:
/// each range that a worker takes is an event, and other workers can take some.
class ModelledDevice final : public Device {
 public:
  struct Options {
    std::string name;
    const graph::TaskGraph* graph = nullptr;
    WorkerId worker;
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
    /// As `CoreDevice::Options` has them.
    PieceBoard* board = nullptr;
    std::function<void(const SharedPieces&)> opened = nullptr;
    std::function<void(const graph::Task&)> all_taken = nullptr;
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
  PartOfTask help(SharedPieces& shared, PieceRange first, const std::function<bool()>& leave) noexcept override;

 private:
  /// Pieces that this device runs.
  struct Part {
    /// Null: the task runs as a whole, which may be all of its pieces.
    SharedPieces* of = nullptr;
    /// Nothing: the task is not made of pieces.
    std::optional<std::uint32_t> all = {};
    /// Those that run.
    PieceRange now = {};
    std::uint32_t done = 0;
    /// Of those that are done.
    Duration took{};
    bool owner = false;
  };
  struct Queued {
    graph::Task* task = nullptr;
    /// Of the whole task.
    Duration duration{};
    int cores = 1;
    /// Its launch has been made.
    TimeStamp launched{};
    Part part = {};
  };
  /// One that has ended on the device, and of which the listener has not heard.
  struct Ended {
    Queued one;
    graph::FailureLog::Cause cause;
    platform::EventId notice;
  };

  /// How long the task takes here, as a whole; a failure says so of the task.
  Result<Duration> duration_of(const graph::Task& task) noexcept;
  /// A task of pieces that others can take part in: takes the first of them.
  Result<Part> open(graph::Task& task) noexcept;
  /// Executes its kernel, if kernels are executed.
  graph::FailureLog::Cause execute(const Queued& one) noexcept;
  /// Says that nobody can join, where that is so from here on.
  void look_at_last(const Queued& one);
  void begin();
  /// What of the first takes its time next.
  [[nodiscard]] static Duration length(const Queued& one);
  void end(TimeStamp begun);
  void end_of_pieces(TimeStamp begun);
  /// The part ends with the pieces that run, whatever becomes of them.
  void leave(const Queued& one);
  void tell();
  void note(const Queued& one, TimeStamp begun, bool failed) noexcept;

  Options options_;
  DeviceListener& listener_;
  /// The first runs, unless a failure holds the device.
  std::deque<Queued> queue_;
  platform::EventId end_;
  bool running_ = false;
  /// When the first began, if it runs in pieces.
  TimeStamp part_begun_{};
  /// Of the task that it helps with.
  std::function<bool()> leaves_ = nullptr;
  /// A task has failed, and `take_back` has not been called.
  bool held_ = false;
  std::deque<Ended> ended_;
  /// The last launch's end.
  TimeStamp launched_{};
};

}  // namespace troupe::workers
