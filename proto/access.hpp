/// How a task uses its data, and what kinds of device there are.
#pragma once

#include <cstddef>
#include <cstdint>

namespace troupe {

/// What a task does with one handle.
enum class AccessMode : std::uint8_t {
  /// Reads; may run together with other readers.
  read,
  /// Overwrites everything; what was there before is not needed.
  write,
  /// Reads and modifies.
  read_write,
  /// Reads and modifies, in any order with its neighbours of the same mode, but never at the same time.
  commute,
  /// Accumulates into a partial result of its worker; the partial results are combined before the next other access.
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

/// The kinds of device that a codelet can have an implementation for.
enum class DeviceKind : std::uint8_t {
  cpu_core,
  cuda,
  /// An accelerator whose memory is an arena of host memory and whose kernels run on a host core. It runs the
  /// implementation for cores of every codelet that has none of its own for it.
  emulated,
};
inline constexpr int kDeviceKinds = 3;

/// Whether such a device has a memory of its own, and is likely to be faster than a core.
[[nodiscard]] constexpr bool is_accelerator(DeviceKind kind) { return kind != DeviceKind::cpu_core; }

/// Kinds of device, a bit for each.
using KindSet = std::uint8_t;
[[nodiscard]] constexpr KindSet kind_set(DeviceKind kind) {
  return static_cast<KindSet>(1U << static_cast<unsigned>(kind));
}
inline constexpr std::size_t kKindSets = std::size_t{1} << kDeviceKinds;

[[nodiscard]] constexpr const char* to_string(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::cpu_core: return "cpu core";
    case DeviceKind::cuda: return "CUDA GPU";
    case DeviceKind::emulated: return "emulated GPU";
  }
  return "unknown";
}

}  // namespace troupe
