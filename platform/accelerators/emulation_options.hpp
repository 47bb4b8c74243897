/// The properties of an emulated accelerator.
#pragma once

#include "platform/accelerators/fault_plan.hpp"
#include "proto/units.hpp"

namespace troupe::platform {

/// Its copies really happen and its kernels really run; only their least times are set.
struct EmulationOptions {
  Bytes memory{std::uint64_t{256} << 20};
  /// Bytes per second to the device and from it, each above zero; both directions at once.
  double to_device_bytes_per_s = 8e9;
  double to_host_bytes_per_s = 8e9;
  /// The time of each copy in addition to that of its bytes.
  Duration latency = std::chrono::microseconds(10);
  /// The rate of copies between two emulated accelerators that both have one: they go directly; 0: through host memory.
  double peer_bytes_per_s = 0;
  FaultOptions faults = {};
};

}  // namespace troupe::platform
