#include "actors/scheduler/scheduler_core.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "graph/codelets/codelet_definition.hpp"
#include "troupe/codelet.hpp"

namespace troupe::scheduler {

namespace {

SchedulerCore::Machine machine_of(const std::vector<DeviceKind>& kinds) {
  SchedulerCore::Machine machine;
  for (const DeviceKind kind : kinds) machine.workers.push_back({kind, NodeId(0)});
  return machine;
}

}  // namespace

SchedulerCore::SchedulerCore(std::unique_ptr<PlacingPolicy> policy, const std::vector<DeviceKind>& workers,
                             std::uint64_t seed)
    : SchedulerCore(std::move(policy), machine_of(workers), seed) {}

SchedulerCore::SchedulerCore(std::unique_ptr<PlacingPolicy> policy, Machine machine, std::uint64_t seed)
    : policy_(std::move(policy)),
      traits_(traits_of(*policy_)),
      times_(std::move(machine.model), std::move(machine.submitted), traits_),
      trials_(traits_.keeps),
      loads_(machine.workers.size()),
      random_(seed) {
  predictions_.execution_times = ExecutionTimes(machine.workers.size());
  predictions_.replicas = ReplicaMap(machine.links.nodes());
  predictions_.traffic = Traffic(machine.links.nodes());
  predictions_.links = std::move(machine.links);
  predictions_.capacities = std::move(machine.capacities);
  for (const Worker& worker : machine.workers) {
    WorkerState& state = workers_.emplace_back();
    state.id = WorkerId(static_cast<std::uint32_t>(workers_.size() - 1));
    state.kind = worker.device.kind;
    state.node = worker.node;
    state.type = times_.number_of(worker.device);
  }
  joined_.resize(workers_.size());
}

template <class Ask>
std::string SchedulerCore::ask(Ask&& ask) {
  try {
    ask();
    return {};
  } catch (const std::exception& error) {
    return std::string("threw: ") + error.what();
  } catch (...) {
    return "threw something that is no std::exception";
  }
}

SchedulerCore::Traits SchedulerCore::traits_of(const PlacingPolicy& policy) {
  Traits traits;
  // If the policy throws here, the first decision reports the exception.
  traits.failure = ask([&] {
    static_cast<PolicyTraits&>(traits) = policy.policy_traits();
    traits.takes_back = traits.takes_back && traits.keeps;
  });
  return traits;
}

SchedulerCore::Decision SchedulerCore::activated(std::span<const ReadyTask> tasks, TimeStamp now) {
  if (!traits_.in_rounds) return place(tasks, now);
  round_.tasks.insert(round_.tasks.end(), tasks.begin(), tasks.end());
  Decision decision;
  decision.ask_to_decide = !round_.asked && !round_.tasks.empty();
  round_.asked = round_.asked || decision.ask_to_decide;
  return decision;
}

SchedulerCore::Decision SchedulerCore::decide(TimeStamp now) {
  round_.asked = false;
  const std::vector<ReadyTask> round = std::move(round_.tasks);
  round_.tasks.clear();
  return place(round, now);
}

SchedulerCore::Decision SchedulerCore::ended(TimeStamp now) {
  Decision decision;
  if (kept_.empty() && !traits_.takes_back && trials_.held() == 0) return decision;
  times_.refresh(machine());
  look_at(now);
  std::vector<ReadyTask> shown;
  place_held(decision, shown);
  show(shown, decision);
  if (!kept_.empty()) place_kept(decision);
  take_back(decision);
  return decision;
}

bool SchedulerCore::can_run(WorkerId worker, const ReadyTask& task) const {
  if (worker.index() >= workers_.size() || !task.codelet->runs_on(workers_[worker.index()].kind, worker)) return false;
  if (is_lost(worker) || workers_[worker.index()].helps) return false;
  return predictions_.execution(task, worker) != ExecutionTimes::kNever;
}

WorkerId SchedulerCore::least_loaded(const ReadyTask& task) const {
  WorkerId best;
  WorkerId with_device;
  const auto take_if_less = [this](WorkerId& least, const WorkerState& worker) {
    if (!least.valid() || worker.queued < workers_[least.index()].queued) least = worker.id;
  };
  for (const WorkerState& worker : workers_) {
    if (worker.helps || !task.codelet->runs_on(worker.kind, worker.id)) continue;
    take_if_less(with_device, worker);
    if (can_run(worker.id, task)) take_if_less(best, worker);
  }
  return best.valid() ? best : with_device;
}

void SchedulerCore::look_at(WorkerId worker) {
  WorkerState& state = workers_[worker.index()];
  state.queued = loads_.queued(worker);
  state.available = loads_.available(worker, now_);
  state.busy = loads_.busy(worker) || joined_[worker.index()];
}

void SchedulerCore::look_at(TimeStamp now) {
  now_ = now;
  if (const SubmittedTasks* const submitted = times_.submitted(); traits_.keeps && submitted != nullptr) {
    submitted->left(predictions_.left);
    predictions_.data_left = submitted->data_left();
  }
  for (const WorkerState& worker : workers_) look_at(worker.id);
}

void SchedulerCore::expect(const ReadyTask& task, NodeId node) {
  for (const memory::Use& use : task.data) {
    if (predictions_.present(use, node)) continue;
    const NodeId from = predictions_.source(use.handle, node);
    const std::uint64_t bytes = use.copied_to(node).count;
    predictions_.traffic.in[node.index()] += bytes;
    if (use.is_overlap() && node != memory::kHost) {
      // The copies of all that the halo part overlaps end together, when its buffer is filled.
      Copy& copy = copies_.try_emplace(copy_key(use.halo, node), Copy{from, 0}).first->second;
      copy.bytes += bytes;
      predictions_.traffic.out[copy.from.index()] += bytes;
      continue;
    }
    predictions_.replicas.set(use.handle, node, false, true);
    predictions_.traffic.out[from.index()] += bytes;
    copies_[copy_key(use.handle, node)] = {from, bytes};
  }
  if (node == memory::kHost) return;
  for (const memory::Use& use : task.data) {
    if (use.is_buffer() && copies_.contains(copy_key(use.handle, node)))
      predictions_.replicas.set(use.handle, node, false, true);
  }
}

void SchedulerCore::commit(const ReadyTask& task, WorkerId worker, Decision& decision, bool tried) {
  const NodeId node = workers_[worker.index()].node;
  const TimeStamp data_at = now_ + predictions_.transfer(task, node);
  const KernelTimes::Estimate estimate = times_.estimate(task, workers_[worker.index()], predictions_);
  expect(task, node);
  loads_.placed(worker, task.id, estimate.load, data_at, estimate.guessed);
  if (estimate.guessed) guessed_.push_back(task.id);
  const bool accelerator = is_accelerator(workers_[worker.index()].kind);
  const bool pieces = task.codelet->pieces != nullptr;
  const bool open = pieces && task.codelet->devices_here.workers == nullptr && !accelerator;
  forget(task.id);
  placed_[task.id] = {task.size_class,
                      tried,
                      estimate.predicted,
                      workers_[worker.index()].type,
                      worker,
                      open,
                      pieces && accelerator ? task.codelet : nullptr};
  workers_[worker.index()].open += open ? 1 : 0;
  look_at(worker);
  (tried ? decision.tried : decision.placed).push_back({task.id, worker});
}

SchedulerCore::Decision SchedulerCore::place(std::span<const ReadyTask> tasks, TimeStamp now) {
  Decision decision;
  if (tasks.empty()) return decision;
  decision.failure = std::exchange(traits_.failure, {});
  times_.refresh(machine());
  look_at(now);
  std::vector<ReadyTask> shown;
  shown.reserve(tasks.size());
  for (ReadyTask task : tasks) {
    if (taken_back_.task == task.id) {
      const WorkerId worker = std::exchange(taken_back_, {}).worker;
      if (can_run(worker, task)) {
        commit(task, worker, decision);
        continue;
      }
    }
    if (traits_.keeps && taken_away_.contains(task.id)) {
      // The task was placed without the policy, had to wait for a commute lock, and is now ready again. The policy
      // still thinks that it keeps the task, so it must not see the task twice.
      commit(task, least_loaded(task), decision);
      continue;
    }
    if (times_.predicts(task)) {
      const KernelTimes::ClassTimes& known = times_.of(task.size_class, machine());
      if (!anybody_runs(task)) {
        // The task's device is lost, or its data fit into no memory: a worker reports that. A policy might keep it for
        // ever.
        commit(task, least_loaded(task), decision);
        continue;
      }
      if (traits_.uses_times && trials_.hold(task, known)) continue;
    }
    times_.describe(task, machine());
    shown.push_back(task);
  }
  place_held(decision, shown);
  show(shown, decision);
  if (!kept_.empty()) place_kept(decision);
  take_back(decision);
  return decision;
}

void SchedulerCore::show(std::span<const ReadyTask> tasks, Decision& decision) {
  if (tasks.empty()) return;
  std::vector<WorkerId> placement(tasks.size());
  std::string failure = ask_where(tasks, placement);
  settle(tasks, placement, std::move(failure), decision);
}

std::string SchedulerCore::ask_where(std::span<const ReadyTask> tasks, std::span<WorkerId> placement) {
  std::string failure = ask([&] { policy_->place(tasks, {workers_, now_, &predictions_}, random_, placement); });
  // The placement of a policy that threw may be incomplete, so none of it is used.
  if (!failure.empty()) std::fill(placement.begin(), placement.end(), WorkerId{});
  return failure;
}

void SchedulerCore::take_back(Decision& decision) {
  if (!traits_.takes_back || placed_.contains(taken_back_.task)) return;
  WorkerId taker;
  std::string failure = ask([&] { taker = policy_->taker({workers_, now_, &predictions_}); });
  if (!failure.empty() && decision.failure.empty()) decision.failure = std::move(failure);
  if (!taker.valid()) return;
  const auto can_take = [&](TaskId task) {
    const auto found = placed_.find(task);
    if (found == placed_.end() || found->second.of_pieces == nullptr) return false;
    ReadyTask ready{task, found->second.of_pieces};
    ready.size_class = found->second.size_class;
    return can_run(taker, ready);
  };
  Placed last;
  std::size_t most = 0;
  for (const WorkerState& worker : workers_) {
    // An accelerator keeps at least one task to do.
    if (!is_accelerator(worker.kind) || worker.queued <= most || (worker.queued == 1 && !worker.busy)) continue;
    const TaskId task = loads_.last_queued(worker.id, can_take);
    if (!task.valid()) continue;
    most = worker.queued;
    last = {task, worker.id};
  }
  if (!last.task.valid()) return;
  taken_back_ = {last.task, taker};
  decision.taken_back.push_back(last);
}

void SchedulerCore::place_kept(Decision& decision) {
  std::string failure;
  std::vector<Placed> placed;
  for (bool again = true; again && failure.empty();) {
    again = false;
    placed.clear();
    failure = ask([&] { policy_->place_kept({workers_, now_, &predictions_}, random_, placed); });
    for (const Placed& one : placed) {
      const auto found = kept_.find(one.task);
      if (found == kept_.end() && taken_away_.erase(one.task) > 0) {
        // The task was placed already, without the policy. The policy may have other tasks to place instead.
        again = true;
      } else if (found == kept_.end() || !can_run(one.worker, found->second)) {
        if (failure.empty()) failure = "placed a kept task twice, or on a worker that is not there or cannot run it";
      } else {
        commit(found->second, one.worker, decision);
        kept_.erase(found);
      }
    }
  }
  if (std::ranges::any_of(workers_, &WorkerState::lost)) give_up_kept(decision);
  if (failure.empty() && !kept_.empty() && !anybody_works()) failure = "keeps tasks while no worker has any";
  if (failure.empty()) return;
  // The kept tasks must not wait for ever, so they are placed without the policy.
  std::vector<ReadyTask> left;
  for (const auto& [id, task] : kept_) left.push_back(task);
  std::sort(left.begin(), left.end(), [](const ReadyTask& a, const ReadyTask& b) { return a.id < b.id; });
  kept_.clear();
  std::vector<WorkerId> nowhere(left.size());
  settle(left, nowhere, failure, decision);
  if (left.empty()) decision.failure = failure;
}

void SchedulerCore::give_up_kept(Decision& decision) {
  std::vector<ReadyTask> given_up;
  for (const auto& [id, task] : kept_) {
    if (!anybody_runs(task)) given_up.push_back(task);
  }
  std::sort(given_up.begin(), given_up.end(), [](const ReadyTask& a, const ReadyTask& b) { return a.id < b.id; });
  for (const ReadyTask& task : given_up) {
    kept_.erase(task.id);
    taken_away_.insert(task.id);
    commit(task, least_loaded(task), decision);
  }
}

bool SchedulerCore::anybody_runs(const ReadyTask& task) const {
  return std::any_of(workers_.begin(), workers_.end(),
                     [&](const WorkerState& worker) { return can_run(worker.id, task); });
}

bool SchedulerCore::may_issue(WorkerId worker, const ReadyTask& task, TimeStamp now) {
  times_.refresh(machine());
  if (!can_run(worker, task)) return false;
  look_at(now);
  ReadyTask asked = task;
  if (times_.predicts(task)) {
    const bool known = times_.of(task.size_class, machine()).known;
    if (traits_.uses_times && !known) return false;
  }
  times_.describe(asked, machine());
  const TimeStamp not_before = loads_.free(worker, now);
  std::vector<WorkerState> workers = workers_;
  for (WorkerState& state : workers) state.available = std::max(state.available, not_before);
  const Snapshot then{workers, now_, &predictions_};
  WorkerId placed;
  const std::string failure = ask([&] {
    if (!traits_.keeps) {
      policy_->place({&asked, 1}, then, random_, {&placed, 1});
    } else if (policy_->places_ahead(asked, worker, then)) {
      placed = worker;
    }
  });
  if (!failure.empty() || placed != worker) return false;
  Decision there_already;
  commit(asked, worker, there_already);
  return true;
}

SchedulerCore::Decision SchedulerCore::abandon(std::span<const ReadyTask> tasks, const std::string& failure,
                                               TimeStamp now) {
  round_.tasks.clear();
  kept_.clear();
  trials_.clear();
  taken_back_ = {};
  round_.asked = false;
  times_.refresh(machine());
  look_at(now);
  std::vector<WorkerId> nowhere(tasks.size());
  Decision decision;
  settle(tasks, nowhere, failure, decision);
  if (tasks.empty()) decision.failure = failure;
  return decision;
}

void SchedulerCore::settle(std::span<const ReadyTask> tasks, std::span<WorkerId> placement, std::string failure,
                           Decision& decision) {
  const bool without_policy = !failure.empty();
  std::size_t unplaced = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (traits_.keeps && without_policy) taken_away_.insert(tasks[i].id);
    if (traits_.keeps && !without_policy && !placement[i].valid()) {
      kept_.emplace(tasks[i].id, tasks[i]);
      continue;
    }
    if (!can_run(placement[i], tasks[i])) {
      // If no worker can run the task because no time of its kernel is known, the policy had no choice, so it gets no
      // blame. The worker that gets the task reports the reason.
      const bool has_choice = anybody_runs(tasks[i]);
      if (failure.empty() && has_choice) failure = "named a worker that is not there or cannot run the task";
      placement[i] = least_loaded(tasks[i]);
      unplaced += has_choice ? 1 : 0;
    }
    commit(tasks[i], placement[i], decision);
  }
  if (unplaced > 0) {
    decision.failure = failure + " (" + std::to_string(unplaced) + (unplaced == 1 ? " task was" : " tasks were") +
                       " placed on the least loaded workers instead)";
  } else if (without_policy && decision.failure.empty()) {
    decision.failure = failure;
  }
}

bool SchedulerCore::anybody_works() const {
  return loads_.anything() || std::ranges::find(joined_, true) != joined_.end();
}

TaskLevel SchedulerCore::ready_with(std::span<const ReadyTask> tasks) const {
  std::vector<std::uint32_t> counts;
  const auto count = [&counts](SizeClassId size_class) {
    if (!size_class.valid()) return;
    counts.resize(std::max(counts.size(), size_class.index() + 1));
    ++counts[size_class.index()];
  };
  for (const auto& [id, running] : placed_) count(running.size_class);
  for (const auto& [id, kept] : kept_) count(kept.size_class);
  for (const ReadyTask& task : round_.tasks) count(task.size_class);
  trials_.visit([&count](const ReadyTask& task) { count(task.size_class); });
  for (const ReadyTask& task : tasks) count(task.size_class);
  TaskLevel level;
  for (std::uint32_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) level.push_back({SizeClassId(i), counts[i]});
  }
  return level;
}

}  // namespace troupe::scheduler
