#include "client/remote/memory/shared_data.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

namespace troupe::remote {

namespace {

/// Returns the size from the first element to the last one, with the gaps between columns and planes.
Bytes extent_of(const Layout& layout) { return {static_cast<std::uint64_t>(layout.extent()) * layout.element_size}; }

/// Rows [from, to) of one column.
struct Rows {
  std::int64_t from;
  std::int64_t to;
};

/// Returns the rows of a block with one column, without the rows that a hole covers.
std::vector<Rows> rows_around(const Block& column, std::span<const Block> holes) {
  std::vector<Rows> rows{{column.row, column.row + column.rows}};
  for (const Block& hole : holes) {
    const Block common = graph::intersection(column, hole);
    if (graph::elements_of(common) == 0) continue;
    std::vector<Rows> rest;
    for (const Rows& each : rows) {
      const Rows above{each.from, std::min(each.to, common.row)};
      const Rows below{std::max(each.from, common.row + common.rows), each.to};
      if (above.from < above.to) rest.push_back(above);
      if (below.from < below.to) rest.push_back(below);
    }
    rows = std::move(rest);
  }
  return rows;
}

/// Copies a block of one plane, except for the holes in it.
void copy_plane(const DataView& from, const DataView& to, const Block& part, std::span<const Block> holes) {
  const std::size_t element = from.layout.element_size;
  const auto at = [element, &part](const DataView& view, std::int64_t row, std::int64_t col) {
    const std::int64_t first = row + col * view.layout.ld + part.plane * view.layout.plane_stride;
    return view.data + first * static_cast<std::int64_t>(element);
  };
  const bool without_gaps = part.col_step == 1 && part.rows == from.layout.ld && part.rows == to.layout.ld;
  if (holes.empty() && without_gaps) {
    std::memcpy(at(to, part.row, part.col), at(from, part.row, part.col),
                static_cast<std::size_t>(part.rows * part.cols) * element);
    return;
  }
  for (std::int64_t j = 0; j < part.cols; ++j) {
    const std::int64_t col = part.col + j * part.col_step;
    for (const Rows& rows : rows_around({part.row, col, part.rows, 1, part.plane, 1}, holes)) {
      std::memcpy(at(to, rows.from, col), at(from, rows.from, col),
                  static_cast<std::size_t>(rows.to - rows.from) * element);
    }
  }
}

/// Copies a block of the data, except for the holes in it.
void copy_part(const DataView& from, const DataView& to, const Block& part, std::span<const Block> holes = {}) {
  if (graph::elements_of(part) == 0) return;
  Block plane = part;
  plane.planes = 1;
  for (std::int64_t k = 0; k < part.planes; ++k) {
    copy_plane(from, to, plane, holes);
    plane.plane += part.plane_step;
  }
}

}  // namespace

Result<std::shared_ptr<SharedPlace>> SharedPlace::of(const graph::DataDescription& data, SharedHeap& heap) {
  const DataView program{data.host, data.layout};
  std::shared_ptr<SharedPlace> place(new SharedPlace(program));
  place->layout_ = data.layout;
  const Bytes extent = extent_of(data.layout);
  if (data.host == nullptr && extent.count != 0) {
    return Failure{ErrorCode::invalid_argument,
                   "data without memory cannot be registered with a service: only runs in virtual time do without"};
  }
  if (const auto address = heap.find(data.host, {std::max<std::uint64_t>(extent.count, 1)})) {
    place->address_ = *address;
    return place;
  }
  auto copy = heap.allocate(data.layout.payload());
  if (!copy) return copy.failure();
  place->copy_ = std::move(copy).value();
  place->layout_ = data.layout.packed();
  const auto address = heap.find(place->copy_.get(), data.layout.payload());
  if (!address) return Failure{ErrorCode::service_lost, "the service's memory has gone"};
  place->address_ = *address;
  copy_part(program, {place->copy_.get(), place->layout_}, place->whole());
  return place;
}

void SharedPlace::copy_free(const Block& part) {
  if (program_.data != nullptr) copy_part({copy_.get(), layout_}, program_, part, held_);
}

void SharedPlace::note_copied(const Block& part, std::uint64_t task) {
  if (part != whole() || task <= copied_out_.load(std::memory_order_relaxed)) return;
  copied_out_.store(task, std::memory_order_release);
}

void SharedPlace::copy_out(const Block& part, std::uint64_t written, std::uint64_t task) {
  if (!is_copy()) return;
  const LockGuard lock(mutex_);
  if (written <= copied_out_.load(std::memory_order_relaxed)) return;
  copy_free(part);
  note_copied(part, task);
}

void SharedPlace::copy_out_rest(std::uint64_t task) { copy_out(whole(), task, task); }

void SharedPlace::hold(const Block& part, AccessMode mode, std::uint64_t written, std::uint64_t task) {
  if (!is_copy()) return;
  if (reads(mode)) copy_out(part, written, task);
  const LockGuard lock(mutex_);
  held_.push_back(part);
}

void SharedPlace::give_back(const Block& part, AccessMode mode, std::uint64_t task) {
  if (!is_copy()) return;
  const LockGuard lock(mutex_);
  if (writes(mode) && program_.data != nullptr) copy_part(program_, {copy_.get(), layout_}, part);
  if (writes(mode)) note_copied(part, task);
  held_.erase(std::ranges::find(held_, part));
}

void SharedPlace::take_back() {
  const LockGuard lock(mutex_);
  program_.data = nullptr;
}

void SharedData::add(const graph::DataRecord& record, std::shared_ptr<SharedPlace> place) {
  copies_ += place->is_copy() ? 1 : 0;
  places_.emplace(&record, std::move(place));
}

void SharedData::remove(const graph::DataRecord& record) {
  const auto found = places_.find(&record);
  if (found == places_.end()) return;
  copies_ -= found->second->is_copy() ? 1 : 0;
  places_.erase(found);
}

std::shared_ptr<SharedPlace> SharedData::place_of(const graph::DataRecord& record) const {
  return places_.at(&record.whole());
}

Block SharedData::part_of(const graph::DataRecord& record) {
  Block part = graph::whole_block(record.view.layout);
  for (const graph::DataRecord* at = &record; at->parent != nullptr; at = at->parent) {
    part = graph::in_whole(part, at->place);
  }
  return part;
}

std::vector<std::shared_ptr<SharedPlace>> SharedData::outdated() const {
  std::vector<std::shared_ptr<SharedPlace>> result;
  if (copies_ == 0) return result;
  for (const auto& [record, place] : places_) {
    // The order of the map does not matter: each place is copied on its own.
    if (place->is_outdated()) result.push_back(place);
  }
  return result;
}

}  // namespace troupe::remote
