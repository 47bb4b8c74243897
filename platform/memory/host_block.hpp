/// The place of a piece of data in host memory.
#pragma once

#include <cstddef>

#include "troupe/units.hpp"

namespace troupe::platform {

/// A block of `columns` columns of `column_bytes` bytes each. Neighbouring columns begin `pitch` bytes apart.
struct HostBlock {
  std::byte* address = nullptr;
  std::size_t column_bytes = 0;
  std::size_t columns = 1;
  std::size_t pitch = 0;

  [[nodiscard]] Bytes bytes() const { return {column_bytes * columns}; }
  /// Returns true if the columns lie directly behind one another, without gaps.
  [[nodiscard]] bool in_one_run() const { return columns <= 1 || pitch == column_bytes; }

  friend bool operator==(const HostBlock&, const HostBlock&) = default;
};

}  // namespace troupe::platform
