#include "actors/scheduler/trials.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace troupe::scheduler {

namespace {

/// The number of held tasks of each kernel that one decision examines.
constexpr std::size_t kLookedAt = 32;
/// The tasks for trials are the smallest among the first `kTriedOf` held tasks of a kernel.
constexpr std::size_t kTriedOf = 256;
/// When some worker has room, the policy is asked about this many tasks at most, times the number of workers. This is
/// enough that the policy also gives some tasks to workers that it thinks slow.
constexpr std::size_t kShownPerWorker = 16;

/// `KernelTimes` gives lost workers no times, so they run no task of a class that it was asked about.
bool runs(const ReadyTask& task, const WorkerState& worker, const Trials::Scheduler& scheduler) {
  return runs_on(task, worker, scheduler.machine.predictions);
}

bool anybody_runs(const ReadyTask& task, const Trials::Scheduler& scheduler) {
  return std::ranges::any_of(scheduler.machine.workers,
                             [&](const WorkerState& worker) { return runs(task, worker, scheduler); });
}

/// Returns the worker where the task ends first, among those that have room and whose type has been measured.
WorkerId earliest_with_room(const ReadyTask& task, const Trials::Scheduler& scheduler) {
  const Predictions& predictions = scheduler.machine.predictions;
  WorkerId best;
  TimeStamp earliest{};
  for (const WorkerState& worker : scheduler.machine.workers) {
    if (!scheduler.times.is_measured(task.size_class, worker) || !scheduler.has_room(worker) ||
        !runs(task, worker, scheduler)) {
      continue;
    }
    const TimeStamp data_at = scheduler.now + predictions.transfer(task, worker.node);
    const TimeStamp end = std::max(worker.available, data_at) + predictions.execution(task, worker.id);
    if (best.valid() && end >= earliest) continue;
    best = worker.id;
    earliest = end;
  }
  return best;
}

/// Returns an idle worker that can run the task; an invalid id if there is none.
WorkerId idle_for(const ReadyTask& task, const Trials::Scheduler& scheduler) {
  const auto idle = [&](const WorkerState& worker) {
    return worker.queued == 0 && !worker.busy && runs(task, worker, scheduler);
  };
  const auto found = std::ranges::find_if(scheduler.machine.workers, idle);
  return found != scheduler.machine.workers.end() ? found->id : WorkerId{};
}

/// Places the task without the policy, which does not know its times; returns false if the task has to wait.
bool find_out(const ReadyTask& task, const KernelTimes::ClassTimes& known, const Trials::Scheduler& scheduler) {
  WorkerId worker;
  if (known.known_somewhere) worker = earliest_with_room(task, scheduler);
  if (known.types == 1) worker = idle_for(task, scheduler);
  if (!worker.valid()) return false;
  scheduler.place(task, worker, false);
  return true;
}

}  // namespace

std::uint32_t& Trials::under_way(std::size_t kernel, std::uint32_t type) {
  if (kernels_.size() <= kernel) kernels_.resize(kernel + 1);
  std::vector<std::uint32_t>& trials = kernels_[kernel].trials;
  if (trials.size() <= type) trials.resize(type + 1);
  return trials[type];
}

bool Trials::waits_for_room(const KernelTimes::ClassTimes& known) const {
  return !keeps_ && known.known && (!known.sure || any_unsure_);
}

bool Trials::hold(const ReadyTask& task, const KernelTimes::ClassTimes& known) {
  if (known.complete && known.known && !waits_for_room(known)) return false;
  if (kernels_.size() <= known.kernel) kernels_.resize(known.kernel + 1);
  kernels_[known.kernel].held.push_back({task, ever_held_++});
  ++held_;
  any_unsure_ = any_unsure_ || (!keeps_ && known.is_unsure());
  return true;
}

bool Trials::holds_unsure(const Scheduler& scheduler) const {
  for (const Kernel& kernel : kernels_) {
    for (std::size_t i = 0; i < std::min(kernel.held.size(), kLookedAt); ++i) {
      if (scheduler.times.of(kernel.held[i].size_class, scheduler.machine).is_unsure()) return true;
    }
  }
  return false;
}

