/// The modes in which a task uses its data.
#pragma once

#include <cstdint>

namespace troupe {

/// The way in which a task uses one handle.
enum class AccessMode : std::uint8_t {
  /// The task reads the data; it may run together with other readers.
  read,
  /// The task overwrites everything; the old content is not needed.
  write,
  /// The task reads and modifies the data.
  read_write,
  /// The task reads and modifies the data. Successive tasks of this mode may run in any order, but never at the same
  /// time.
  commute,
  /// The task accumulates into a partial result of its worker; the partial results are combined before the next access
  /// in another mode.
  reduce,
};

[[nodiscard]] constexpr bool reads(AccessMode mode) { return mode != AccessMode::write; }
[[nodiscard]] constexpr bool writes(AccessMode mode) { return mode != AccessMode::read; }

[[nodiscard]] constexpr const char* to_string(AccessMode mode) {
  switch (mode) {
    case AccessMode::read: return "read";
    case AccessMode::write: return "write";
    case AccessMode::read_write: return "read_write";
    case AccessMode::commute: return "commute";
    case AccessMode::reduce: return "reduce";
  }
  return "unknown";
}

}  // namespace troupe
