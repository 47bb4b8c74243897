/// The place of a piece of data in host memory.
#pragma once

#include <cstddef>

#include "troupe/units.hpp"

namespace troupe::platform {

/// A block of `columns` runs of `column_bytes` each, whose begins are `pitch` bytes apart.
struct HostBlock {
  std::byte* address = nullptr;
  std::size_t column_bytes = 0;
  std::size_t columns = 1;
  std::size_t pitch = 0;

  [[nodiscard]] Bytes bytes() const { return {column_bytes * columns}; }
  /// Returns true if nothing lies between the block's columns.
  [[nodiscard]] bool in_one_run() const { return columns <= 1 || pitch == column_bytes; }

  friend bool operator==(const HostBlock&, const HostBlock&) = default;
};

}  // namespace troupe::platform
