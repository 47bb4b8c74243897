/// Checks of the places in buffers and in the program's memory that commands name.
#pragma once

#include <array>
#include <cstddef>

#include "opencl/execution/host_copy.hpp"
#include "opencl/objects/memory.hpp"

namespace troupe::opencl {

using Extent = std::array<std::size_t, 3>;

/// One row of bytes. Refuses with CL_INVALID_VALUE where it is empty or not within the buffer.
[[nodiscard]] Box linear_box(const Memory& memory, std::size_t offset, std::size_t size);

/// A rectangle's place as entries name it: pitches of 0 stand for rows and slices without gaps. Refuses with
/// CL_INVALID_VALUE where a pitch is too small or a size overflows.
[[nodiscard]] Box rectangle_box(const std::size_t* origin, const Extent& region, std::size_t row_pitch,
                                std::size_t slice_pitch);
/// The same within a buffer.
[[nodiscard]] Box rectangle_box_in(const Memory& memory, const std::size_t* origin, const Extent& region,
                                   std::size_t row_pitch, std::size_t slice_pitch);
/// Three sizes, none of them 0. Refuses with CL_INVALID_VALUE.
[[nodiscard]] Extent extent_of(const std::size_t* region);

/// Whether two regions of one memory share a byte. The pitches of both are the same.
[[nodiscard]] bool overlap(const Box& a, const Box& b, const Extent& region);
/// The same for two parts of one buffer, which begin there; of any pitches. Takes as long as there are rows.
[[nodiscard]] bool overlap(const Box& a, std::size_t a_part, const Box& b, std::size_t b_part, const Extent& region);

}  // namespace troupe::opencl
