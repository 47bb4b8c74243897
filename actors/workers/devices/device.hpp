/// The interface of the device that a worker drives.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "actors/workers/shared_pieces.hpp"
#include "graph/tasks/failure_log.hpp"
#include "graph/tasks/task.hpp"
#include "troupe/ids.hpp"
#include "troupe/units.hpp"

namespace troupe::workers {

class CoreTeam;

/// A device's answer to `start`.
struct Started {
  /// If true, the kernel has run, and `cause` says whether it failed. If false, either `done` will be called later, or
  /// the device has run pieces of the task (`Device::take_pieces_done`).
  bool finished = false;
  graph::FailureLog::Cause cause;
};

/// Called by an asynchronous device, from any thread, once for each task that `start` did not finish.
class DeviceListener {
 public:
  virtual ~DeviceListener() = default;
  /// Reports the end of a task. `cause` is empty if the kernel succeeded. `took` is the time for which the task used
  /// the device; negative if the device cannot measure this time better than the worker that started the task. If
  /// several tasks share the device at a time, the time is divided among them: all values of `took` add up to the time
  /// in which the device was busy.
  virtual void done(graph::Task& task, graph::FailureLog::Cause cause, Duration took) noexcept = 0;
  void done(graph::Task& task, graph::FailureLog::Cause cause) noexcept { done(task, std::move(cause), Duration(-1)); }
  /// Called in place of `done` if the device ran pieces of a task; `pieces` describes these pieces. The device takes no
  /// more pieces of the task, but other workers may still run some, so the worker has to leave the task.
  virtual void pieces_done(const PiecesDone& /*pieces*/) noexcept {}
};

/// A core, a GPU, or another device that runs kernels. Used only by the worker's thread. The functions never throw: if
/// a kernel throws, its task fails.
class Device {
 public:
  /// Ends the tasks that were started: the destructor of an asynchronous device calls `done` for every task in flight,
  /// with a cause if the kernel did not run. Only a worker that died leaves tasks in flight.
  virtual ~Device() = default;

  /// Returns the device's name for messages to people, such as "cpu core 3".
  [[nodiscard]] virtual std::string name() const = 0;
  /// Starts the task's kernel. `behind` holds tasks that were started here, may not have ended yet, and must end before
  /// the kernel begins. A kernel with such tasks is *issued* behind them, which only some kinds allow
  /// (`DeviceTraits::issues`).
  virtual Started start(graph::Task& task, std::span<graph::Task* const> behind) noexcept = 0;
  Started start(graph::Task& task) noexcept { return start(task, {}); }
  /// Called once for each task that `start` did not finish. Returns the pieces of a task that the device did: no piece
  /// is left to be taken, but other workers may still run some, so the worker has to leave the task. For other tasks,
  /// `PiecesDone::of` is null.
  [[nodiscard]] virtual PiecesDone take_pieces_done() noexcept { return {}; }
  /// For cores and clusters: runs pieces of a task that another worker has begun, starting with `first`, which this
  /// worker has taken, until none is left or `leave()` is true. Then the worker has to leave the task. If the device
  /// will report the end to the listener later, `PiecesDone::of` is null; until then the device keeps calling `leave`.
  [[nodiscard]] virtual PiecesDone help(SharedPieces& /*shared*/, PieceRange /*first*/,
                                        const std::function<bool()>& /*leave*/) noexcept {
    return {};
  }
  /// Called once for each task that failed. Appends the tasks that were started but whose kernels have not begun,
  /// oldest first. The device forgets these tasks and does not report them to the listener. If a device queues tasks
  /// and notices a failure before the next task begins, it begins no further task until this call. A GPU notices only
  /// one failure early enough: a kernel that could not be enqueued.
  virtual void take_back(graph::TaskList& /*not_begun*/) noexcept {}
  /// For kinds that are polled (`DeviceTraits`): calls the listener's `done` for the tasks that have ended. A worker
  /// with nothing else to do calls this function again and again while tasks are in flight.
  virtual void poll() noexcept {}
  // The next functions are for cores whose kernels wait for other tasks.
  /// Returns true if other kernels may run in the calling thread while a kernel of this device waits.
  [[nodiscard]] virtual bool allows_on_top() const noexcept { return false; }
  /// Makes another device on the same cores, for another thread, or for kernels that run while a kernel of this device
  /// waits.
  [[nodiscard]] virtual std::unique_ptr<Device> make_twin() const { return nullptr; }
  /// Undoes in the calling thread what the last kernel's prologue did, if the prologue is still in effect.
  virtual void end_prologue() noexcept {}
  /// Called when a kernel of this device has waited for other tasks for this time.
  virtual void note_wait(Duration /*waited*/) noexcept {}
  /// For cores: from now on, kernels use the cores of `team`; null stands for a single core. Called only between two
  /// kernels, when the cluster changes.
  virtual void use_team(std::shared_ptr<CoreTeam> /*team*/) noexcept {}
};

}  // namespace troupe::workers
