/// The scheduler's knowledge of kernel times.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "actors/scheduler/scheduler_core.hpp"
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
    costs_.by_class_s.resize(size_class.index() + 1);
  }
  ClassState& state = classes_[size_class.index()];
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
    predictions_.execution_times.set(size_class, worker.id, cautious(*predicted, doubt));
    state.known_somewhere = true;
    sum += seconds(*predicted);
    least = std::min(least, seconds(*predicted));
    longest = std::max(longest, *predicted);
    ++count;
  }
  const Duration guess(std::llround(kUnknown * static_cast<double>(longest.count())));
  for (const WorkerId worker : unknown) predictions_.execution_times.set(size_class, worker, guess);
  if (count == 0) return;
  costs_.by_class_s[size_class.index()] = traits_.ranks == Ranks::mean ? sum / static_cast<double>(count) : least;
}

void SchedulerCore::enter(SizeClassId size_class, const graph::SizeClass& known) {
  ClassState& state = classes_[size_class.index()];
  if (state.in_kernel) return;
  state.in_kernel = true;
  state.kernel = model_->kernel(known);
  if (kernels_.size() <= state.kernel) kernels_.resize(state.kernel + 1);
  kernels_[state.kernel].classes.push_back(size_class);
}

void SchedulerCore::learn_kernel(SizeClassId size_class) {
  // A task that was placed without asking the policy may be of a class without predictions.
  learn_if_new(size_class);
  const std::vector<SizeClassId> classes = std::exchange(kernel_of(size_class).classes, {});
  std::vector<std::uint32_t> left;
  submitted_->left(left);
  for (const SizeClassId one : classes) {
    classes_[one.index()].in_kernel = false;
    // Tasks that were not recorded when they were submitted are not counted, so `left` may have no entry for their
    // class.
    if (one.index() < left.size() && left[one.index()] > 0) {
      learn(one);
    } else {
      classes_[one.index()].measured.clear();
    }
  }
}

void SchedulerCore::predict_guessed() {
  std::erase_if(guessed_, [this](TaskId task) {
    const auto found = placed_.find(task);
    if (found == placed_.end()) return true;
    const Running& there = found->second;
    const auto predicted = model_->predict(submitted_->size_class(there.size_class), there.worker);
    if (predicted) loads_.predicted(there.worker, task, *predicted);
    return false;
  });
}

void SchedulerCore::learn_if_new(SizeClassId size_class) {
  if (size_class.index() >= classes_.size() || classes_[size_class.index()].measured.empty()) learn(size_class);
}

bool SchedulerCore::is_measured(SizeClassId size_class, WorkerId worker) const {
  if (!size_class.valid() || size_class.index() >= classes_.size()) return false;
  const std::vector<bool>& measured = classes_[size_class.index()].measured;
  return !measured.empty() && measured[workers_[worker.index()].type];
}

void SchedulerCore::fill_rank(ReadyTask& task) {
  if (!submitted_ || !task.size_class.valid() || traits_.ranks == Ranks::none) return;
  for (; costs_.asked_for < submitted_->size_classes(); ++costs_.asked_for) {
    learn_if_new(SizeClassId(static_cast<std::uint32_t>(costs_.asked_for)));
  }
  task.upward_rank_s = submitted_->rank(task.id, costs_.by_class_s);
}

void SchedulerCore::fill_grain(ReadyTask& task) {
  if (!submitted_ || !traits_.asks_reuse) return;
  task.reuse = submitted_->reuse_of(task.data);
  if (task.size_class.valid()) task.flops = submitted_->size_class(task.size_class).flops;
}

void SchedulerCore::compare(const Running& running, WorkerId worker, Duration took) {
  // Tasks that the runtime submits for itself take no time in virtual time.
  if (took <= Duration::zero()) return;
  if (errors_.size() <= running.size_class.index()) errors_.resize(running.size_class.index() + 1);
  const auto kind = static_cast<std::size_t>(workers_[worker.index()].kind);
  PredictionErrors& errors = errors_[running.size_class.index()][kind];
  if (running.predicted > Duration::zero()) {
    errors.add(running.predicted, took);
  } else if (traits_.uses_times) {
    ++errors.unpredicted;
  }
}

}  // namespace troupe::scheduler
