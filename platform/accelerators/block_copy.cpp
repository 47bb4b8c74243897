#include "platform/accelerators/block_copy.hpp"

#include <algorithm>
#include <cstring>

namespace troupe::platform {

BlockCopy BlockCopy::plane(std::size_t index) const {
  BlockCopy one = *this;
  one.from += index * from_plane_pitch;
  one.to += index * to_plane_pitch;
  one.planes = 1;
  return one;
}

namespace {

/// Describes the planes of a copy, which have one column each, as the columns of a single plane.
void make_columns_of_planes(BlockCopy& copy) {
  copy.columns = copy.planes;
  copy.from_pitch = copy.from_plane_pitch;
  copy.to_pitch = copy.to_plane_pitch;
  copy.planes = 1;
}

/// Describes the columns of each plane, which have no gaps between them, as a single column.
void join_columns(BlockCopy& copy) {
  copy.column_bytes *= copy.columns;
  copy.columns = 1;
  copy.from_pitch = copy.to_pitch = copy.column_bytes;
}

}  // namespace

BlockCopy block_copy(const DataView& from, const DataView& to) {
  const auto bytes = [&from](std::int64_t elements) {
    return static_cast<std::size_t>(elements) * from.layout.element_size;
  };
  BlockCopy copy;
  copy.from = from.data;
  copy.to = to.data;
  copy.column_bytes = bytes(from.layout.rows);
  copy.columns = static_cast<std::size_t>(from.layout.cols);
  copy.planes = static_cast<std::size_t>(from.layout.planes);
  copy.from_pitch = bytes(from.layout.ld);
  copy.to_pitch = bytes(to.layout.ld);
  copy.from_plane_pitch = bytes(from.layout.plane_stride);
  copy.to_plane_pitch = bytes(to.layout.plane_stride);
  const auto has_whole_columns = [&copy] {
    return copy.columns <= 1 || (copy.from_pitch == copy.column_bytes && copy.to_pitch == copy.column_bytes);
  };
  if (copy.planes > 1) {
    const bool has_whole_planes =
        copy.from_plane_pitch == copy.columns * copy.from_pitch && copy.to_plane_pitch == copy.columns * copy.to_pitch;
    if (has_whole_planes) {
      copy.columns *= copy.planes;
      copy.planes = 1;
    } else if (has_whole_columns()) {
      join_columns(copy);
      make_columns_of_planes(copy);
    }
  }
  if (copy.planes == 1 && has_whole_columns()) join_columns(copy);
  return copy;
}

void move_bytes(const BlockCopy& copy, std::size_t begin, std::size_t end) {
  while (begin < end) {
    const std::size_t column = begin / copy.column_bytes;
    const std::size_t offset = begin % copy.column_bytes;
    const std::size_t bytes = std::min(end - begin, copy.column_bytes - offset);
    const std::size_t plane = column / copy.columns;
    const std::size_t in_plane = column % copy.columns;
    std::memcpy(copy.to + plane * copy.to_plane_pitch + in_plane * copy.to_pitch + offset,
                copy.from + plane * copy.from_plane_pitch + in_plane * copy.from_pitch + offset, bytes);
    begin += bytes;
  }
}

}  // namespace troupe::platform
