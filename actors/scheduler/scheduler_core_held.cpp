/// Tasks that wait in the scheduler until more is known of their times.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "actors/scheduler/scheduler_core.hpp"
#include "troupe/codelet.hpp"
#include "troupe/devices.hpp"

namespace troupe::scheduler {

namespace {

/// The number of held tasks of each kernel that one decision examines.
constexpr std::size_t kLookedAt = 32;
/// The tasks for trials are the smallest among the first `kTriedOf` held tasks of a kernel.
constexpr std::size_t kTriedOf = 256;
/// When some worker has room, the policy is asked about this many tasks at most, times the number of workers. This is
/// enough that the policy also gives some tasks to workers that it thinks slow.
constexpr std::size_t kShownPerWorker = 16;
/// The number of tasks that wait on an accelerator behind the running task, so that their copies overlap with it.
constexpr std::size_t kAhead = 2;
/// No task is queued behind a task whose time is more doubtful than this (the standard deviation of the time's
/// logarithm).
constexpr double kVague = 0.3;

}  // namespace

bool SchedulerCore::waits_for_room(const ReadyTask& task) const {
  const ClassState& state = classes_[task.size_class.index()];
  return !traits_.keeps && state.known && (!state.sure || held_.any_unsure);
}

bool SchedulerCore::hold(const ReadyTask& task) {
  const ClassState& state = classes_[task.size_class.index()];
  if ((state.complete && state.known && !waits_for_room(task)) || !anybody_runs(task)) return false;
  kernel_of(task.size_class).held.push_back({task, held_.ever++});
  ++held_.count;
  held_.any_unsure = held_.any_unsure || (!traits_.keeps && is_unsure(state));
  return true;
}

bool SchedulerCore::holds_unsure() {
  // The loop uses an index because `learn_if_new` may add kernels.
  for (std::size_t k = 0; k < kernels_.size(); ++k) {
    const std::deque<HeldTask>& held = kernels_[k].held;
    for (std::size_t i = 0; i < std::min(held.size(), kLookedAt); ++i) {
      learn_if_new(held[i].size_class);
      if (is_unsure(classes_[held[i].size_class.index()])) return true;
    }
  }
  return false;
}

void SchedulerCore::place_held(Decision& decision, std::vector<ReadyTask>& shown) {
  held_.any_unsure = !traits_.keeps && held_.count > 0 && holds_unsure();
  for (std::size_t i = 0; i < kernels_.size() && held_.count > 0; ++i) {
    if (!kernels_[i].held.empty()) place_held(kernels_[i], decision, shown);
  }
  place_with_room(decision);
}

void SchedulerCore::place_held(KernelState& kernel, Decision& decision, std::vector<ReadyTask>& shown) {
  try_smallest(kernel, decision);
  std::vector<HeldTask> waiting;
  while (!kernel.held.empty() && waiting.size() < kLookedAt) {
    const HeldTask task = kernel.held.front();
    kernel.held.pop_front();
    if (release(task, decision, shown)) {
      --held_.count;
    } else {
      waiting.push_back(task);
    }
  }
  kernel.held.insert(kernel.held.begin(), waiting.begin(), waiting.end());
}

void SchedulerCore::try_smallest(KernelState& kernel, Decision& decision) {
  std::vector<std::pair<double, ReadyTask>> smallest;
  for (const ReadyTask& task : kernel.held) {
    if (smallest.size() == kTriedOf) break;
    learn_if_new(task.size_class);
    if (classes_[task.size_class.index()].complete || !anybody_runs(task)) continue;
    const graph::SizeClass& known = submitted_->size_class(task.size_class);
    smallest.emplace_back(known.flops > 0 ? known.flops : static_cast<double>(known.bytes.count), task);
  }
  std::ranges::stable_sort(smallest, std::less<>(), &std::pair<double, ReadyTask>::first);
  std::vector<TaskId> tried;
  for (const auto& [size, task] : smallest) {
    if (!try_out(task, decision)) break;
    tried.push_back(task.id);
  }
  if (tried.empty()) return;
  std::ranges::sort(tried);
  std::erase_if(kernel.held, [&](const HeldTask& task) { return std::ranges::binary_search(tried, task.id); });
  held_.count -= tried.size();
}

bool SchedulerCore::release(const ReadyTask& task, Decision& decision, std::vector<ReadyTask>& shown) {
  learn_if_new(task.size_class);
  if (!anybody_runs(task)) {
    // The task's device was lost. The worker that gets the task reports that.
    commit(task, least_loaded(task), decision);
    return true;
  }
  const ClassState& state = classes_[task.size_class.index()];
  if (!state.complete && try_out(task, decision)) return true;
  if (!state.known) return find_out(task, decision);
  if (waits_for_room(task)) return false;
  ReadyTask& ready = shown.emplace_back(task);
  fill_rank(ready);
  fill_grain(ready);
  return true;
}

WorkerId SchedulerCore::trial(const ReadyTask& task) {
  const graph::SizeClass& known = submitted_->size_class(task.size_class);
  WorkerId best;
  for (const WorkerState& worker : workers_) {
    if (!can_run(worker.id, task)) continue;
    if (best.valid() && worker.queued >= workers_[best.index()].queued) continue;
    if (trials(task.size_class, worker.type) < model_->measurements_missing(known, worker.id)) best = worker.id;
  }
  return best;
}

bool SchedulerCore::try_out(const ReadyTask& task, Decision& decision) {
  const WorkerId worker = trial(task);
  if (!worker.valid()) return false;
  ++trials(task.size_class, workers_[worker.index()].type);
  commit(task, worker, decision, true);
  return true;
}

bool SchedulerCore::find_out(const ReadyTask& task, Decision& decision) {
  const ClassState& state = classes_[task.size_class.index()];
  WorkerId worker;
  if (state.known_somewhere) worker = earliest_with_room(task);
  if (state.types == 1) worker = idle_for(task);
  if (!worker.valid()) return false;
  commit(task, worker, decision);
  return true;
}

bool SchedulerCore::has_room(const WorkerState& worker) const {
  if (worker.queued == 0 && !worker.busy) return true;
  return is_accelerator(worker.kind) && worker.queued < kAhead && !has_doubtful(worker.id);
}

bool SchedulerCore::has_doubtful(WorkerId worker) const {
  return std::ranges::any_of(guessed_, [&](TaskId task) {
    const auto found = placed_.find(task);
    if (found == placed_.end() || found->second.worker != worker) return false;
    const graph::SizeClass& known = submitted_->size_class(found->second.size_class);
    return !model_->predict(known, worker) || model_->doubt(known, worker) > kVague;
  });
}

WorkerId SchedulerCore::earliest_with_room(const ReadyTask& task) const {
  WorkerId best;
  TimeStamp earliest{};
  for (const WorkerState& worker : workers_) {
    if (!is_measured(task.size_class, worker.id) || !has_room(worker) || !can_run(worker.id, task)) continue;
    const TimeStamp data_at = now_ + predictions_.transfer(task, worker.node);
    const TimeStamp end = std::max(worker.available, data_at) + predictions_.execution(task, worker.id);
    if (best.valid() && end >= earliest) continue;
    best = worker.id;
    earliest = end;
  }
  return best;
}

WorkerId SchedulerCore::idle_for(const ReadyTask& task) const {
  const auto idle = [&](const WorkerState& worker) {
    return worker.queued == 0 && !worker.busy && can_run(worker.id, task);
  };
  const auto found = std::ranges::find_if(workers_, idle);
  return found != workers_.end() ? found->id : WorkerId{};
}

std::vector<SchedulerCore::HeldTask> SchedulerCore::waiting_for_room() {
  const std::size_t most = kShownPerWorker * workers_.size();
  std::vector<HeldTask> tasks;
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    std::size_t of_kernel = 0;
    for (const HeldTask& task : kernels_[i].held) {
      if (of_kernel == most) break;
      learn_if_new(task.size_class);
      if (!waits_for_room(task)) continue;
      tasks.push_back(task);
      ++of_kernel;
    }
  }
  std::ranges::sort(tasks, {}, &HeldTask::number);
  if (tasks.size() > most) tasks.resize(most);
  return tasks;
}

