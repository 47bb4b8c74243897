/// What a worker drives.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "graph/tasks/failure_log.hpp"
#include "graph/tasks/task.hpp"
#include "proto/access.hpp"
#include "proto/ids.hpp"
#include "proto/units.hpp"

namespace troupe::workers {

/// How a device answers `start`.
struct Started {
  /// The kernel has run already: `cause` says whether it failed. False: `done` will be called later.
  bool finished = false;
  graph::FailureLog::Cause cause;
};

/// Called by an asynchronous device, from any thread, once for each task that `start` did not finish.
class DeviceListener {
 public:
  virtual ~DeviceListener() = default;
  /// `cause` is empty where the kernel succeeded. `took`: how long it ran, where the device knows better than whoever
  /// started it; else negative.
  virtual void done(graph::Task& task, graph::FailureLog::Cause cause, Duration took) noexcept = 0;
  void done(graph::Task& task, graph::FailureLog::Cause cause) noexcept { done(task, std::move(cause), Duration(-1)); }
};

/// One core, later a GPU or a cluster of cores. Used by its worker's thread only. Never throws: what a kernel throws
/// is the task's failure.
class Device {
 public:
  /// Ends what was started: an asynchronous device calls `done` for every task in flight before it returns, with a
  /// cause where the kernel did not run. Only a worker that died leaves any.
  virtual ~Device() = default;

  [[nodiscard]] virtual DeviceKind kind() const = 0;
  /// For people: "cpu core 3".
  [[nodiscard]] virtual std::string name() const = 0;
  /// Tasks that the device takes at a time.
  [[nodiscard]] virtual std::size_t slots() const { return 1; }
  virtual Started start(graph::Task& task) noexcept = 0;
  /// Whether somebody has to look for ended tasks: while any is in flight and nothing else is to be done, the worker
  /// calls `poll` again and again.
  [[nodiscard]] virtual bool polls() const { return false; }
  /// Calls the listener's `done` for the tasks that have ended. In the worker's thread.
  virtual void poll() noexcept {}
};

}  // namespace troupe::workers
