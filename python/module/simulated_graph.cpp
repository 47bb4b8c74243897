#include "python/module/simulated_graph.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "client/backend.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "troupe/runtime.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::python {

namespace {

/// The program's kernels have these two names in place of an application and a precision. `kApplication` distinguishes
/// them from the machine's own kernels.
constexpr const char* kApplication = "program";
constexpr const char* kPrecision = "any";

bool has_own_times(const SimulatedKernel& kernel) { return kernel.timed_as.empty(); }

/// Returns the times of a kernel. The times do not depend on the size of a tile, so the curve has only one point.
platform::KernelTimes times_of(const SimulatedKernel& kernel, const std::string& name, std::size_t gpus) {
  constexpr double kMicroseconds = 1e6;
  const auto time = [&](double seconds) {
    return platform::KernelTime{seconds * kMicroseconds, kernel.deviation * seconds * kMicroseconds};
  };
  platform::TileTimes tile;
  tile.edge = 1;
  if (kernel.core_s) tile.cpu = time(*kernel.core_s);
  if (kernel.gpu_s) tile.gpus.assign(gpus, time(*kernel.gpu_s));
  return {kApplication, name, kPrecision, {tile}, gpus};
}

/// A placeholder for an implementation, which shows that a kind of device can run the codelet. It is never called in
/// virtual time.
void stands_for_an_implementation(const KernelContext&) {}

Codelet codelet_of(const SimulatedKernel& kernel, const std::string& own_name,
                   const platform::MachineDescription& machine) {
  Codelet codelet(kernel.name, kernel.modes);
  bool on_cores = kernel.core_s.has_value();
  bool on_gpus = kernel.gpu_s.has_value();
  if (has_own_times(kernel)) {
    codelet.timed_as(fmt::format("{}/{}/{}", kApplication, own_name, kPrecision));
  } else {
    codelet.timed_as(kernel.timed_as);
    const std::size_t first = kernel.timed_as.find('/');
    const std::size_t last = kernel.timed_as.rfind('/');
    const platform::KernelTimes* times = nullptr;
    if (first != std::string::npos && first != last) {
      const std::string_view text = kernel.timed_as;
      times =
          machine.find_kernel(text.substr(0, first), text.substr(first + 1, last - first - 1), text.substr(last + 1));
    }
    if (times == nullptr) {
      throw Error(ErrorCode::bad_input,
                  fmt::format("codelet '{}': machine '{}' has no times for kernel '{}' (application/kernel/precision)",
                              kernel.name, machine.name, kernel.timed_as));
    }
    on_cores = times->on_cpu();
    on_gpus = times->on_gpus();
  }
  // The footprint distinguishes tasks of kernels with different times, whose data may have the same shapes.
  codelet.footprint([hash = std::hash<std::string>{}(own_name)](const KernelContext&) { return hash; });
  if (on_cores) codelet.cpu(stands_for_an_implementation);
  if (on_gpus) codelet.cuda(stands_for_an_implementation);
  if (kernel.flops > 0) codelet.flops([flops = kernel.flops](const KernelContext&) { return flops; });
  return codelet;
}

/// Refuses a kernel that no device of this run can execute; the message speaks of times rather than of implementations.
void check_devices(const SimulatedKernel& kernel, const Codelet& codelet, const RuntimeOptions& options) {
  const auto& kernels = codelet.definition().kernels;
  const bool on_cores = kernels[static_cast<std::size_t>(DeviceKind::cpu_core)] != nullptr;
  const bool on_gpus = kernels[static_cast<std::size_t>(DeviceKind::cuda)] != nullptr;
  if (on_cores || (on_gpus && !options.simulation->gpus.empty())) return;
  throw Error(ErrorCode::no_implementation,
              fmt::format("codelet '{}' has a time on GPUs only, and this run is without: give it a time on cores, or "
                          "the run GPUs",
                          kernel.name));
}

void check_time(const SimulatedKernel& kernel, const std::optional<double>& seconds, const char* where) {
  // The limits are a day, and a nanosecond, which is the resolution of virtual time.
  constexpr double kLongest = 86400;
  constexpr double kShortest = 1e-9;
  if (!seconds || (*seconds >= kShortest && *seconds <= kLongest)) return;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("codelet '{}': a time of {} s on {}: give seconds, from 1e-9 to {:.0f}", kernel.name,
                          *seconds, where, kLongest));
}

}  // namespace

std::uint32_t SimulatedGraph::add_data(std::int64_t rows, std::int64_t cols, std::uint32_t element_bytes,
                                       std::string name) {
  if (rows < 0 || cols < 0 || element_bytes == 0) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("data of {} x {} elements of {} bytes", rows, cols, element_bytes));
  }
  data_.push_back({rows, cols, element_bytes, false, std::move(name)});
  return static_cast<std::uint32_t>(data_.size() - 1);
}

