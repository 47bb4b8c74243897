/// The place of a piece of data in host memory.
#pragma once

#include <cstddef>

#include "troupe/units.hpp"

namespace troupe::platform {

/// A block of `planes` planes of `columns` columns of `column_bytes` bytes each. Neighbouring columns begin `pitch`
/// bytes apart, and neighbouring planes `plane_pitch` bytes.
struct HostBlock {
  std::byte* address = nullptr;
  std::size_t column_bytes = 0;
  std::size_t columns = 1;
  std::size_t pitch = 0;
  std::size_t planes = 1;
  std::size_t plane_pitch = 0;

  [[nodiscard]] Bytes bytes() const { return {column_bytes * columns * planes}; }
  /// Returns true if the columns lie directly behind one another, without gaps.
  [[nodiscard]] bool in_one_run() const {
    return (columns <= 1 || pitch == column_bytes) && (planes <= 1 || plane_pitch == column_bytes * columns);
  }

  friend bool operator==(const HostBlock&, const HostBlock&) = default;
};

}  // namespace troupe::platform
