/// Codelet times: the times of tasks in virtual time that the program itself gives.
#pragma once

#include <chrono>
#include <concepts>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "graph/codelets/layout.hpp"
#include "proto/units.hpp"

namespace troupe {

/// The properties that the time of a task may depend on. Tasks of one codelet on data of equal shapes count as alike,
/// unless they differ in operations (`Codelet::flops`) or in `Codelet::footprint`: a time is asked for once for all
/// tasks that are alike.
struct TimedTask {
  /// The operations, as the codelet counts them; 0 if it does not.
  double flops = 0;
  /// The shapes of its data, in the order of the handles.
  std::span<const Layout> data;
  /// The number of cores of the worker that it would run on: more than one on a cluster (`CodeletTimes::most_cores`).
  int cores = 1;
  /// The number of the GPU in the machine's description; -1 on cores.
  int gpu = -1;
};

/// A time, or a function that returns it; empty: tasks do not run there.
class TaskTime {
 public:
  TaskTime() = default;
  template <class Rep, class Period>
  TaskTime(std::chrono::duration<Rep, Period> time)  // NOLINT: a time is one
      : of_([time = std::chrono::duration_cast<Duration>(time)](const TimedTask&) { return time; }) {}
  /// The function must return the same for the same task. If it throws, the task fails.
  template <class F>
  requires std::is_invocable_r_v<Duration, F, const TimedTask&> TaskTime(F function)
      : of_(std::move(function)) {}  // NOLINT

  explicit operator bool() const { return static_cast<bool>(of_); }
  [[nodiscard]] Duration operator()(const TimedTask& task) const { return of_(task); }

 private:
  std::function<Duration(const TimedTask&)> of_;
};

/// The times of one codelet on each kind of device.
struct CodeletTimes {
  TaskTime core = {};
  /// The time on every GPU; a function may tell the GPUs apart.
  TaskTime gpu = {};
  /// The standard deviation divided by the mean: times vary by it with `SimulationOptions::noise`.
  double deviation = 0;
  /// The number of cores of a cluster that one task can make use of. `core` is told how many it has.
  int most_cores = 1;
};

/// Times by the name that a codelet is timed as, or by the codelet's name if it has none.
using TimesOfCodelets = std::map<std::string, CodeletTimes, std::less<>>;

}  // namespace troupe
