#include "actors/scheduler/models/learned_model.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace troupe::scheduler {

LearnedModel::LearnedModel(std::shared_ptr<ExecutionHistory> history, const std::vector<DeviceType>& workers)
    : history_(std::move(history)) {
  for (const DeviceType& worker : workers) {
    const auto known = std::ranges::find(types_, worker);
    type_of_.push_back(static_cast<std::size_t>(known - types_.begin()));
    if (known == types_.end()) types_.push_back(worker);
  }
}

LearnedModel::Place& LearnedModel::place(const graph::SizeClass& size_class, std::size_t type) const {
  const std::size_t index = size_class.id.index() * types_.size() + type;
  if (places_.size() <= index) places_.resize((size_class.id.index() + 1) * types_.size());
  Place& found = places_[index];
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
