/// A machine of equal cores and equal GPUs, for users who have no file that describes one.
#pragma once

#include <chrono>
#include <cstdint>

#include "platform/described/machine_description.hpp"
#include "proto/units.hpp"

namespace troupe::platform {

struct PlainMachine {
  /// The number of cores; each GPU that is used takes one of them.
  int cores = 1;
  int gpus = 0;
  /// The memory of each GPU.
  Bytes gpu_memory{std::uint64_t{16} << 30U};
  /// The bandwidth between each GPU and the host, in each direction; GPUs copy from one another over both links.
  double bandwidth_mb_per_s = 12000;
  Duration latency = std::chrono::microseconds(10);
};

/// Makes a description without kernel times. Throws `Error` (`invalid_argument`) where a number is out of range.
[[nodiscard]] MachineDescription plain_machine(const PlainMachine& machine);

}  // namespace troupe::platform
