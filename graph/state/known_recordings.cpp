#include "graph/state/known_recordings.hpp"

#include <algorithm>
#include <iterator>

namespace troupe::graph {

bool KnownRecordings::use(const DataRecord& record) const {
  // A record that a recorded task uses has a dependency state in the recording.
  return std::ranges::any_of(open_, [&record](const Recording* recording) {
    bool orders = false;
    record.visit_tree([&](const DataRecord& part) { orders = orders || recording->orders(part); });
    return orders;
  });
}

bool KnownRecordings::use_inside(const DataRecord& record) const {
  return std::ranges::any_of(open_, [&record](const Recording* recording) { return recording->uses_inside(record); });
}

void KnownRecordings::forget_inside(const DataRecord& record) const {
  for (Recording* recording : open_) recording->forget_inside(record);
}

std::vector<std::shared_ptr<Recording>> KnownRecordings::keep(const std::shared_ptr<Recording>& recording) {
  if (std::find(run_.begin(), run_.end(), recording) != run_.end()) return {};
  const auto owned_elsewhere = [](const std::shared_ptr<Recording>& one) { return one.use_count() > 1; };
  const auto first = std::partition(run_.begin(), run_.end(), owned_elsewhere);
  std::vector<std::shared_ptr<Recording>> dropped(std::make_move_iterator(first), std::make_move_iterator(run_.end()));
  run_.erase(first, run_.end());
  run_.push_back(recording);
  return dropped;
}

std::vector<const Recording*> KnownRecordings::running() const {
  std::vector<const Recording*> running;
  for (const std::shared_ptr<Recording>& recording : run_) {
    if (recording->run_task() != nullptr) running.push_back(recording.get());
  }
  return running;
}

}  // namespace troupe::graph
