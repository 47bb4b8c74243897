#include "actors/scheduler/kernel_times.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "troupe/codelet.hpp"
#include "troupe/devices.hpp"

namespace troupe::scheduler {

namespace {

/// The time that policies get for a type of device on which a class has not been measured, as a multiple of the longest
/// known time.
constexpr double kUnknown = 10;

/// Limits of doubts, which are standard deviations of logarithms of times: a doubt up to `kNoDoubt` changes nothing,
/// and a doubt above `kMostDoubt` counts as `kMostDoubt`.
constexpr double kNoDoubt = 0.1;
constexpr double kMostDoubt = 3;

/// Lengthens a predicted time: the greater the doubt, the longer the result. Large tasks then go to devices whose times
/// are known, and small tasks measure the other devices.
Duration cautious(Duration predicted, double doubt) {
  if (doubt <= kNoDoubt) return predicted;
  return Duration(std::llround(static_cast<double>(predicted.count()) * std::exp(std::min(doubt, kMostDoubt))));
}

bool fits(const graph::SizeClass& size_class, NodeId node, const std::vector<Bytes>& capacities) {
  return node.index() >= capacities.size() || capacities[node.index()].count == 0 ||
         size_class.bytes <= capacities[node.index()];
}

}  // namespace

std::uint32_t KernelTimes::number_of(const DeviceType& type) {
  const auto number = static_cast<std::size_t>(std::ranges::find(types_, type) - types_.begin());
  if (number == types_.size()) types_.push_back(type);
  return static_cast<std::uint32_t>(number);
}

std::uint32_t KernelTimes::regrouped(const WorkerState& worker, int cores) {
  stale_ = true;
  if (cores == 0) return worker.type;
  DeviceType type = types_[worker.type];
  type.cores = cores;
  if (model_) model_->regrouped(worker.id, type);
  return number_of(type);
}

void KernelTimes::refresh(const Machine& machine) {
  if (std::exchange(stale_, false)) learn_again(machine);
}

void KernelTimes::learn_again(const Machine& machine) {
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    if (!classes_[i].measured.empty()) learn(SizeClassId(static_cast<std::uint32_t>(i)), machine);
  }
}

const KernelTimes::ClassTimes& KernelTimes::of(SizeClassId size_class, const Machine& machine) {
  if (size_class.index() >= classes_.size() || classes_[size_class.index()].measured.empty()) {
    learn(size_class, machine);
  }
  return classes_[size_class.index()];
}

void KernelTimes::learn(SizeClassId size_class, const Machine& machine) {
  const graph::SizeClass& known = submitted_->size_class(size_class);
  if (classes_.size() <= size_class.index()) {
    classes_.resize(size_class.index() + 1);
    costs_s_.resize(size_class.index() + 1);
  }
  ClassTimes& state = classes_[size_class.index()];
  state.measured.assign(types_.size(), true);
  state.known = true;
  state.known_somewhere = false;
  state.complete = true;
  state.sure = true;
  state.in_doubt = false;
  state.types = 0;
  enter(size_class, known);
  std::vector<bool> seen(types_.size());
  const bool must_reach_host_memory =
      known.reduces && std::ranges::any_of(machine.workers, [&](const WorkerState& worker) {
        return !has_own_memory(worker.kind) && traits(worker.kind).reduces && known.runs_on(worker.kind, worker.id);
      });
  ExecutionTimes& times = machine.predictions.execution_times;
  std::vector<WorkerId> unknown;
  double sum = 0;
  double least = std::numeric_limits<double>::infinity();
  Duration longest{};
  std::size_t count = 0;
  for (const WorkerState& worker : machine.workers) {
    times.set(size_class, worker.id, ExecutionTimes::kNever);
    if (must_reach_host_memory && !traits(worker.kind).reduces) continue;
    if (worker.lost || worker.helps || !known.runs_on(worker.kind, worker.id) ||
        !fits(known, worker.node, machine.predictions.capacities) || model_->cannot_run(known, worker.id)) {
      continue;
    }
    if (!seen[worker.type]) {
      seen[worker.type] = true;
      ++state.types;
      state.complete = state.complete && model_->measurements_missing(known, worker.id) == 0;
      state.sure = state.sure && model_->is_sure(known, worker.id);
    }
    const std::optional<Duration> predicted = model_->predict(known, worker.id);
    if (!predicted) {
      state.known = state.measured[worker.type] = false;
      unknown.push_back(worker.id);
      continue;
    }
    const double doubt = model_->doubt(known, worker.id);
    state.in_doubt = state.in_doubt || doubt > kNoDoubt;
    times.set(size_class, worker.id, cautious(*predicted, doubt));
    state.known_somewhere = true;
    sum += seconds(*predicted);
    least = std::min(least, seconds(*predicted));
    longest = std::max(longest, *predicted);
    ++count;
  }
  const Duration guess(std::llround(kUnknown * static_cast<double>(longest.count())));
  for (const WorkerId worker : unknown) times.set(size_class, worker, guess);
  if (count == 0) return;
  costs_s_[size_class.index()] = traits_.ranks == Ranks::mean ? sum / static_cast<double>(count) : least;
}

