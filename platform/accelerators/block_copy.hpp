/// A copy of a block of data between two memories.
#pragma once

#include <cstddef>
#include <span>

#include "troupe/layout.hpp"
#include "troupe/units.hpp"

namespace troupe::platform {

/// A copy of `planes` planes of `columns` columns of `column_bytes` bytes each. Columns begin `from_pitch` bytes apart
/// in the source and `to_pitch` bytes apart in the target; planes begin `from_plane_pitch` and `to_plane_pitch` bytes
/// apart.
struct BlockCopy {
  const std::byte* from = nullptr;
  std::size_t from_pitch = 0;
  std::byte* to = nullptr;
  std::size_t to_pitch = 0;
  std::size_t column_bytes = 0;
  std::size_t columns = 0;
  std::size_t planes = 1;
  std::size_t from_plane_pitch = 0;
  std::size_t to_plane_pitch = 0;
  /// `from_data` is the memory of the data from which the copy reads a block, `to_data` that of the data into which it
  /// writes a block. Each is empty if the copy covers all of the data.
  std::span<const std::byte> from_data = {};
  std::span<const std::byte> to_data = {};

  [[nodiscard]] Bytes bytes() const { return {column_bytes * columns * planes}; }
  /// Returns true if the bytes lie directly behind one another on both sides.
  [[nodiscard]] bool in_one_run() const {
    return planes == 1 && (columns == 1 || (from_pitch == column_bytes && to_pitch == column_bytes));
  }
  /// `from_span` returns the size of the memory that the copy reads, from the first byte to the last; `to_span` returns
  /// that of the memory that it writes.
  [[nodiscard]] std::size_t from_span() const { return span(from_pitch, from_plane_pitch); }
  [[nodiscard]] std::size_t to_span() const { return span(to_pitch, to_plane_pitch); }
  /// Returns the copy of one plane.
  [[nodiscard]] BlockCopy plane(std::size_t index) const;
  [[nodiscard]] std::size_t span(std::size_t pitch, std::size_t plane_pitch) const {
    return bytes().count == 0 ? 0 : (planes - 1) * plane_pitch + (columns - 1) * pitch + column_bytes;
  }
};

/// Describes a copy between two views of the same shape, with as few planes and columns as possible: one column if
/// there are no gaps on either side.
[[nodiscard]] BlockCopy block_copy(const DataView& from, const DataView& to);

/// Moves a part of a copy between memories that this process can access: the bytes with the numbers [begin, end).
void move_bytes(const BlockCopy& copy, std::size_t begin, std::size_t end);

}  // namespace troupe::platform
