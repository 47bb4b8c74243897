#include "apps/models/learned_machine.hpp"
#include "graph/codelets/codelet_definition.hpp"
#include "troupe/devices.hpp"

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace troupe::apps {

namespace {

using platform::KernelTime;
using platform::TileTimes;
using scheduler::KernelHistory;
using scheduler::KernelKey;
using scheduler::TaskMeasures;
using scheduler::TimeLaw;
using scheduler::TimeStatistics;

/// The edge that stands for all tiles if operations are not counted.
constexpr double kOneEdge = 1;

/// The times of tasks that count as one size: their mean, weighted by the number of measurements.
struct Pooled {
  double weight = 0;
  double mean_s = 0;
  double variance = 0;

  void add(const TimeStatistics& times) {
    const double more = times.weight();
    weight += more;
    mean_s += (times.mean_s() - mean_s) * more / weight;
    variance += (times.deviation_s() * times.deviation_s() - variance) * more / weight;
  }
  [[nodiscard]] KernelTime time() const { return {mean_s * 1e6, std::sqrt(variance) * 1e6}; }
};

/// The measurements of one size: times by number of cores, and the hash of the data's shapes, by which the history
/// finds the size.
struct Measured {
  std::uint64_t shapes = 0;
  TaskMeasures task;
  std::map<int, Pooled> on_cores;
};

/// Returns one core's time for the measured size: the measured time if there is one, otherwise a prediction from other
/// measurements.
std::optional<KernelTime> core_time(const scheduler::ExecutionHistory& history, const KernelKey& on_one,
                                    const Measured& measured) {
  if (const auto known = measured.on_cores.find(1); known != measured.on_cores.end()) return known->second.time();
  const auto alone = history.kernels().find(on_one);
  std::optional<TimeLaw::Prediction> time;
  if (alone != history.kernels().end() && alone->second.law().count() >= KernelHistory::kEnough)
    time = alone->second.predict(measured.shapes, measured.task);
  if (!time) time = history.predict_from_other_cores(on_one, measured.shapes, measured.task);
  if (!time || time->time_s <= 0) return std::nullopt;
  return KernelTime{time->time_s * 1e6, 0};
}

/// Returns the measurements of a codelet by size.
std::map<double, Measured> measured_sizes(const scheduler::ExecutionHistory& history, const std::string& codelet,
                                          std::size_t element_bytes, bool in_flops) {
  std::map<double, Measured> sizes;
  for (const auto& [key, kernel] : history.kernels()) {
    if (key.name != codelet || key.device.kind != DeviceKind::cpu_core || key.element_bytes != element_bytes ||
        key.in_flops != in_flops) {
      continue;
    }
    for (const auto& [shapes, shape] : kernel.shapes()) {
      if (shape.times.count() < KernelHistory::kEnough || shape.size <= 0 || shape.times.mean_s() <= 0) continue;
      Measured& measured = sizes[in_flops ? shape.size : kOneEdge];
      measured.shapes = shapes;
      measured.task = shape;
      measured.on_cores[key.device.cores].add(shape.times);
    }
  }
  return sizes;
}

}  // namespace

std::vector<TileTimes> learned_times(const scheduler::ExecutionHistory& history, const std::string& codelet,
                                     std::size_t element_bytes) {
  bool in_flops = true;
  std::map<double, Measured> sizes = measured_sizes(history, codelet, element_bytes, in_flops);
  if (sizes.empty()) {
    in_flops = false;
    sizes = measured_sizes(history, codelet, element_bytes, in_flops);
  }
  const KernelKey on_one{codelet, DeviceType(DeviceKind::cpu_core), element_bytes, in_flops};
  std::vector<TileTimes> all;
  for (const auto& [size, measured] : sizes) {
    TileTimes times;
    times.edge = in_flops ? std::cbrt(size) : kOneEdge;
    times.flops = in_flops ? size : 0;
    times.cpu = core_time(history, on_one, measured);
    if (!times.cpu) continue;
    for (const auto& [cores, pooled] : measured.on_cores) {
      if (cores > 1) times.clusters.push_back({cores, pooled.time()});
    }
    all.push_back(std::move(times));
  }
  return all;
}

platform::MachineDescription learned_machine(const scheduler::ExecutionHistory& history, int cores,
                                             const std::string& application, const std::vector<NeededKernel>& needed,
                                             const std::string& precision, std::size_t element_bytes) {
  platform::MachineDescription machine;
  machine.name = "this machine";
  machine.cores = cores;
  machine.sockets = 1;
  machine.routes.resize(1);
  for (const NeededKernel& one : needed) {
    const std::vector<TileTimes> times = learned_times(history, one.codelet.definition().timed_name(), element_bytes);
    if (!times.empty()) machine.kernels.emplace_back(application, one.kernel, precision, times, 0);
  }
  return machine;
}

}  // namespace troupe::apps
