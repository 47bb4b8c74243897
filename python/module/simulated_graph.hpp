/// A program's own graph, which can run in virtual time any number of times.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "troupe/access.hpp"
#include "troupe/errors.hpp"
#include "troupe/report.hpp"
#include "troupe/runtime_options.hpp"
#include "troupe/trace.hpp"

namespace troupe::python {

/// A kernel in a simulation: the access modes of its tasks, and their times on the kinds of device.
struct SimulatedKernel {
  /// The name in reports and traces. All kernels of one codelet have the same name.
  std::string name;
  std::vector<AccessMode> modes;
  /// The time of a task in seconds, on one core (`core_s`) and on any GPU (`gpu_s`); empty if the kernel does not run
  /// on that kind of device. At least one of the two, or `timed_as`, must be set.
  std::optional<double> core_s = std::nullopt;
  std::optional<double> gpu_s = std::nullopt;
  /// The standard deviation of both times, divided by the mean. It has an effect only with `SimulationOptions::noise`.
  double deviation = 0;
  /// A kernel of the machine, such as "cholesky/gemm/double". Its times for `flops` operations are used in place of
  /// `core_s` and `gpu_s`.
  std::string timed_as = {};
  /// The floating-point operations of one task; 0 if not known.
  double flops = 0;
};

/// The result of one run.
struct SimulatedOutcome {
  /// The virtual time at which the last task had ended.
  double makespan_s = 0;
  RunReport report;
  Trace trace;
};

/// A graph whose data have sizes but no memory. Numbers of data and kernels count from 0, in the order in which the
/// data and kernels were added. When the graph is run, its data and tasks are checked as `Runtime::submit` checks them.
/// Only one thread at a time may use the graph.
class SimulatedGraph {
 public:
  /// Throws `invalid_argument` for sizes below 0.
  std::uint32_t add_data(std::int64_t rows, std::int64_t cols, std::uint32_t element_bytes, std::string name);
  /// Throws `invalid_argument` for times that are not positive.
  std::uint32_t add_kernel(SimulatedKernel kernel);
  /// Adds a task. Throws `signature_mismatch` if the number of data differs from the kernel's number of modes, and
  /// `invalid_handle` for unknown numbers.
  void add_task(std::uint32_t kernel, std::span<const std::uint32_t> data, int priority, std::string name);
  /// Adds a wait: in a run, the program waits here for all earlier tasks before it submits more.
  void add_wait();

  [[nodiscard]] std::size_t tasks() const { return tasks_.size(); }

  /// Runs the whole graph, from virtual time 0. `options.simulation` must not be null; this function sets the options
  /// `window` and `trace`. Throws as `Runtime` does, and `bad_input` if the machine has no times for a kernel.
  [[nodiscard]] SimulatedOutcome run(RuntimeOptions options) const;

 private:
  struct SimulatedData {
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::uint32_t element_bytes = 0;
    /// True if some task uses these data in mode reduce.
    bool reduced = false;
    std::string name;
  };
  struct SimulatedTask {
    std::uint32_t kernel = 0;
    /// The index in `uses_` at which the task's data begin.
    std::size_t first = 0;
    int priority = 0;
    /// The index into `names_`.
    std::uint32_t name = 0;
    /// True if the program waits before it submits this task.
    bool after_wait = false;
  };

  std::vector<SimulatedData> data_;
  std::vector<SimulatedKernel> kernels_;
  std::vector<SimulatedTask> tasks_;
  std::vector<std::uint32_t> uses_;
  std::vector<std::string> names_{std::string()};
  bool waits_ = false;
};

}  // namespace troupe::python