void KernelTimes::enter(SizeClassId size_class, const graph::SizeClass& known) {
  ClassTimes& state = classes_[size_class.index()];
  if (state.in_kernel) return;
  state.in_kernel = true;
  state.kernel = model_->kernel(known);
  if (kernels_.size() <= state.kernel) kernels_.resize(state.kernel + 1);
  kernels_[state.kernel].push_back(size_class);
}

void KernelTimes::learn_kernel(SizeClassId size_class, const Machine& machine) {
  // A task that was placed without asking the policy may be of a class without predictions.
  const std::vector<SizeClassId> classes = std::exchange(kernels_[of(size_class, machine).kernel], {});
  std::vector<std::uint32_t> left;
  submitted_->left(left);
  for (const SizeClassId one : classes) {
    classes_[one.index()].in_kernel = false;
    // Tasks that were not recorded when they were submitted are not counted, so `left` may have no entry for their
    // class.
    if (one.index() < left.size() && left[one.index()] > 0) {
      learn(one, machine);
    } else {
      classes_[one.index()].measured.clear();
    }
  }
}

bool KernelTimes::is_measured(SizeClassId size_class, const WorkerState& worker) const {
  if (!size_class.valid() || size_class.index() >= classes_.size()) return false;
  const std::vector<bool>& measured = classes_[size_class.index()].measured;
  return !measured.empty() && measured[worker.type];
}

double KernelTimes::size_of(SizeClassId size_class) const {
  const graph::SizeClass& known = submitted_->size_class(size_class);
  return known.flops > 0 ? known.flops : static_cast<double>(known.bytes.count);
}

KernelTimes::Estimate KernelTimes::estimate(const ReadyTask& task, const WorkerState& worker,
                                            const Predictions& predictions) const {
  const Duration execution = predictions.execution(task, worker.id);
  const bool runs = execution != ExecutionTimes::kNever;
  const ClassTimes* const known =
      task.size_class.index() < classes_.size() ? &classes_[task.size_class.index()] : nullptr;
  Estimate estimate;
  // If no worker can run the task, a worker gets the task only to report this. The task's time then counts as 0.
  if (runs) estimate.load = execution;
  if (runs && is_measured(task.size_class, worker)) {
    estimate.predicted = known->in_doubt ? predict(task.size_class, worker.id).value_or(execution) : execution;
    estimate.load = estimate.predicted;
  }
  estimate.guessed = traits_.uses_times && known != nullptr && !known->sure;
  return estimate;
}

void KernelTimes::describe(ReadyTask& task, const Machine& machine) {
  if (!submitted_) return;
  if (predicts(task) && traits_.ranks != Ranks::none) {
    for (; costs_asked_for_ < submitted_->size_classes(); ++costs_asked_for_) {
      (void)of(SizeClassId(static_cast<std::uint32_t>(costs_asked_for_)), machine);
    }
    task.upward_rank_s = submitted_->rank(task.id, costs_s_);
  }
  if (!traits_.asks_reuse) return;
  task.reuse = submitted_->reuse_of(task.data);
  if (task.size_class.valid()) task.flops = submitted_->size_class(task.size_class).flops;
}

bool KernelTimes::measured(SizeClassId size_class, const WorkerState& worker, Duration predicted, Duration took,
                           const Machine& machine) {
  if (!model_ || !size_class.valid()) return false;
  compare(size_class, worker.kind, predicted, took);
  const ExecutionModel::Change change = model_->measured(submitted_->size_class(size_class), worker.id, took);
  if (change == ExecutionModel::Change::size_class) learn(size_class, machine);
  if (change != ExecutionModel::Change::kernel) return false;
  learn_kernel(size_class, machine);
  return true;
}

void KernelTimes::compare(SizeClassId size_class, DeviceKind kind, Duration predicted, Duration took) {
  // Tasks that the runtime submits for itself take no time in virtual time.
  if (took <= Duration::zero()) return;
  if (errors_.size() <= size_class.index()) errors_.resize(size_class.index() + 1);
  PredictionErrors& errors = errors_[size_class.index()][static_cast<std::size_t>(kind)];
  if (predicted > Duration::zero()) {
    errors.add(predicted, took);
  } else if (traits_.uses_times) {
    ++errors.unpredicted;
  }
}

}  // namespace troupe::scheduler
