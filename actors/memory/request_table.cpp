#include "actors/memory/request_table.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace troupe::memory {

namespace {

void merge(const Use& use, std::vector<Use>& merged) {
  const auto same = std::ranges::find(merged, use.handle, &Use::handle);
  if (same == merged.end()) return merged.push_back(use);
  if (same->mode != use.mode) {
    same->mode = writes(same->mode) || writes(use.mode) ? AccessMode::read_write : AccessMode::read;
  }
  same->last_write = same->last_write || use.last_write;
}

}  // namespace

void merge_uses(std::span<const Use> uses, NodeId node, std::vector<Use>& merged, std::vector<Use>& overlaps) {
  merged.clear();
  overlaps.clear();
  for (const Use& use : uses) {
    if (!use.halo.valid()) [[likely]] {
      merge(use, merged);
    } else if (node == kHost) {
      if (use.is_overlap()) merge({use.handle, use.mode, use.bytes}, merged);
    } else if (use.is_buffer()) {
      merge(use, merged);
    } else if (std::ranges::none_of(overlaps,
                                    [&](const Use& one) { return one.halo == use.halo && one.handle == use.handle; })) {
      overlaps.push_back(use);
    }
  }
}

RequestTable::RequestTable() : entries_(64) {}

std::size_t RequestTable::home(RequestId id) const {
  return static_cast<std::size_t>((id.value() * 0x9e3779b97f4a7c15ULL) >> 20U) & (entries_.size() - 1);
}

void RequestTable::insert(Entry entry) {
  std::size_t at = home(entry.id);
  while (entries_[at].place != kNone) at = (at + 1) & (entries_.size() - 1);
  entries_[at] = entry;
}

void RequestTable::grow() {
  std::vector<Entry> old(entries_.size() * 2);
  std::swap(old, entries_);
  for (const Entry& entry : old) {
    if (entry.place != kNone) insert(entry);
  }
}

RequestTable::Place RequestTable::add(RequestId id) {
  assert(find(id) == kNone && "a request is acquired once");
  if (2 * (count_ + 1) > entries_.size()) grow();
  Place place = 0;
  if (unused_.empty()) {
    place = static_cast<Place>(requests_.size());
    requests_.emplace_back();
  } else {
    place = unused_.back();
    unused_.pop_back();
  }
  requests_[place].id = id;
  insert({id, place});
  ++count_;
  return place;
}

RequestTable::Place RequestTable::find(RequestId id) const {
  for (std::size_t at = home(id); entries_[at].place != kNone; at = (at + 1) & (entries_.size() - 1)) {
    if (entries_[at].id == id) return entries_[at].place;
  }
  return kNone;
}

void RequestTable::remove(Place place) {
  const std::size_t mask = entries_.size() - 1;
  std::size_t hole = home(requests_[place].id);
  while (entries_[hole].place != place) hole = (hole + 1) & mask;
  // Moves later entries into the hole, but no entry to a position before its home position.
  for (std::size_t at = (hole + 1) & mask; entries_[at].place != kNone; at = (at + 1) & mask) {
    if (((at - home(entries_[at].id)) & mask) < ((at - hole) & mask)) continue;
    entries_[hole] = entries_[at];
    hole = at;
  }
  entries_[hole] = {};
  requests_[place].uses.clear();
  unused_.push_back(place);
  --count_;
}

}  // namespace troupe::memory
