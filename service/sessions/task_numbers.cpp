#include "service/sessions/task_numbers.hpp"

#include <iterator>
#include <utility>

namespace troupe::service {
namespace {

constexpr std::size_t kLargestRing = 65'536;

}  // namespace

void TaskNumbers::add(const Future& future) {
  const std::uint64_t number = next_++;
  if (slot_of(number).in_flight && ring_.size() < kLargestRing) grow();
  Slot& slot = slot_of(number);
  if (slot.in_flight) old_.emplace(slot.number, slot.future);
  slot = {number, true, future};
}

void TaskNumbers::grow() {
  std::vector<Slot> before(2 * ring_.size());
  before.swap(ring_);
  for (Slot& slot : before) {
    if (slot.number != 0) slot_of(slot.number) = std::move(slot);
  }
}

void TaskNumbers::ended(std::uint64_t number, TaskStatus status) {
  Slot& slot = slot_of(number);
  if (slot.number == number) {
    slot.in_flight = false;
  } else {
    old_.erase(number);
  }
  if (status != TaskStatus::succeeded) note_unsuccessful(number, status);
}

void TaskNumbers::note_unsuccessful(std::uint64_t number, TaskStatus status) {
  auto after = unsuccessful_.upper_bound(number);
  const bool joins_after = after != unsuccessful_.end() && after->first == number + 1 && after->second.status == status;
  std::uint64_t last = number;
  if (joins_after) {
    last = after->second.last;
    after = unsuccessful_.erase(after);
  }
  if (after != unsuccessful_.begin()) {
    Range& before = std::prev(after)->second;
    if (before.last + 1 == number && before.status == status) {
      before.last = last;
      return;
    }
  }
  unsuccessful_.emplace(number, Range{last, status});
  if (unsuccessful_.size() > kMostRanges) unsuccessful_.erase(unsuccessful_.begin());
}

TaskNumbers::Found TaskNumbers::find(std::uint64_t number) const {
  const Slot& slot = ring_[number & (ring_.size() - 1)];
  if (slot.number == number && slot.in_flight) return {slot.future, TaskStatus::pending};
  if (const auto old = old_.find(number); old != old_.end()) return {old->second, TaskStatus::pending};
  const auto after = unsuccessful_.upper_bound(number);
  if (after != unsuccessful_.begin()) {
    const Range& range = std::prev(after)->second;
    if (number <= range.last) return {{}, range.status};
  }
  return {{}, TaskStatus::succeeded};
}

}  // namespace troupe::service
