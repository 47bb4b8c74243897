#include "platform/virtual/virtual_time.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace troupe::platform {
namespace {

constexpr std::uint32_t kChildren = 4;

constexpr std::uint32_t parent_of(std::uint32_t position) { return (position - 1) / kChildren; }
constexpr std::uint32_t first_child_of(std::uint32_t position) { return position * kChildren + 1; }

}  // namespace

EventId VirtualTime::at(TimeStamp when, Event event) {
  assert(when >= now() && "an event cannot be in the past");
  assert(event && "an event must be something to call");
  const std::uint32_t index = free_slot();
  Slot& slot = slots_[index];
  slot.event = std::move(event);
  slot.waiting = true;
  const Entry entry{when, sequence_++, index};
  heap_.push_back(entry);
  rise(static_cast<std::uint32_t>(heap_.size() - 1), entry);
  return {index, slot.generation};
}

bool VirtualTime::cancel(EventId id) {
  if (id.slot >= slots_.size()) return false;
  const Slot& slot = slots_[id.slot];
  if (!slot.waiting || slot.generation != id.generation) return false;
  remove(slot.position);
  return true;
}

bool VirtualTime::advance() {
  if (heap_.empty()) return false;
  clock_.set(heap_.front().when);
  // The event is moved out of its slot before it is called: the event may add events, and then the slots move in
  // memory.
  Event event = remove(0);
  event();
  return true;
}

std::optional<TimeStamp> VirtualTime::next() const {
  if (heap_.empty()) return std::nullopt;
  return heap_.front().when;
}

std::uint32_t VirtualTime::free_slot() {
  if (free_.empty()) {
    slots_.emplace_back();
    return static_cast<std::uint32_t>(slots_.size() - 1);
  }
  const std::uint32_t index = free_.back();
  free_.pop_back();
  return index;
}

Event VirtualTime::remove(std::uint32_t position) {
  const std::uint32_t index = heap_[position].slot;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (position < heap_.size()) {
    if (position > 0 && last.before(heap_[parent_of(position)])) {
      rise(position, last);
    } else {
      sink(position, last);
    }
  }
  Slot& slot = slots_[index];
  slot.waiting = false;
  ++slot.generation;
  free_.push_back(index);
  return std::move(slot.event);
}

void VirtualTime::rise(std::uint32_t position, const Entry& entry) {
  while (position > 0) {
    const std::uint32_t parent = parent_of(position);
    if (!entry.before(heap_[parent])) break;
    place(position, heap_[parent]);
    position = parent;
  }
  place(position, entry);
}

void VirtualTime::sink(std::uint32_t position, const Entry& entry) {
  const auto size = static_cast<std::uint32_t>(heap_.size());
  for (std::uint32_t child = first_child_of(position); child < size; child = first_child_of(position)) {
    std::uint32_t least = child;
    for (const std::uint32_t end = std::min(child + kChildren, size); ++child < end;) {
      if (heap_[child].before(heap_[least])) least = child;
    }
    if (!heap_[least].before(entry)) break;
    place(position, heap_[least]);
    position = least;
  }
  place(position, entry);
}

void VirtualTime::place(std::uint32_t position, const Entry& entry) {
  heap_[position] = entry;
  slots_[entry.slot].position = position;
}

}  // namespace troupe::platform
