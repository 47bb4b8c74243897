/// What the scheduler knows of kernel times, and how it finds out.
#include <algorithm>
#include <cmath>
#include <limits>

#include "actors/scheduler/scheduler_core.hpp"
#include "graph/codelets/codelet.hpp"

namespace troupe::scheduler {

namespace {

/// Tasks of a class that are tried on a type of device at the same time, while nothing is known.
constexpr std::uint32_t kTrials = 3;
/// What policies are told of a type of device on which a class has not been measured, in terms of what is known.
constexpr double kUnknown = 10;

}  // namespace

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
  const bool must_reach_host_memory =
      known.reduces && std::ranges::any_of(workers_, [&](const WorkerState& worker) {
        return !has_own_memory(worker.kind) && traits(worker.kind).reduces && known.runs_on(worker.kind, worker.id);
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

void SchedulerCore::fill_grain(ReadyTask& task) {
  if (!submitted_ || !asks_reuse_) return;
  task.reuse = submitted_->reuse_of(task.data);
  if (task.size_class.valid()) task.flops = submitted_->size_class(task.size_class).flops;
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

}  // namespace troupe::scheduler