std::uint32_t SimulatedGraph::add_kernel(SimulatedKernel kernel) {
  check_time(kernel, kernel.core_s, "cores");
  check_time(kernel, kernel.gpu_s, "GPUs");
  if (has_own_times(kernel) && !kernel.core_s && !kernel.gpu_s) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("codelet '{}' has a time neither on cores nor on GPUs", kernel.name));
  }
  if (!(kernel.deviation >= 0 && kernel.deviation <= 10) || !(kernel.flops >= 0) || !std::isfinite(kernel.flops)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("codelet '{}': a deviation is a share of the mean, from 0 to 10, and operations are a "
                            "number from 0",
                            kernel.name));
  }
  kernels_.push_back(std::move(kernel));
  return static_cast<std::uint32_t>(kernels_.size() - 1);
}

void SimulatedGraph::add_task(std::uint32_t kernel, std::span<const std::uint32_t> data, int priority,
                              std::string name) {
  if (kernel >= kernels_.size()) throw Error(ErrorCode::invalid_argument, "no such kernel");
  const std::vector<AccessMode>& modes = kernels_[kernel].modes;
  if (data.size() != modes.size()) {
    throw Error(ErrorCode::signature_mismatch,
                fmt::format("a task of codelet '{}' has {} data: the codelet declares {} modes", kernels_[kernel].name,
                            data.size(), modes.size()));
  }
  for (const std::uint32_t number : data) {
    if (number >= data_.size()) throw Error(ErrorCode::invalid_handle, "no such data in this simulation");
  }
  SimulatedTask task{kernel, uses_.size(), priority, 0, std::exchange(waits_, false)};
  if (!name.empty()) {
    task.name = static_cast<std::uint32_t>(names_.size());
    names_.push_back(std::move(name));
  }
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (modes[i] == AccessMode::reduce) data_[data[i]].reduced = true;
    uses_.push_back(data[i]);
  }
  tasks_.push_back(task);
}

void SimulatedGraph::add_wait() { waits_ = !tasks_.empty(); }

SimulatedOutcome SimulatedGraph::run(RuntimeOptions options) const {
  auto simulation = std::make_shared<SimulationOptions>(*options.simulation);
  platform::MachineDescription& machine = simulation->machine;
  std::vector<std::string> own_names(kernels_.size());
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    if (!has_own_times(kernels_[i])) continue;
    // The number in the name distinguishes times. Codelets keep the name without the number, so a policy that learns
    // times learns from all sizes of a codelet.
    own_names[i] = fmt::format("{}#{}", kernels_[i].name, i);
    machine.kernels.push_back(times_of(kernels_[i], own_names[i], machine.gpus.size()));
  }
  std::vector<Codelet> codelets;
  codelets.reserve(kernels_.size());
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    codelets.push_back(codelet_of(kernels_[i], own_names[i], machine));
    check_devices(kernels_[i], codelets.back(), options);
  }
  options.simulation = std::move(simulation);
  options.trace = true;
  // Make the window so large that policies can see the whole graph, and the trace so large that it loses nothing.
  options.window = std::size_t{1} << 24U;
  options.observation.trace_limit = std::numeric_limits<std::size_t>::max();
  Runtime runtime(options);
  std::vector<Handle> handles;
  handles.reserve(data_.size());
  for (const SimulatedData& data : data_) {
    const Layout layout{data.rows, data.cols, std::max<std::int64_t>(data.rows, 1), data.element_bytes, 0};
    handles.push_back(runtime.backend().register_data({layout, nullptr, nullptr, data.name}).value_or_throw());
    if (!data.reduced) continue;
    runtime.set_reduction(handles.back(), {[](const DataView&) {}, [](const DataView&, const DataView&) {}});
  }
  std::vector<Access> accesses;
  for (const SimulatedTask& task : tasks_) {
    if (task.after_wait) runtime.wait();
    accesses.clear();
    const std::size_t count = kernels_[task.kernel].modes.size();
    for (std::size_t i = 0; i < count; ++i) accesses.emplace_back(handles[uses_[task.first + i]]);
    runtime.submit(codelets[task.kernel], accesses, {}, {.priority = task.priority, .name = names_[task.name]});
  }
  runtime.wait();
  SimulatedOutcome outcome;
  outcome.report = runtime.report();
  outcome.makespan_s = seconds(outcome.report.virtual_time.value_or(Duration{}));
  outcome.trace = runtime.take_trace();
  return outcome;
}

}  // namespace troupe::python
