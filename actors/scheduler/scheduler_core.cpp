#include "actors/scheduler/scheduler_core.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include "graph/codelets/codelet.hpp"

namespace troupe::scheduler {

namespace {

/// Tasks of a class that are tried on a type of device at the same time, while nothing is known.
constexpr std::uint32_t kTrials = 3;
/// What policies are told of a type of device on which a class has not been measured, in terms of what is known.
constexpr double kUnknown = 10;

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
      model_(std::move(machine.model)),
      submitted_(std::move(machine.submitted)),
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
    state.type = type_of(worker.device);
  }
  // What these throw, `place` throws as well, or does its part.
  (void)ask([&] { rounds_ = policy_->in_rounds(); });
  (void)ask([&] { keeps_ = policy_->keeps(); });
  (void)ask([&] { ranks_ = policy_->ranks(); });
  (void)ask([&] { uses_times_ = policy_->uses_times(); });
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

SchedulerCore::Decision SchedulerCore::activated(std::span<const ReadyTask> tasks, TimeStamp now) {
  if (!rounds_) return place(tasks, now);
  round_.insert(round_.end(), tasks.begin(), tasks.end());
  Decision decision;
  decision.ask_to_decide = !asked_ && !round_.empty();
  asked_ = asked_ || decision.ask_to_decide;
  return decision;
}

SchedulerCore::Decision SchedulerCore::decide(TimeStamp now) {
  asked_ = false;
  const std::vector<ReadyTask> round = std::move(round_);
  round_.clear();
  return place(round, now);
}

SchedulerCore::Decision SchedulerCore::ended(TimeStamp now) {
  Decision decision;
  if (kept_.empty()) return decision;
  look_at(now);
  place_kept(decision);
  return decision;
}

bool SchedulerCore::can_run(WorkerId worker, const ReadyTask& task) const {
  if (worker.index() >= workers_.size() || !task.codelet->runs_on(workers_[worker.index()].kind, worker)) return false;
  if (is_lost(worker) || workers_[worker.index()].helps) return false;
  return predictions_.execution(task, worker) != ExecutionTimes::kNever;
}

void SchedulerCore::worker_lost(WorkerId worker) {
  lost_.resize(workers_.size());
  lost_[worker.index()] = true;
  learn_again();
}

void SchedulerCore::regrouped(WorkerId worker, int cores) {
  WorkerState& state = workers_[worker.index()];
  state.helps = cores == 0;
  if (cores > 0) {
    DeviceType type = types_[state.type];
    type.cores = cores;
    state.type = type_of(type);
    if (model_) model_->regrouped(worker, type);
  }
  learn_again();
}

std::uint32_t SchedulerCore::type_of(const DeviceType& device) {
  const auto number = static_cast<std::size_t>(std::ranges::find(types_, device) - types_.begin());
  if (number == types_.size()) types_.push_back(device);
  return static_cast<std::uint32_t>(number);
}

void SchedulerCore::learn_again() {
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    if (!classes_[i].measured.empty()) learn(SizeClassId(static_cast<std::uint32_t>(i)));
  }
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

bool SchedulerCore::fits(const graph::SizeClass& size_class, NodeId node) const {
  const std::vector<Bytes>& capacities = predictions_.capacities;
  return node.index() >= capacities.size() || capacities[node.index()].count == 0 ||
         size_class.bytes <= capacities[node.index()];
}

void SchedulerCore::learn(SizeClassId size_class) {
  const graph::SizeClass& known = submitted_->size_class(size_class);
  if (classes_.size() <= size_class.index()) {
    classes_.resize(size_class.index() + 1);
    costs_s_.resize(size_class.index() + 1);
  }
  ClassState& state = classes_[size_class.index()];
  state.measured.assign(types_.size(), true);
  state.trials.resize(types_.size());
  state.known = true;
  state.known_somewhere = false;
  const bool must_reach_host_memory = known.reduces && std::ranges::any_of(workers_, [&](const WorkerState& worker) {
                                        return !has_own_memory(worker.kind) && known.runs_on(worker.kind, worker.id);
                                      });
  std::vector<WorkerId> unknown;
  double sum = 0;
  double least = std::numeric_limits<double>::infinity();
  Duration longest{};
  std::size_t count = 0;
  for (const WorkerState& worker : workers_) {
    predictions_.execution_times.set(size_class, worker.id, ExecutionTimes::kNever);
    if (must_reach_host_memory && !traits(worker.kind).reduces) continue;
    if (is_lost(worker.id) || worker.helps || !known.runs_on(worker.kind, worker.id) || !fits(known, worker.node) ||
        model_->cannot_run(known, worker.id)) {
      continue;
    }
    const std::optional<Duration> predicted = model_->predict(known, worker.id);
    if (!predicted) {
      state.known = state.measured[worker.type] = false;
      unknown.push_back(worker.id);
      continue;
    }
    predictions_.execution_times.set(size_class, worker.id, *predicted);
    state.known_somewhere = true;
    sum += seconds(*predicted);
    least = std::min(least, seconds(*predicted));
    longest = std::max(longest, *predicted);
    ++count;
  }
  const Duration guess(std::llround(kUnknown * static_cast<double>(longest.count())));
  for (const WorkerId worker : unknown) predictions_.execution_times.set(size_class, worker, guess);
  if (count == 0) return;
  costs_s_[size_class.index()] = ranks_ == Ranks::mean ? sum / static_cast<double>(count) : least;
}

void SchedulerCore::learn_if_new(SizeClassId size_class) {
  if (size_class.index() >= classes_.size() || classes_[size_class.index()].measured.empty()) learn(size_class);
}

WorkerId SchedulerCore::trial(const ReadyTask& task) const {
  if (!model_ || !task.size_class.valid()) return WorkerId{};
  const ClassState& state = classes_[task.size_class.index()];
  if (state.known) return WorkerId{};
  WorkerId best;
  for (const WorkerState& worker : workers_) {
    if (state.measured[worker.type] || state.trials[worker.type] >= kTrials || !can_run(worker.id, task)) continue;
    if (best.valid() && worker.queued >= workers_[best.index()].queued) continue;
    best = worker.id;
  }
  return best;
}

bool SchedulerCore::find_out(const ReadyTask& task, Decision& decision) {
  if (const WorkerId worker = trial(task); worker.valid()) {
    ++trials(task.size_class, workers_[worker.index()].type);
    commit(task, worker, decision, true);
    return true;
  }
  const ClassState& state = classes_[task.size_class.index()];
  if (state.known || state.known_somewhere) return false;
  commit(task, least_loaded_accelerator(task), decision);
  return true;
}

WorkerId SchedulerCore::least_loaded_accelerator(const ReadyTask& task) const {
  WorkerId best;
  for (const WorkerState& worker : workers_) {
    if (!is_accelerator(worker.kind) || !can_run(worker.id, task)) continue;
    if (!best.valid() || worker.queued < workers_[best.index()].queued) best = worker.id;
  }
  return best.valid() ? best : least_loaded(task);
}

void SchedulerCore::look_at(WorkerId worker) {
  WorkerState& state = workers_[worker.index()];
  state.queued = loads_.queued(worker);
  state.available = loads_.available(worker, now_);
  state.busy = loads_.busy(worker);
}

void SchedulerCore::look_at(TimeStamp now) {
  now_ = now;
  if (keeps_ && submitted_) {
    submitted_->left(predictions_.left);
    predictions_.data_left = submitted_->data_left();
  }
  for (const WorkerState& worker : workers_) look_at(worker.id);
}

void SchedulerCore::expect(const ReadyTask& task, NodeId node) {
  for (const memory::Use& use : task.data) {
    if (predictions_.present(use, node)) continue;
    const NodeId from = predictions_.source(use.handle, node);
    predictions_.replicas.set(use.handle, node, false, true);
    predictions_.traffic.in[node.index()] += use.bytes.count;
    predictions_.traffic.out[from.index()] += use.bytes.count;
    copies_[copy_key(use.handle, node)] = {from, use.bytes.count};
  }
}

void SchedulerCore::commit(const ReadyTask& task, WorkerId worker, Decision& decision, bool tried) {
  const NodeId node = workers_[worker.index()].node;
  const TimeStamp data_at = now_ + predictions_.transfer(task, node);
  const Duration execution = predictions_.execution(task, worker);
  expect(task, node);
  // It may be there only to report that it cannot run.
  loads_.placed(worker, task.id, execution == ExecutionTimes::kNever ? Duration::zero() : execution, data_at);
  const bool predicted = execution != ExecutionTimes::kNever && is_measured(task.size_class, worker);
  placed_[task.id] = {task.size_class, tried, predicted ? execution : Duration::zero(), workers_[worker.index()].type};
  look_at(worker);
  (tried ? decision.tried : decision.placed).push_back({task.id, worker});
}

bool SchedulerCore::is_measured(SizeClassId size_class, WorkerId worker) const {
  if (!size_class.valid() || size_class.index() >= classes_.size()) return false;
  const std::vector<bool>& measured = classes_[size_class.index()].measured;
  return !measured.empty() && measured[workers_[worker.index()].type];
}

void SchedulerCore::fill_rank(ReadyTask& task) {
  if (!submitted_ || !task.size_class.valid() || ranks_ == Ranks::none) return;
  for (; ranked_classes_ < submitted_->size_classes(); ++ranked_classes_) {
    learn_if_new(SizeClassId(static_cast<std::uint32_t>(ranked_classes_)));
  }
  task.upward_rank_s = submitted_->rank(task.id, costs_s_);
}

SchedulerCore::Decision SchedulerCore::place(std::span<const ReadyTask> tasks, TimeStamp now) {
  Decision decision;
  if (tasks.empty()) return decision;
  look_at(now);
  std::vector<ReadyTask> shown;
  shown.reserve(tasks.size());
  for (ReadyTask task : tasks) {
    if (keeps_ && taken_away_.contains(task.id)) {
      // It was to wait for a commute lock, and the policy still thinks that it keeps it: it must not see it twice.
      commit(task, least_loaded(task), decision);
      continue;
    }
    if (model_ && task.size_class.valid()) {
      learn_if_new(task.size_class);
      if (!lost_.empty() && !anybody_runs(task)) {
        // Its device is lost: the worker reports that. A policy might keep it for ever.
        commit(task, least_loaded(task), decision);
        continue;
      }
      if (uses_times_ && find_out(task, decision)) continue;
      fill_rank(task);
    }
    shown.push_back(task);
  }
  if (shown.empty()) {
    if (!kept_.empty()) place_kept(decision);
    return decision;
  }
  std::vector<WorkerId> placement(shown.size());
  std::string failure = ask([&] { policy_->place(shown, {workers_, now_, &predictions_}, random_, placement); });
  // What a policy that threw has written may be half of what it meant.
  if (!failure.empty()) std::fill(placement.begin(), placement.end(), WorkerId{});
  settle(shown, placement, std::move(failure), decision);
  if (!kept_.empty()) place_kept(decision);
  return decision;
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
        // In its place the policy may have others.
        again = true;
      } else if (found == kept_.end() || !can_run(one.worker, found->second)) {
        if (failure.empty()) failure = "placed a kept task twice, or on a worker that is not there or cannot run it";
      } else {
        commit(found->second, one.worker, decision);
        kept_.erase(found);
      }
    }
  }
  if (!lost_.empty()) give_up_kept(decision);
  if (failure.empty() && !kept_.empty() && !loads_.anything()) failure = "keeps tasks while no worker has any";
  if (failure.empty()) return;
  // They must not wait for ever.
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
  if (!can_run(worker, task)) return false;
  look_at(now);
  ReadyTask asked = task;
  if (model_ && task.size_class.valid()) {
    learn_if_new(task.size_class);
    if (uses_times_ && !classes_[task.size_class.index()].known) return false;
    fill_rank(asked);
  }
  const TimeStamp not_before = loads_.free(worker, now);
  std::vector<WorkerState> workers = workers_;
  for (WorkerState& state : workers) state.available = std::max(state.available, not_before);
  const Snapshot then{workers, now_, &predictions_};
  WorkerId placed;
  const std::string failure = ask([&] {
    if (!keeps_) {
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
  round_.clear();
  kept_.clear();
  asked_ = false;
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
    if (keeps_ && without_policy) taken_away_.insert(tasks[i].id);
    if (keeps_ && !without_policy && !placement[i].valid()) {
      kept_.emplace(tasks[i].id, tasks[i]);
      continue;
    }
    if (!can_run(placement[i], tasks[i])) {
      if (failure.empty()) failure = "named a worker that is not there or cannot run the task";
      placement[i] = least_loaded(tasks[i]);
      ++unplaced;
    }
    commit(tasks[i], placement[i], decision);
  }
  if (unplaced > 0) {
    decision.failure = failure + " (" + std::to_string(unplaced) + (unplaced == 1 ? " task was" : " tasks were") +
                       " placed on the least loaded workers instead)";
  }
}

void SchedulerCore::task_started(WorkerId worker, TaskId task, TimeStamp at) { loads_.started(worker, task, at); }

void SchedulerCore::task_ended(WorkerId worker, TaskId task, TimeStamp at, Duration took) {
  loads_.ended(worker, task, at);
  const auto found = placed_.find(task);
  if (found == placed_.end()) return;
  const Running running = found->second;
  placed_.erase(found);
  if (!model_ || !running.size_class.valid()) return;
  if (running.tried) --trials(running.size_class, running.type);
  if (running.type != workers_[worker.index()].type) return;
  compare(running, worker, took);
  if (model_->measured(submitted_->size_class(running.size_class), worker, took)) learn(running.size_class);
}

void SchedulerCore::compare(const Running& running, WorkerId worker, Duration took) {
  // What the runtime submits for itself takes no time in virtual time.
  if (took <= Duration::zero()) return;
  if (errors_.size() <= running.size_class.index()) errors_.resize(running.size_class.index() + 1);
  const auto kind = static_cast<std::size_t>(workers_[worker.index()].kind);
  PredictionErrors& errors = errors_[running.size_class.index()][kind];
  if (running.predicted > Duration::zero()) {
    errors.add(running.predicted, took);
  } else if (uses_times_) {
    ++errors.unpredicted;
  }
}

void SchedulerCore::task_left(WorkerId worker, TaskId task, TimeStamp at) {
  loads_.ended(worker, task, at);
  const auto found = placed_.find(task);
  if (found == placed_.end()) return;
  if (found->second.tried) --trials(found->second.size_class, found->second.type);
  placed_.erase(found);
}

void SchedulerCore::replica_changed(HandleId handle, NodeId node, memory::ReplicaState state) {
  predictions_.replicas.set(handle, node, memory::is_valid(state), state == memory::ReplicaState::incoming);
  if (state == memory::ReplicaState::incoming) return;
  const auto found = copies_.find(copy_key(handle, node));
  if (found == copies_.end()) return;
  predictions_.traffic.in[node.index()] -= found->second.bytes;
  predictions_.traffic.out[found->second.from.index()] -= found->second.bytes;
  copies_.erase(found);
}

}  // namespace troupe::scheduler
