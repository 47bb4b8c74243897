#include "actors/scheduler/models/learned_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "troupe/codelet.hpp"

namespace troupe::scheduler {

namespace {

/// Predictions are limited to this time, so that sums of predictions do not overflow: for sizes far from all measured
/// sizes a law may give any time, or NaN.
constexpr double kLongest_s = 1e5;

Duration duration_of(double time_s) {
  return Duration(std::llround((time_s < kLongest_s ? time_s : kLongest_s) * 1e9));
}

}  // namespace

LearnedModel::LearnedModel(std::shared_ptr<ExecutionHistory> history, const std::vector<DeviceType>& workers)
    : history_(std::move(history)) {
  for (const DeviceType& worker : workers) type_of_.push_back(number_of(worker));
}

std::size_t LearnedModel::number_of(const DeviceType& type) {
  const auto number = static_cast<std::size_t>(std::ranges::find(types_, type) - types_.begin());
  if (number == types_.size()) types_.push_back(type);
  return number;
}

void LearnedModel::regrouped(WorkerId worker, const DeviceType& type) { type_of_[worker.index()] = number_of(type); }

std::size_t LearnedModel::kernel(const graph::SizeClass& size_class) const {
  const auto [found, is_new] = kernels_.try_emplace(
      {learned_name(*size_class.codelet), size_class.element_bytes, size_class.flops > 0}, kernels_.size());
  measured_.resize(kernels_.size());
  return found->second;
}

LearnedModel::Place& LearnedModel::place(const graph::SizeClass& size_class, std::size_t type) const {
  if (places_.size() <= size_class.id.index()) places_.resize(size_class.id.index() + 1);
  std::vector<Place>& of_class = places_[size_class.id.index()];
  if (of_class.size() < types_.size()) of_class.resize(types_.size());
  Place& found = of_class[type];
  if (found.kernel == nullptr) {
    const KernelKey key = kernel_of(size_class, types_[type]);
    found.kernel = &history_->kernel(key);
    found.key = &history_->kernels().find(key)->first;
    found.shapes = size_class.shapes;
    found.shape = &found.kernel->shape(size_class.shapes, measures_of(size_class));
    found.shape->used = history_->run();
    found.number = kernel(size_class);
  }
  return found;
}

std::optional<Duration> LearnedModel::predict(const graph::SizeClass& size_class, WorkerId worker) const {
  Place& asked = place(size_class, type_of_[worker.index()]);
  const bool by_law =
      asked.kernel->law().count() >= KernelHistory::kEnough && asked.shape->times.count() < KernelHistory::kEnough;
  const std::uint64_t version = by_law ? asked.kernel->law().version() : 0;
  // The scheduler asks for each worker of a type, with the same result, so a prediction by the law is kept until the
  // law changes.
  if (version == 0 || asked.version != version) {
    const auto predicted = predict_at(asked);
    asked.said_s = predicted ? std::optional(predicted->time_s) : std::nullopt;
    asked.doubt = predicted ? predicted->doubt : 0;
    asked.asked = true;
    asked.version = version;
  }
  if (!asked.said_s) return std::nullopt;
  return duration_of(*asked.said_s);
}

std::optional<Duration> LearnedModel::predict_on_cores(const graph::SizeClass& size_class, WorkerId worker,
                                                       int cores) const {
  DeviceType type = types_[type_of_[worker.index()]];
  type.cores = cores;
  const KernelKey key = kernel_of(size_class, type);
  const TaskMeasures task = measures_of(size_class);
  // Clusters of this size may never exist, so the history gets no entry for such clusters.
  const auto found = history_->kernels().find(key);
  std::optional<TimeLaw::Prediction> known;
  // With fewer than `kEnough` measurements, the law is a guess.
  if (found != history_->kernels().end() && found->second.law().count() >= KernelHistory::kEnough) {
    known = found->second.predict(size_class.shapes, task);
  }
  if (!known) known = history_->predict_from_other_cores(key, size_class.shapes, task);
  if (!known) return std::nullopt;
  return duration_of(known->time_s);
}

bool LearnedModel::is_sure(const graph::SizeClass& size_class, WorkerId worker) const {
  const Place& asked = place(size_class, type_of_[worker.index()]);
  if (asked.kernel->law().count() >= kMany || measured_[asked.number] >= kManyInAll) return true;
  const auto predicted = predict_at(asked);
  return predicted && predicted->doubt <= kSure;
}

double LearnedModel::doubt(const graph::SizeClass& size_class, WorkerId worker) const {
  return predict(size_class, worker) ? place(size_class, type_of_[worker.index()]).doubt : 0;
}

std::uint32_t LearnedModel::measurements_missing(const graph::SizeClass& size_class, WorkerId worker) const {
  const Place& asked = place(size_class, type_of_[worker.index()]);
  const std::uint64_t count = asked.kernel->law().count();
  if (asked.kernel->is_settled(*asked.shape) || (count == 0 && predict_at(asked))) return 0;
  return static_cast<std::uint32_t>(KernelHistory::kEnough - count);
}

ExecutionModel::Change LearnedModel::measured(const graph::SizeClass& size_class, WorkerId worker, Duration time) {
  const std::size_t type = type_of_[worker.index()];
  Place& where = place(size_class, type);
  const std::uint64_t version = where.kernel->law().version();
  where.kernel->add(*where.shape, seconds(time));
  ++measured_[where.number];
  if (where.kernel->law().version() != version) {
    history_->relate(*where.key);
    return Change::kernel;
  }
  if (has_changed(where)) return Change::size_class;
  // The measurement may change predictions for clusters of other sizes, too.
  for (std::size_t other = 0; other < types_.size(); ++other) {
    const DeviceType same(types_[other].kind, types_[type].cores, types_[other].model);
    if (other != type && same == types_[type] && has_changed(place(size_class, other))) return Change::size_class;
  }
  return Change::nothing;
}

std::optional<TimeLaw::Prediction> LearnedModel::predict_at(const Place& place) const {
  const auto known = place.kernel->predict(*place.shape);
  if (known && place.kernel->is_settled(*place.shape)) return known;
  const auto other = history_->predict_from_other_cores(*place.key, place.shapes, *place.shape);
  return other ? other : known;
}

bool LearnedModel::has_changed(const Place& place) const {
  if (!place.asked) return false;
  const auto now = predict_at(place);
  if (now.has_value() != place.said_s.has_value()) return true;
  return now && std::abs(now->time_s - *place.said_s) > kNoticeable * *place.said_s;
}

}  // namespace troupe::scheduler
