/// What a worker drives.
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
#include "proto/ids.hpp"
#include "proto/units.hpp"

namespace troupe::workers {

class CoreTeam;

/// How a device answers `start`.
struct Started {
  /// The kernel has run already: `cause` says whether it failed. False: `done` will be called later, or the task runs
  /// in pieces (`Device::take_part`).
  bool finished = false;
  graph::FailureLog::Cause cause;
};

/// Called by an asynchronous device, from any thread, once for each task that `start` did not finish.
class DeviceListener {
 public:
  virtual ~DeviceListener() = default;
  /// `cause` is empty where the kernel succeeded. `took`: how long it had the device, where that knows better than
  /// whoever started it; else negative. Of time that tasks share, each has its part: all together took as long as the
  /// device was busy, and one takes as long as alone.
  virtual void done(graph::Task& task, graph::FailureLog::Cause cause, Duration took) noexcept = 0;
  void done(graph::Task& task, graph::FailureLog::Cause cause) noexcept { done(task, std::move(cause), Duration(-1)); }
  /// In place of that where pieces were what the device ran: what it did. None is left to be taken, and others may
  /// still be at some, so the worker has to leave the task.
  virtual void part_done(const PartOfTask& /*part*/) noexcept {}
};

/// One core, a GPU, or what else runs kernels. Used by its worker's thread only. Never throws: what a kernel throws
/// is the task's failure.
class Device {
 public:
  /// Ends what was started: an asynchronous device calls `done` for every task in flight before it returns, with a
  /// cause where the kernel did not run. Only a worker that died leaves any.
  virtual ~Device() = default;

  /// For people: "cpu core 3".
  [[nodiscard]] virtual std::string name() const = 0;
  /// `behind`: tasks that were started here, of which not all may have ended, and whose ends the kernel has to wait
  /// for: it is *issued* behind them. Only where the kind says so (`DeviceTraits::issues`).
  virtual Started start(graph::Task& task, std::span<graph::Task* const> behind) noexcept = 0;
  Started start(graph::Task& task) noexcept { return start(task, {}); }
  /// Called once for each task that `start` did not finish. What it did of a task of pieces: none is left to be taken,
  /// and others may still be at some, so the worker has to leave the task. Else nothing.
  [[nodiscard]] virtual PartOfTask take_part() noexcept { return {}; }
  /// Runs pieces of a task that another worker has begun, from those that this one has taken on, until none is left or
  /// `leave()` is true. Then the worker has to leave it. Of cores and clusters alone. Returns nothing where the
  /// listener will hear of it; `leave` is asked until then.
  [[nodiscard]] virtual PartOfTask help(SharedPieces& /*shared*/, PieceRange /*first*/,
                                        const std::function<bool()>& /*leave*/) noexcept {
    return {};
  }
  /// Called once for each task that failed. Appends what was started and has not begun, oldest first, which the device
  /// forgets; the listener has not been told of them. A device that issues, and that can see a failure before what
  /// comes next begins, begins nothing until then; a GPU sees it only of kernels that could not be enqueued.
  virtual void take_back(graph::TaskList& /*not_begun*/) noexcept {}
  /// Calls the listener's `done` for the tasks that have ended. Of a kind that is polled (`DeviceTraits`): while tasks
  /// are in flight and nothing else is to be done, the worker calls this again and again.
  virtual void poll() noexcept {}
  /// The cores that kernels have from here on; null: one. Of a core, between two kernels, where its cluster changes.
  virtual void use_team(std::shared_ptr<CoreTeam> /*team*/) noexcept {}
};

}  // namespace troupe::workers
