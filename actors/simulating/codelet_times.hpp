/// How long tasks take in virtual time by the program's own word.
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

/// What the time of a task may depend on. Tasks of one codelet on data of equal shapes count as alike, unless they
/// differ in operations (`Codelet::flops`) or in `Codelet::footprint`: a time is asked for once for all that are alike.
struct TimedTask {
  /// As the codelet counts them; 0 where it does not.
  double flops = 0;
  /// The shapes of its data, in the order of the handles.
  std::span<const Layout> data;
  /// Of the worker that it would run on: more than one on a cluster (`CodeletTimes::most_cores`).
  int cores = 1;
  /// The number of the GPU in the machine's description; -1 on cores.
  int gpu = -1;
};

/// A time, or a function that says it; empty: tasks do not run there.
class TaskTime {
 public:
  TaskTime() = default;
  template <class Rep, class Period>
  TaskTime(std::chrono::duration<Rep, Period> time)  // NOLINT: a time is one
      : of_([time = std::chrono::duration_cast<Duration>(time)](const TimedTask&) { return time; }) {}
  /// Must return the same for the same task. What it throws fails the task.
  template <class F>
  requires std::is_invocable_r_v<Duration, F, const TimedTask&> TaskTime(F function)
      : of_(std::move(function)) {}  // NOLINT

  explicit operator bool() const { return static_cast<bool>(of_); }
  [[nodiscard]] Duration operator()(const TimedTask& task) const { return of_(task); }

 private:
  std::function<Duration(const TimedTask&)> of_;
};

/// Of one codelet, on each kind of device.
struct CodeletTimes {
  TaskTime core = {};
  /// Of every GPU; a function may tell them apart.
  TaskTime gpu = {};
  /// Standard deviation over mean: with `SimulationOptions::noise` times vary so.
  double deviation = 0;
  /// Cores of a cluster that one task can make use of. `core` is told how many it has.
  int most_cores = 1;
};

/// By what codelets are timed as, else by their names.
using TimesOfCodelets = std::map<std::string, CodeletTimes, std::less<>>;

}  // namespace troupe
