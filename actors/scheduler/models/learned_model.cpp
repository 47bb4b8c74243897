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

LearnedModel::Place& LearnedModel::place(const graph::SizeClass& size_class, WorkerId worker) const {
  const std::size_t type = type_of_[worker.index()];
  const std::size_t index = size_class.id.index() * types_.size() + type;
  if (places_.size() <= index) places_.resize((size_class.id.index() + 1) * types_.size());
  Place& found = places_[index];
  if (found.kernel == nullptr) {
    found.kernel = &history_->kernel(kernel_of(size_class, types_[type]));
    found.shape = &found.kernel->shape(size_class.shapes, size_of(size_class));
  }
  return found;
}

std::optional<Duration> LearnedModel::predict(const graph::SizeClass& size_class, WorkerId worker) const {
  Place& asked = place(size_class, worker);
  asked.said_s = asked.kernel->predict(*asked.shape);
  if (!asked.said_s) return std::nullopt;
  return Duration(std::llround(*asked.said_s * 1e9));
}

bool LearnedModel::measured(const graph::SizeClass& size_class, WorkerId worker, Duration time) {
  Place& where = place(size_class, worker);
  where.kernel->add(*where.shape, seconds(time));
  const std::optional<double> now_s = where.kernel->predict(*where.shape);
  if (now_s.has_value() != where.said_s.has_value()) return true;
  return now_s && std::abs(*now_s - *where.said_s) > kNoticeable * *where.said_s;
}

}  // namespace troupe::scheduler
