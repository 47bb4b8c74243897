#include "actors/scheduler/policies/outlook.hpp"

#include <algorithm>
#include <limits>

namespace troupe::scheduler {

namespace {

/// Infinite where the worker cannot run the class, or there is no such worker.
double time_s(const Predictions& predictions, SizeClassId size_class, WorkerId worker) {
  if (!worker.valid()) return std::numeric_limits<double>::infinity();
  const Duration time = predictions.execution_times.get(size_class, worker);
  return time == ExecutionTimes::kNever ? std::numeric_limits<double>::infinity() : seconds(time);
}

}  // namespace

void Outlook::collect(const Snapshot& snapshot, WorkerId core, WorkerId gpu) {
  const Predictions& predictions = *snapshot.predictions;
  const double never = std::numeric_limits<double>::infinity();
  shares_.clear();
  double tasks = 0;
  kernel_s_ = 0;
  for (std::size_t i = 0; i < predictions.left.size(); ++i) {
    const auto count = static_cast<double>(predictions.left[i]);
    const SizeClassId size_class(static_cast<std::uint32_t>(i));
    const double on_core = time_s(predictions, size_class, core);
    const double on_gpu = time_s(predictions, size_class, gpu);
    const double fastest = std::min(on_core, on_gpu);
    // Nothing left, not known yet, or no device for it.
    if (count == 0 || fastest <= 0 || fastest == never) continue;
    tasks += count;
    kernel_s_ += fastest * count;
    Share& share = shares_.emplace_back();
    share.cores_only = on_gpu == never;
    share.gpus_only = on_core == never;
    share.speedup = share.cores_only ? 0 : on_core / on_gpu;
    share.on_cores_s = share.gpus_only ? 0 : on_core * count;
    share.on_gpus_s = share.cores_only ? 0 : on_gpu * count;
  }
  if (tasks > 0) kernel_s_ /= tasks;
  std::sort(shares_.begin(), shares_.end(), [](const Share& a, const Share& b) { return a.speedup > b.speedup; });
}

void Outlook::split(double cores, double gpus) {
  double on_cores = 0;
  for (const Share& share : shares_) on_cores += share.on_cores_s;
  double on_gpus = 0;
  for (const Share& share : shares_) {
    const double balance = on_cores / cores - on_gpus / gpus;
    const double change = share.on_gpus_s / gpus + share.on_cores_s / cores;
    if (!share.gpus_only && (share.cores_only || balance <= change)) {
      // This class is shared, or stays with the cores.
      const double part = share.cores_only ? 0 : std::clamp(balance / change, 0.0, 1.0);
      pivot_ = share.speedup;
      rest_s_ = std::max((on_gpus + part * share.on_gpus_s) / gpus, (on_cores - part * share.on_cores_s) / cores);
      return;
    }
    on_gpus += share.on_gpus_s;
    on_cores -= share.on_cores_s;
  }
  pivot_ = 0;
  rest_s_ = on_gpus / gpus;
}

void Outlook::look(const Snapshot& snapshot) {
  double cores = 0;
  double gpus = 0;
  WorkerId core;
  WorkerId gpu;
  for (const WorkerState& worker : snapshot.workers) {
    const bool is_gpu = is_accelerator(worker.kind);
    (is_gpu ? gpus : cores) += 1;
    WorkerId& first = is_gpu ? gpu : core;
    if (!first.valid()) first = worker.id;
  }
  collect(snapshot, core, gpu);
  if (cores > 0 && gpus > 0) {
    split(cores, gpus);
    return;
  }
  pivot_ = gpus > 0 ? 0 : std::numeric_limits<double>::infinity();
  rest_s_ = 0;
  for (const Share& share : shares_) rest_s_ += gpus > 0 ? share.on_gpus_s / gpus : share.on_cores_s / cores;
}

}  // namespace troupe::scheduler
