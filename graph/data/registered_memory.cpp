#include "graph/data/registered_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>

namespace troupe::graph {

namespace {

constexpr std::size_t kNearest = 32;

/// A plane of a block of memory, or a whole block without gaps: `count` runs of `length` bytes each, which begin
/// `pitch` bytes apart. A block without gaps is one run.
struct Runs {
  explicit Runs(const DataView& view)
      : begin(reinterpret_cast<std::uintptr_t>(view.data)),
        length(static_cast<std::uint64_t>(view.layout.rows) * view.layout.element_size),
        pitch(static_cast<std::uint64_t>(view.layout.ld) * view.layout.element_size),
        count(static_cast<std::uint64_t>(view.layout.cols)) {
    if (!view.layout.contiguous()) return;
    length *= count * static_cast<std::uint64_t>(view.layout.planes);
    pitch = length;
    count = 1;
  }
  [[nodiscard]] std::uintptr_t end() const { return begin + (count - 1) * pitch + length; }

  std::uintptr_t begin;
  std::uint64_t length;
  std::uint64_t pitch;
  std::uint64_t count;
};

bool is_empty(const DataView& view) { return view.data == nullptr || view.layout.elements() == 0; }

std::uintptr_t end_of(const DataView& view) {
  return reinterpret_cast<std::uintptr_t>(view.data) +
         static_cast<std::uint64_t>(view.layout.extent()) * view.layout.element_size;
}

/// Returns true if one of `runs` and the single run `run` have a byte in common. Only one of `runs` needs a test, the
/// first that ends after `run` begins: the two have a byte in common if it begins before `run` ends.
bool meets(const Runs& runs, const Runs& run) {
  std::uint64_t first = 0;
  if (run.begin >= runs.begin + runs.length) first = (run.begin - runs.begin - runs.length) / runs.pitch + 1;
  return first < runs.count && runs.begin + first * runs.pitch < run.end();
}

/// Returns true if the first run of `b` has a byte in common with a run of `a`, which may be the run where it begins or
/// the next run. `b` must not begin before `a`. If both blocks have the same pitch, as blocks of one matrix have, no
/// other run of `b` needs a test.
bool first_meets(const Runs& a, const Runs& b) {
  const std::uint64_t row = (b.begin - a.begin) % a.pitch;
  const std::uint64_t col = (b.begin - a.begin) / a.pitch;
  return (row < a.length && col < a.count) || (row + b.length > a.pitch && col + 1 < a.count);
}

bool plane_shares_memory(const DataView& first, const DataView& second) {
  Runs a(first);
  Runs b(second);
  if (b.begin < a.begin) std::swap(a, b);
  if (b.begin >= a.end()) return false;
  if (b.count == 1) return meets(a, b);
  if (a.count == 1) return meets(b, a);
  return first_meets(a, b);
}

/// Returns the number of blocks that are compared one by one: the planes, or 1 for data without gaps.
std::int64_t planes_of(const DataView& view) { return view.layout.contiguous() ? 1 : view.layout.planes; }

DataView plane_of(const DataView& view, std::int64_t index) {
  if (planes_of(view) == 1) return view;
  DataView plane = view;
  plane.data += index * view.layout.plane_stride * static_cast<std::int64_t>(view.layout.element_size);
  plane.layout.planes = 1;
  return plane;
}

}  // namespace

bool share_memory(const DataView& first, const DataView& second) {
  if (is_empty(first) || is_empty(second)) return false;
  if (planes_of(first) == 1 && planes_of(second) == 1) return plane_shares_memory(first, second);
  // The planes of a volume follow one another in memory. So of two planes, the one that ends first overlaps no later
  // plane of the other volume.
  std::int64_t i = 0;
  std::int64_t k = 0;
  while (i < planes_of(first) && k < planes_of(second)) {
    const DataView a = plane_of(first, i);
    const DataView b = plane_of(second, k);
    if (plane_shares_memory(a, b)) return true;
    ++(end_of(a) < end_of(b) ? i : k);
  }
  return false;
}

const DataRecord* RegisteredMemory::find_among(const Places& places, const DataView& view, std::size_t nearest) {
  const auto* const end = reinterpret_cast<const std::byte*>(end_of(view));
  const auto middle = places.lower_bound(view.data);
  std::size_t looks = nearest;
  for (auto at = middle; at != places.end() && at->first < end && looks > 0; ++at, --looks) {
    if (share_memory(at->second->view, view)) return at->second;
  }
  looks = nearest;
  for (auto at = middle; at != places.begin() && looks > 0; --looks) {
    --at;
    if (share_memory(at->second->view, view)) return at->second;
  }
  return nullptr;
}

const DataRecord* RegisteredMemory::find_overlap(const DataView& view) const {
  if (is_empty(view)) return nullptr;
  // If a block and its neighbours have no gaps, only the nearest neighbour on each side can overlap it.
  const DataRecord* const found = find_among(compact_, view, view.layout.contiguous() ? 1 : kNearest);
  return found != nullptr ? found : find_among(spread_, view, kNearest);
}

void RegisteredMemory::add(const DataRecord& record) {
  if (is_empty(record.view)) return;
  (record.view.layout.contiguous() ? compact_ : spread_).emplace(record.view.data, &record);
}

void RegisteredMemory::remove(const DataRecord& record) {
  if (is_empty(record.view)) return;
  Places& places = record.view.layout.contiguous() ? compact_ : spread_;
  const auto found = places.find(record.view.data);
  if (found != places.end() && found->second == &record) places.erase(found);
}

}  // namespace troupe::graph
