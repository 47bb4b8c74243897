/// The settings that the program's user makes in the environment.
#pragma once

#include <optional>
#include <span>

#include "opencl/objects/device.hpp"
#include "troupe/units.hpp"

namespace troupe::opencl {

/// Returns the amount of memory that the environment variable TROUPE_OPENCL_MEMORY allows for data on each device.
/// Returns nothing if it is not set, so that the device's own limit holds. Also returns nothing, with one line on
/// standard error the first time, if the value is no amount, or is more than one of the devices has.
[[nodiscard]] std::optional<Bytes> memory_limit(std::span<const RealDevice* const> devices);

/// Returns true if the environment variable TROUPE_OPENCL_COPIES is on (`parse_switch`): then devices that share the
/// host's memory work on copies.
[[nodiscard]] bool wants_copies();

/// Returns true if the environment variable SOCL_FORCE_DYNAMIC is on: then all queues are context queues, whatever
/// devices a program names for them.
[[nodiscard]] bool wants_context_queues();

}  // namespace troupe::opencl
