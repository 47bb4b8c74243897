#include "client/remote/memory/shared_data.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace troupe::remote {

namespace {

/// From the first element of the first column to the last of the last.
Bytes extent_of(const Layout& layout) {
  if (layout.rows == 0 || layout.cols == 0) return {};
  return {static_cast<std::uint64_t>((layout.cols - 1) * layout.ld + layout.rows) * layout.element_size};
}

void copy(const DataView& from, const DataView& to, const SharedPlace::Part& part) {
  const auto at = [&part](const DataView& view, std::int64_t col) {
    return view.data + (part.row + (part.col + col) * view.layout.ld) * view.layout.element_size;
  };
  const auto column = static_cast<std::size_t>(part.rows) * from.layout.element_size;
  if (part.rows == from.layout.ld && part.rows == to.layout.ld) {
    std::memcpy(at(to, 0), at(from, 0), column * static_cast<std::size_t>(part.cols));
    return;
  }
  for (std::int64_t j = 0; j < part.cols; ++j) std::memcpy(at(to, j), at(from, j), column);
}

}  // namespace

Result<std::shared_ptr<SharedPlace>> SharedPlace::of(const graph::DataDescription& data, SharedHeap& heap) {
  std::shared_ptr<SharedPlace> place(new SharedPlace);
  place->layout_ = data.layout;
  place->program_ = {data.host, data.layout};
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
  place->copy_in({0, 0, data.layout.rows, data.layout.cols});
  return place;
}

void SharedPlace::copy_out(const Part& part) {
  if (!is_copy() || part.rows == 0 || part.cols == 0) return;
  const std::lock_guard lock(mutex_);
  if (program_.data != nullptr) copy({copy_.get(), layout_}, program_, part);
}

void SharedPlace::copy_in(const Part& part) {
  if (!is_copy() || part.rows == 0 || part.cols == 0) return;
  const std::lock_guard lock(mutex_);
  if (program_.data != nullptr) copy(program_, {copy_.get(), layout_}, part);
}

void SharedPlace::take_back() {
  const std::lock_guard lock(mutex_);
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
  return places_.at(&root_of(record));
}

SharedPlace::Part SharedData::part_of(const graph::DataRecord& record) {
  SharedPlace::Part part{0, 0, record.view.layout.rows, record.view.layout.cols};
  for (const graph::DataRecord* at = &record; at->parent != nullptr; at = at->parent) {
    part.row += at->row_in_parent;
    part.col += at->col_in_parent;
  }
  return part;
}

std::vector<std::shared_ptr<SharedPlace>> SharedData::written(std::uint64_t task) {
  std::vector<std::shared_ptr<SharedPlace>> result;
  if (copies_ == 0) return result;
  for (const auto& [record, place] : places_) {
    // Their order means nothing: each is copied on its own.
    if (!place->is_copy() || place->last_writer <= place->copied_out) continue;
    place->copied_out = std::max(place->copied_out, task);
    result.push_back(place);
  }
  return result;
}

}  // namespace troupe::remote
