/// Copies from host memory to host memory, also of rectangles.
#pragma once

#include <array>
#include <cstddef>

namespace troupe::opencl {

/// The position of a box of bytes: `origin` is x in bytes, y in rows, z in slices. The size of the box is given
/// separately.
struct Box {
  std::array<std::size_t, 3> origin{};
  /// The distance in bytes from row to row (`row_pitch`) and from slice to slice (`slice_pitch`).
  std::size_t row_pitch = 0;
  std::size_t slice_pitch = 0;

  [[nodiscard]] std::size_t begin() const { return origin[0] + origin[1] * row_pitch + origin[2] * slice_pitch; }
  /// Returns the offset behind the last byte of a box of size `region`.
  [[nodiscard]] std::size_t end(const std::array<std::size_t, 3>& region) const {
    return begin() + region[0] + (region[1] - 1) * row_pitch + (region[2] - 1) * slice_pitch;
  }
};

/// Copies a box of size `region`. `to` and `from` point to the beginning of the memory that contains the boxes. The two
/// boxes must not overlap.
void copy_box(std::byte* to, const Box& to_box, const std::byte* from, const Box& from_box,
              const std::array<std::size_t, 3>& region);

/// Fills memory with repetitions of the pattern; `size` is a multiple of the pattern's size.
void fill(std::byte* to, std::size_t size, const std::byte* pattern, std::size_t pattern_size);

}  // namespace troupe::opencl
