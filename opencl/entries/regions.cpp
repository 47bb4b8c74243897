#include "opencl/entries/regions.hpp"

#include <CL/cl.h>

#include <algorithm>
#include <cstdint>

namespace troupe::opencl {

namespace {

/// `checked_add` returns the sum, `checked_multiply` the product. Both refuse if the result does not fit into a
/// `size_t`.
std::size_t checked_add(std::size_t a, std::size_t b) {
  std::size_t sum = 0;
  require(!__builtin_add_overflow(a, b, &sum), CL_INVALID_VALUE);
  return sum;
}

std::size_t checked_multiply(std::size_t a, std::size_t b) {
  std::size_t product = 0;
  require(!__builtin_mul_overflow(a, b, &product), CL_INVALID_VALUE);
  return product;
}

}  // namespace

Box linear_box(const Memory& memory, std::size_t offset, std::size_t size) {
  require(size > 0 && offset <= memory.size() && size <= memory.size() - offset, CL_INVALID_VALUE);
  Box box;
  box.origin[0] = offset;
  box.row_pitch = box.slice_pitch = size;
  return box;
}

Extent extent_of(const std::size_t* region) {
  require(region != nullptr, CL_INVALID_VALUE);
  const Extent extent{region[0], region[1], region[2]};
  require(std::ranges::find(extent, std::size_t{0}) == extent.end(), CL_INVALID_VALUE);
  return extent;
}

Box rectangle_box(const std::size_t* origin, const Extent& region, std::size_t row_pitch, std::size_t slice_pitch) {
  require(origin != nullptr, CL_INVALID_VALUE);
  Box box;
  box.origin = {origin[0], origin[1], origin[2]};
  box.row_pitch = row_pitch == 0 ? region[0] : row_pitch;
  require(box.row_pitch >= region[0], CL_INVALID_VALUE);
  const std::size_t rows = checked_multiply(region[1], box.row_pitch);
  box.slice_pitch = slice_pitch == 0 ? rows : slice_pitch;
  require(box.slice_pitch >= rows && box.slice_pitch % box.row_pitch == 0, CL_INVALID_VALUE);
  // The end is computed step by step, so that no overflow is missed.
  std::size_t end = checked_multiply(checked_add(box.origin[2], region[2] - 1), box.slice_pitch);
  end = checked_add(end, checked_multiply(checked_add(box.origin[1], region[1] - 1), box.row_pitch));
  (void)checked_add(end, checked_add(box.origin[0], region[0]));
  return box;
}

Box rectangle_box_in(const Memory& memory, const std::size_t* origin, const Extent& region, std::size_t row_pitch,
                     std::size_t slice_pitch) {
  const Box box = rectangle_box(origin, region, row_pitch, slice_pitch);
  require(box.end(region) <= memory.size(), CL_INVALID_VALUE);
  return box;
}

bool overlap(const Box& a, const Box& b, const Extent& region) {
  // Row (y, z) of a and row (y', z') of b share a byte if their first bytes are less than the width of a row apart. So
  // the code below tests whether the absolute value of distance + (y' - y) row_pitch + (z' - z) slice_pitch is less
  // than that width.
  const auto width = static_cast<std::int64_t>(region[0]);
  const auto row = static_cast<std::int64_t>(a.row_pitch);
  const auto slice = static_cast<std::int64_t>(a.slice_pitch);
  const auto rows = static_cast<std::int64_t>(region[1]) - 1;
  const auto slices = static_cast<std::int64_t>(region[2]) - 1;
  const auto distance = static_cast<std::int64_t>(b.begin()) - static_cast<std::int64_t>(a.begin());
  for (std::int64_t z = -slices; z <= slices; ++z) {
    const std::int64_t left = distance + z * slice;
    // It is enough to try the differences y of row numbers that bring the distance nearest to zero.
    const std::int64_t near = std::clamp(-left / row, -rows, rows);
    for (const std::int64_t y : {near - 1, near, near + 1}) {
      if (y < -rows || y > rows) continue;
      if (std::abs(left + y * row) < width) return true;
    }
  }
  return false;
}

bool overlap(const Box& a, std::size_t a_part, const Box& b, std::size_t b_part, const Extent& region) {
  const std::size_t rows = region[1] * region[2];
  const auto begin_of_row = [&region](const Box& box, std::size_t part, std::size_t row) {
    return part + box.begin() + row % region[1] * box.row_pitch + row / region[1] * box.slice_pitch;
  };
  // The rows of a box are in ascending order, so the row that ends first overlaps no later row of the other box.
  std::size_t i = 0;
  std::size_t k = 0;
  while (i < rows && k < rows) {
    const std::size_t begin_a = begin_of_row(a, a_part, i);
    const std::size_t begin_b = begin_of_row(b, b_part, k);
    if (begin_a < begin_b + region[0] && begin_b < begin_a + region[0]) return true;
    ++(begin_a < begin_b ? i : k);
  }
  return false;
}

}  // namespace troupe::opencl
