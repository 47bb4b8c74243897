/// A program's own graph, to be run in virtual time any number of times.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "actors/reporting/run_report.hpp"
#include "actors/reporting/trace.hpp"
#include "actors/running/runtime_options.hpp"
#include "proto/access.hpp"
#include "proto/errors.hpp"

namespace troupe::python {

/// What tasks of one kernel do, as far as a simulation knows: how long they take, on which kinds of device.
struct SimulatedKernel {
  /// For people; kernels of one codelet have the same.
  std::string name;
  std::vector<AccessMode> modes;
  /// Seconds on one core and on any GPU; nothing: it does not run there. Both: at least one of the two is there, unless
  /// `timed_as` is.
  std::optional<double> core_s = std::nullopt;
  std::optional<double> gpu_s = std::nullopt;
  /// Standard deviation of either, as a share of the mean. Of effect with `SimulationOptions::noise`.
  double deviation = 0;
  /// In place of times: the machine's own, "cholesky/gemm/double", for so many operations.
  std::string timed_as = {};
  /// Floating-point operations of one task; 0: not known.
  double flops = 0;
};

/// What came of one run.
struct SimulatedOutcome {
  /// The virtual time at which the last task had ended.
  double makespan_s = 0;
  RunReport report;
  Trace trace;
};

/// Data have sizes and no memory. Numbers of data and kernels count from 0, in the order in which they were added. What
/// is added is checked as `Runtime::submit` checks it, when the graph is run. One thread at a time.
class SimulatedGraph {
 public:
  /// Throws `invalid_argument` for sizes below 0.
  std::uint32_t add_data(std::int64_t rows, std::int64_t cols, std::uint32_t element_bytes, std::string name);
  /// Throws `invalid_argument` for times that are not positive.
  std::uint32_t add_kernel(SimulatedKernel kernel);
  /// As many data as the kernel has modes; throws `signature_mismatch` where they are not, and `invalid_handle` for
  /// numbers that there are not.
  void add_task(std::uint32_t kernel, std::span<const std::uint32_t> data, int priority, std::string name);
  /// The program waits here for all tasks so far before it submits more.
  void add_wait();

  [[nodiscard]] std::size_t tasks() const { return tasks_.size(); }

  /// Runs all of it, from virtual time 0. `options.simulation` is not null; window and trace are chosen here. Throws as
  /// `Runtime` does, and `bad_input` where the machine has no times for a kernel.
  [[nodiscard]] SimulatedOutcome run(RuntimeOptions options) const;

 private:
  struct SimulatedData {
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    std::uint32_t element_bytes = 0;
    /// Some task reduces into it.
    bool reduced = false;
    std::string name;
  };
  struct SimulatedTask {
    std::uint32_t kernel = 0;
    /// Where its data begin in `uses_`.
    std::size_t first = 0;
    int priority = 0;
    /// Index into `names_`.
    std::uint32_t name = 0;
    /// The program waits before it submits this one.
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