std::vector<std::size_t> SchedulerCore::first_to_begin(std::span<const ReadyTask> tasks,
                                                       std::span<const WorkerId> placement) const {
  std::vector<std::size_t> order(tasks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) {
    const bool can = can_run(placement[i], tasks[i]);
    const Duration execution = can ? predictions_.execution(tasks[i], placement[i]) : Duration::zero();
    return std::tuple(-static_cast<std::int64_t>(tasks[i].priority), -tasks[i].upward_rank_s, -execution);
  };
  std::ranges::stable_sort(order, {}, key);
  return order;
}

void SchedulerCore::place_with_room(Decision& decision) {
  if (traits_.keeps || held_.count == 0) return;
  if (std::ranges::none_of(workers_, [this](const WorkerState& worker) { return has_room(worker); })) return;
  std::vector<ReadyTask> tasks;
  for (const HeldTask& task : waiting_for_room()) {
    fill_rank(tasks.emplace_back(task));
    fill_grain(tasks.back());
  }
  if (tasks.empty()) return;
  std::vector<WorkerId> placement(tasks.size());
  std::string failure = ask_where(tasks, placement);
  std::vector<ReadyTask> wrong;
  std::vector<WorkerId> nowhere;
  std::vector<TaskId> placed;
  for (const std::size_t i : first_to_begin(tasks, placement)) {
    const bool can = can_run(placement[i], tasks[i]);
    if (can && !has_room(workers_[placement[i].index()])) continue;
    placed.push_back(tasks[i].id);
    if (can) {
      commit(tasks[i], placement[i], decision);
    } else {
      wrong.push_back(tasks[i]);
      nowhere.push_back(placement[i]);
    }
  }
  // For the tasks in `wrong`, the policy threw or named a worker that cannot run the task. `settle` reports this, and
  // places these tasks without the policy.
  if (!wrong.empty()) settle(wrong, nowhere, std::move(failure), decision);
  std::ranges::sort(placed);
  for (KernelState& kernel : kernels_) {
    held_.count -=
        std::erase_if(kernel.held, [&](const HeldTask& task) { return std::ranges::binary_search(placed, task.id); });
  }
}

}  // namespace troupe::scheduler
