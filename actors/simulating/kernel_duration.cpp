#include "actors/simulating/kernel_duration.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "graph/codelets/type_names.hpp"
#include "proto/random.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::actors {

namespace {

/// The three words of a name such as "cholesky/gemm/double"; application and precision are empty if there are none.
struct TimedAs {
  std::string_view application;
  std::string_view kernel;
  std::string_view precision;
};

TimedAs timed_as(std::string_view text) {
  const std::size_t first = text.find('/');
  const std::size_t last = text.rfind('/');
  if (first == std::string_view::npos || first == last) return {"", text, ""};
  return {text.substr(0, first), text.substr(first + 1, last - first - 1), text.substr(last + 1)};
}

/// Returns a random number with the standard normal distribution. It depends only on seed and task.
double normal(std::uint64_t seed, TaskId task) {
  Random random(seed * 0x9e3779b97f4a7c15ULL ^ (task.value() + 1) * 0xd1b54a32d192ed03ULL);
  (void)random.next();
  const double u = (static_cast<double>(random.next() >> 11U) + 0.5) * 0x1p-53;
  const double v = static_cast<double>(random.next() >> 11U) * 0x1p-53;
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * M_PI * v);
}

}  // namespace

const platform::KernelTimes* find_times(const platform::MachineDescription& machine, std::string_view kernel) {
  const TimedAs names = timed_as(kernel);
  return machine.find_kernel(names.application, names.kernel, names.precision);
}

Result<platform::KernelTime> described_time(const platform::MachineDescription& machine, const std::string& kernel,
                                            double flops, const DescribedDevice& device) {
  const platform::KernelTimes* const times = find_times(machine, kernel);
  if (times == nullptr) {
    return Failure{ErrorCode::bad_input,
                   fmt::format("machine '{}' has no times for kernel '{}' (application/kernel/precision), which it is "
                               "timed as: add them to its description",
                               machine.name, kernel)};
  }
  const bool on_gpu = is_accelerator(device.type.kind);
  if (!(on_gpu ? times->on_gpus() : times->on_cpu())) {
    return Failure{ErrorCode::bad_input, fmt::format("machine '{}' has no time for kernel '{}' on a {}", machine.name,
                                                     kernel, to_string(device.type))};
  }
  const double edge = times->edge_with(flops);
  if (on_gpu) return times->gpu(device.gpu, edge);
  if (device.type.cores > 1 && !times->on_clusters()) {
    return Failure{ErrorCode::bad_input,
                   fmt::format("machine '{}' has no times for kernel '{}' on clusters of cores: add cluster_us to its "
                               "description",
                               machine.name, kernel)};
  }
  return times->cluster(device.type.cores, edge);
}

namespace {

/// Returns, for example, " on data of 4 x 4, 4 x 1".
std::string sizes_of(const graph::SizeClass& size_class) {
  std::string text = size_class.data.empty() ? "" : " on data of ";
  for (const Layout& layout : size_class.data) {
    if (&layout != &size_class.data.front()) text += ", ";
    text += shape_text(layout);
  }
  return text;
}

}  // namespace

Result<platform::KernelTime> given_time(const CodeletTimes& times, const graph::SizeClass& size_class,
                                        const DescribedDevice& device) {
  constexpr double kMost_us = 1e12;
  const bool on_gpu = is_accelerator(device.type.kind);
  const TaskTime& time = on_gpu ? times.gpu : times.core;
  const auto refuse = [&](const std::string& what) {
    return Failure{ErrorCode::bad_input,
                   fmt::format("{} on a {}{}", what, to_string(device.type), sizes_of(size_class))};
  };
  if (!time) return refuse("SimulationOptions::times has no time for it");
  TimedTask task;
  task.flops = size_class.flops;
  task.data = size_class.data;
  task.cores = device.type.cores;
  task.gpu = on_gpu ? static_cast<int>(device.gpu) : -1;
  double mean_us = 0;
  try {
    mean_us = std::chrono::duration<double, std::micro>(time(task)).count();
  } catch (const std::exception& error) {
    return refuse(fmt::format("the function that says its time threw '{}'", error.what()));
  } catch (...) {
    return refuse("the function that says its time threw");
  }
  if (!(mean_us >= 0 && mean_us <= kMost_us)) {
    return refuse(fmt::format("a time of {} us, which must be at least 0 and at most 10^12,", mean_us));
  }
  if (!std::isfinite(times.deviation) || times.deviation < 0) {
    return refuse(fmt::format("a deviation of {}, which must be a number of at least 0,", times.deviation));
  }
  return platform::KernelTime{mean_us, times.deviation * mean_us};
}

Duration kernel_duration(const SimulationOptions& options, const platform::KernelTime& time, DeviceKind kind,
                         TaskId task) {
  double us = time.mean_us;
  if (options.noise && us > 0 && time.deviation_us > 0) {
    const double ratio = time.deviation_us / us;
    const double variance = std::log1p(ratio * ratio);
    us *= std::exp(std::sqrt(variance) * normal(options.seed, task) - variance / 2);
  }
  const Duration overhead = is_accelerator(kind) ? options.accelerators.kernel_overhead : Duration::zero();
  return Duration(std::llround(us * 1000)) + overhead;
}

}  // namespace troupe::actors
