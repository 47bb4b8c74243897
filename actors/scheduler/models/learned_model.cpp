#include "actors/scheduler/models/learned_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace troupe::scheduler {

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

LearnedModel::Place& LearnedModel::place(const graph::SizeClass& size_class, std::size_t type) const {
  if (places_.size() <= size_class.id.index()) places_.resize(size_class.id.index() + 1);
  std::vector<Place>& of_class = places_[size_class.id.index()];
  if (of_class.size() <= type) of_class.resize(types_.size());
  Place& found = of_class[type];
  if (found.kernel == nullptr) {
    found.key = kernel_of(size_class, types_[type]);
    found.shapes = size_class.shapes;
    found.kernel = &history_->kernel(found.key);
    found.shape = &found.kernel->shape(size_class.shapes, size_of(size_class));
  }
  return found;
}

std::optional<Duration> LearnedModel::predict(const graph::SizeClass& size_class, WorkerId worker) const {
  Place& asked = place(size_class, type_of_[worker.index()]);
  asked.said_s = predict_s(asked);
  asked.asked = true;
  if (!asked.said_s) return std::nullopt;
  return Duration(std::llround(*asked.said_s * 1e9));
}

std::optional<Duration> LearnedModel::predict_on_cores(const graph::SizeClass& size_class, WorkerId worker,
                                                       int cores) const {
  DeviceType type = types_[type_of_[worker.index()]];
  type.cores = cores;
  const KernelKey key = kernel_of(size_class, type);
  const double size = size_of(size_class);
  // Nobody may ever have such clusters, so nothing is made for them.
  const auto found = history_->kernels().find(key);
  std::optional<double> known;
  if (found != history_->kernels().end()) known = found->second.predict(size_class.shapes, size);
  if (!known) known = history_->predict_from_other_cores(key, size_class.shapes, size);
  if (!known) return std::nullopt;
  return Duration(std::llround(*known * 1e9));
}

bool LearnedModel::measured(const graph::SizeClass& size_class, WorkerId worker, Duration time) {
  const std::size_t type = type_of_[worker.index()];
  Place& where = place(size_class, type);
  where.kernel->add(*where.shape, seconds(time));
  if (has_changed(where)) return true;
  // Clusters of other sizes learn from it.
  for (std::size_t other = 0; other < types_.size(); ++other) {
    const DeviceType same(types_[other].kind, types_[type].cores, types_[other].model);
    if (other != type && same == types_[type] && has_changed(place(size_class, other))) return true;
  }
  return false;
}

std::optional<double> LearnedModel::predict_s(const Place& place) const {
  const auto known = place.kernel->predict(*place.shape);
  return known ? known : history_->predict_from_other_cores(place.key, place.shapes, place.shape->size);
}

bool LearnedModel::has_changed(const Place& place) const {
  if (!place.asked) return false;
  const std::optional<double> now_s = predict_s(place);
  if (now_s.has_value() != place.said_s.has_value()) return true;
  return now_s && std::abs(*now_s - *place.said_s) > kNoticeable * *place.said_s;
}

}  // namespace troupe::scheduler
