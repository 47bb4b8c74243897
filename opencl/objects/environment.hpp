/// The settings that the program's user makes with environment variables.
#pragma once

#include <optional>
#include <span>

#include "opencl/objects/device.hpp"
#include "troupe/units.hpp"

namespace troupe::opencl {

/// Returns the amount of memory that the environment variable TROUPE_OPENCL_MEMORY allows for data on each device.
/// Returns nothing if the variable is not set; then the device's own limit applies. Also returns nothing if the value
/// is not an amount, or is more than one of the devices has; the first time, a line on standard error says so.
[[nodiscard]] std::optional<Bytes> memory_limit(std::span<const RealDevice* const> devices);

/// Returns true if the environment variable TROUPE_OPENCL_COPIES is on (`parse_switch`): then devices that share the
/// host's memory work on copies of the data.
[[nodiscard]] bool wants_copies();

/// Returns true if the environment variable SOCL_FORCE_DYNAMIC is on. Then every queue uses all devices of its context
/// (a context queue), even if the program names a device for the queue.
[[nodiscard]] bool wants_context_queues();

}  // namespace troupe::opencl
