/// Held tasks: the scheduler places those that the policy must not decide about yet, as `Trials` says.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "actors/scheduler/scheduler_core.hpp"
#include "troupe/devices.hpp"

namespace troupe::scheduler {

namespace {

/// The number of tasks that wait on an accelerator behind the running task, so that their copies overlap with it.
constexpr std::size_t kAhead = 2;
/// No task is queued behind a task whose time is more doubtful than this (the standard deviation of the time's
/// logarithm).
constexpr double kVague = 0.3;

}  // namespace

void SchedulerCore::place_held(Decision& decision, std::vector<ReadyTask>& shown) {
  const Trials::Scheduler scheduler{
      .times = times_,
      .machine = machine(),
      .now = now_,
      .has_room = [this](const WorkerState& worker) { return has_room(worker); },
      .place = [&](const ReadyTask& task, WorkerId worker,
                   bool tried) { commit(task, worker.valid() ? worker : least_loaded(task), decision, tried); },
  };
  trials_.release(scheduler, shown);
  place_with_room(scheduler, decision);
}

void SchedulerCore::predict_guessed() {
  std::erase_if(guessed_, [this](TaskId task) {
    const auto found = placed_.find(task);
    if (found == placed_.end()) return true;
    const Running& there = found->second;
    const auto predicted = times_.predict(there.size_class, there.worker);
    if (predicted) loads_.predicted(there.worker, task, *predicted);
    return false;
  });
}

bool SchedulerCore::has_room(const WorkerState& worker) const {
  if (worker.queued == 0 && !worker.busy) return true;
  return is_accelerator(worker.kind) && worker.queued < kAhead && !has_doubtful(worker.id);
}

bool SchedulerCore::has_doubtful(WorkerId worker) const {
  return std::ranges::any_of(guessed_, [&](TaskId task) {
    const auto found = placed_.find(task);
    if (found == placed_.end() || found->second.worker != worker) return false;
    return times_.is_doubtful(found->second.size_class, worker, kVague);
  });
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

void SchedulerCore::place_with_room(const Trials::Scheduler& scheduler, Decision& decision) {
  if (traits_.keeps || trials_.held() == 0) return;
  if (std::ranges::none_of(workers_, [this](const WorkerState& worker) { return has_room(worker); })) return;
  std::vector<ReadyTask> tasks;
  for (const Trials::HeldTask& task : trials_.waiting_for_room(scheduler)) {
    times_.describe(tasks.emplace_back(task), scheduler.machine);
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
  trials_.remove(placed);
}

}  // namespace troupe::scheduler
