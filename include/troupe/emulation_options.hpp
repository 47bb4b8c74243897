/// The properties of emulated accelerators, and the faults of emulated and modelled accelerators.
#pragma once

#include <chrono>
#include <cstdint>

#include "troupe/units.hpp"

namespace troupe::platform {

/// The rates of faults of an emulated or modelled accelerator; there are no faults if all are zero.
struct FaultOptions {
  std::uint64_t seed = 1;
  /// The probabilities, from 0 to 1, that a copy to or from the device fails, that a kernel fails, and that the device
  /// has no memory for a task's data.
  double copy = 0;
  double kernel = 0;
  double allocation = 0;
  /// The number of kernels after which the device stops working; 0 if it never does.
  std::uint64_t lost_after = 0;

  [[nodiscard]] bool any() const { return copy > 0 || kernel > 0 || allocation > 0 || lost_after > 0; }
};

/// The properties of an emulated accelerator. Its copies are really made, and its kernels really run. The rates and the
/// latency only set how long a copy takes at least.
struct EmulationOptions {
  Bytes memory{std::uint64_t{256} << 20};
  /// The rates of copies to the device and from the device, each above zero. Copies in both directions run at the same
  /// time.
  double to_device_bytes_per_s = 8e9;
  double to_host_bytes_per_s = 8e9;
  /// The time of each copy in addition to the time for its bytes.
  Duration latency = std::chrono::microseconds(10);
  /// The rate of direct copies between two emulated accelerators, which both must have such a rate. If it is 0, copies
  /// go through host memory.
  double peer_bytes_per_s = 0;
  FaultOptions faults = {};
};

}  // namespace troupe::platform
