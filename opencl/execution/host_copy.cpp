#include "opencl/execution/host_copy.hpp"

#include <algorithm>
#include <cstring>

namespace troupe::opencl {

void copy_box(std::byte* to, const Box& to_box, const std::byte* from, const Box& from_box,
              const std::array<std::size_t, 3>& region) {
  for (std::size_t z = 0; z < region[2]; ++z) {
    for (std::size_t y = 0; y < region[1]; ++y) {
      std::memcpy(to + to_box.begin() + y * to_box.row_pitch + z * to_box.slice_pitch,
                  from + from_box.begin() + y * from_box.row_pitch + z * from_box.slice_pitch, region[0]);
    }
  }
}

void fill(std::byte* to, std::size_t size, const std::byte* pattern, std::size_t pattern_size) {
  if (size == 0) return;
  std::memcpy(to, pattern, pattern_size);
  // The part that is already filled serves as the pattern of the next copy.
  for (std::size_t filled = pattern_size; filled < size;) {
    const std::size_t next = std::min(filled, size - filled);
    std::memcpy(to + filled, to, next);
    filled += next;
  }
}

}  // namespace troupe::opencl
