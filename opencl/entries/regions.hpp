/// Checks of the regions that commands name, in buffers and in the program's memory.
#pragma once

#include <array>
#include <cstddef>

#include "opencl/execution/host_copy.hpp"
#include "opencl/objects/memory.hpp"

namespace troupe::opencl {

using Extent = std::array<std::size_t, 3>;

/// Returns the box of one row of `size` bytes. Refuses with CL_INVALID_VALUE if the row is empty or not within the
/// buffer.
[[nodiscard]] Box linear_box(const Memory& memory, std::size_t offset, std::size_t size);

/// Returns the box of a rectangle from the arguments of the standard's functions: pitches of 0 stand for rows and
/// slices without gaps. Refuses with CL_INVALID_VALUE if a pitch is too small or a size overflows.
[[nodiscard]] Box rectangle_box(const std::size_t* origin, const Extent& region, std::size_t row_pitch,
                                std::size_t slice_pitch);
/// Returns the same box as `rectangle_box`, but also refuses if the rectangle is not within the buffer.
[[nodiscard]] Box rectangle_box_in(const Memory& memory, const std::size_t* origin, const Extent& region,
                                   std::size_t row_pitch, std::size_t slice_pitch);
/// Returns the three sizes of a region. Refuses with CL_INVALID_VALUE if a size is 0.
[[nodiscard]] Extent extent_of(const std::size_t* region);

/// Returns true if two regions of the same memory share a byte. `a` and `b` have the same pitches.
[[nodiscard]] bool overlap(const Box& a, const Box& b, const Extent& region);
/// Returns true if regions of two parts of one buffer share a byte. The parts begin at `a_part` and `b_part`; the
/// pitches may differ. Takes time in proportion to the number of rows.
[[nodiscard]] bool overlap(const Box& a, std::size_t a_part, const Box& b, std::size_t b_part, const Extent& region);

}  // namespace troupe::opencl
