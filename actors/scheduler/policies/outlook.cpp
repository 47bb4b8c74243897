#include "actors/scheduler/policies/outlook.hpp"
#include "troupe/devices.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace troupe::scheduler {

namespace {
constexpr double kInfinite = std::numeric_limits<double>::infinity();
}  // namespace

double Outlook::speedup(SizeClassId size_class) const {
  return size_class.valid() && size_class.index() < speedups_.size() ? speedups_[size_class.index()] : 1;
}

void Outlook::collect(const Snapshot& snapshot) {
  const Predictions& predictions = *snapshot.predictions;
  classes_.clear();
  speedups_.assign(predictions.left.size(), 1);
  fastest_s_.assign(predictions.left.size(), 0);
  double tasks = 0;
  kernel_s_ = 0;
  for (std::size_t i = 0; i < predictions.left.size(); ++i) {
    const SizeClassId size_class(static_cast<std::uint32_t>(i));
    const MeanTimes mean = mean_times(snapshot, size_class);
    // The class's times are not known yet, or no device can run it.
    if (mean.fastest_s <= 0 || mean.fastest_s == kInfinite) continue;
    fastest_s_[i] = mean.fastest_s;
    const bool cores_only = mean.on_gpu_s == kInfinite;
    speedups_[i] = cores_only ? 0 : mean.on_core_s / mean.on_gpu_s;
    const auto count = static_cast<double>(predictions.left[i]);
    if (count == 0) continue;
    tasks += count;
    kernel_s_ += mean.fastest_s * count;
    ClassWork& work = classes_.emplace_back();
    work.cores_only = cores_only;
    work.gpus_only = mean.on_core_s == kInfinite;
    work.speedup = speedups_[i];
    work.on_cores_s = work.gpus_only ? 0 : mean.on_core_s * count;
    work.on_gpus_s = work.cores_only ? 0 : mean.on_gpu_s * count;
  }
  if (tasks > 0) kernel_s_ /= tasks;
  std::sort(classes_.begin(), classes_.end(),
            [](const ClassWork& a, const ClassWork& b) { return a.speedup > b.speedup; });
}

Outlook::MeanTimes Outlook::mean_times(const Snapshot& snapshot, SizeClassId size_class) {
  // For the cores and for the accelerators: how many devices there are, and how many tasks of the class they do in a
  // second, all together.
  std::array<double, 2> devices{};
  std::array<double, 2> rates{};
  double fastest_s = kInfinite;
  for (const WorkerState& worker : snapshot.workers) {
    const std::size_t side = is_accelerator(worker.kind) ? 1 : 0;
    devices[side] += 1;
    const Duration time = snapshot.predictions->execution_times.get(size_class, worker.id);
    if (time == ExecutionTimes::kNever) continue;
    // The times of the class are not known.
    if (time <= Duration::zero()) return {};
    rates[side] += 1 / seconds(time);
    fastest_s = std::min(fastest_s, seconds(time));
  }
  const auto mean = [&](std::size_t side) { return rates[side] > 0 ? devices[side] / rates[side] : kInfinite; };
  return {mean(0), mean(1), fastest_s};
}

void Outlook::split(double cores, double gpus) {
  double on_cores = 0;
  for (const ClassWork& work : classes_) on_cores += work.on_cores_s;
  double on_gpus = 0;
  for (const ClassWork& work : classes_) {
    const double balance = on_cores / cores - on_gpus / gpus;
    const double change = work.on_gpus_s / gpus + work.on_cores_s / cores;
    if (!work.gpus_only && (work.cores_only || balance <= change)) {
      // This class is shared by cores and GPUs, or stays with the cores.
      const double fraction = work.cores_only ? 0 : std::clamp(balance / change, 0.0, 1.0);
      pivot_ = work.speedup;
      rest_s_ = std::max((on_gpus + fraction * work.on_gpus_s) / gpus, (on_cores - fraction * work.on_cores_s) / cores);
      return;
    }
    on_gpus += work.on_gpus_s;
    on_cores -= work.on_cores_s;
  }
  pivot_ = 0;
  rest_s_ = on_gpus / gpus;
}

void Outlook::look(const Snapshot& snapshot) {
  double cores = 0;
  double gpus = 0;
  for (const WorkerState& worker : snapshot.workers) (is_accelerator(worker.kind) ? gpus : cores) += 1;
  collect(snapshot);
  if (cores > 0 && gpus > 0) {
    split(cores, gpus);
    return;
  }
  pivot_ = gpus > 0 ? 0 : std::numeric_limits<double>::infinity();
  rest_s_ = 0;
  for (const ClassWork& work : classes_) rest_s_ += gpus > 0 ? work.on_gpus_s / gpus : work.on_cores_s / cores;
}

}  // namespace troupe::scheduler