void Trials::release(const Scheduler& scheduler, std::vector<ReadyTask>& shown) {
  any_unsure_ = !keeps_ && held_ > 0 && holds_unsure(scheduler);
  for (std::size_t i = 0; i < kernels_.size() && held_ > 0; ++i) {
    if (!kernels_[i].held.empty()) release_kernel(kernels_[i], scheduler, shown);
  }
}

void Trials::release_kernel(Kernel& kernel, const Scheduler& scheduler, std::vector<ReadyTask>& shown) {
  try_smallest(kernel, scheduler);
  std::vector<HeldTask> waiting;
  while (!kernel.held.empty() && waiting.size() < kLookedAt) {
    const HeldTask task = kernel.held.front();
    kernel.held.pop_front();
    if (release_task(task, scheduler, shown)) {
      --held_;
    } else {
      waiting.push_back(task);
    }
  }
  kernel.held.insert(kernel.held.begin(), waiting.begin(), waiting.end());
}

void Trials::try_smallest(Kernel& kernel, const Scheduler& scheduler) {
  std::vector<std::pair<double, ReadyTask>> smallest;
  for (const ReadyTask& task : kernel.held) {
    if (smallest.size() == kTriedOf) break;
    const bool complete = scheduler.times.of(task.size_class, scheduler.machine).complete;
    if (complete || !anybody_runs(task, scheduler)) continue;
    smallest.emplace_back(scheduler.times.size_of(task.size_class), task);
  }
  std::ranges::stable_sort(smallest, std::less<>(), &std::pair<double, ReadyTask>::first);
  std::vector<TaskId> tried;
  for (const auto& [size, task] : smallest) {
    if (!try_out(task, scheduler)) break;
    tried.push_back(task.id);
  }
  if (tried.empty()) return;
  std::ranges::sort(tried);
  std::erase_if(kernel.held, [&](const HeldTask& task) { return std::ranges::binary_search(tried, task.id); });
  held_ -= tried.size();
}

bool Trials::release_task(const ReadyTask& task, const Scheduler& scheduler, std::vector<ReadyTask>& shown) {
  const KernelTimes::ClassTimes& known = scheduler.times.of(task.size_class, scheduler.machine);
  if (!anybody_runs(task, scheduler)) {
    // The task's device was lost.
    scheduler.place(task, WorkerId{}, false);
    return true;
  }
  if (!known.complete && try_out(task, scheduler)) return true;
  if (!known.known) return find_out(task, known, scheduler);
  if (waits_for_room(known)) return false;
  scheduler.times.describe(shown.emplace_back(task), scheduler.machine);
  return true;
}

bool Trials::try_out(const ReadyTask& task, const Scheduler& scheduler) {
  const std::size_t kernel = scheduler.times.kernel_of(task.size_class);
  const WorkerState* best = nullptr;
  for (const WorkerState& worker : scheduler.machine.workers) {
    if (!runs(task, worker, scheduler) || (best != nullptr && worker.queued >= best->queued)) continue;
    const std::uint32_t missing = scheduler.times.measurements_missing(task.size_class, worker.id);
    if (under_way(kernel, worker.type) < missing) best = &worker;
  }
  if (best == nullptr) return false;
  ++under_way(kernel, best->type);
  scheduler.place(task, best->id, true);
  return true;
}

std::vector<Trials::HeldTask> Trials::waiting_for_room(const Scheduler& scheduler) const {
  const std::size_t most = kShownPerWorker * scheduler.machine.workers.size();
  std::vector<HeldTask> tasks;
  for (const Kernel& kernel : kernels_) {
    std::size_t of_kernel = 0;
    for (const HeldTask& task : kernel.held) {
      if (of_kernel == most) break;
      if (!waits_for_room(scheduler.times.of(task.size_class, scheduler.machine))) continue;
      tasks.push_back(task);
      ++of_kernel;
    }
  }
  std::ranges::sort(tasks, {}, &HeldTask::number);
  if (tasks.size() > most) tasks.resize(most);
  return tasks;
}

void Trials::remove(std::span<const TaskId> sorted) {
  for (Kernel& kernel : kernels_) {
    held_ -=
        std::erase_if(kernel.held, [&](const HeldTask& task) { return std::ranges::binary_search(sorted, task.id); });
  }
}

void Trials::clear() {
  for (Kernel& kernel : kernels_) kernel.held.clear();
  held_ = 0;
}

}  // namespace troupe::scheduler
