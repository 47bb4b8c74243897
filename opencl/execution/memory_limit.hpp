/// How much of a device's memory programs get, and whether it is one apart.
#pragma once

#include <optional>
#include <span>

#include "opencl/objects/device.hpp"
#include "proto/units.hpp"

namespace troupe::opencl {

/// What the environment variable TROUPE_OPENCL_MEMORY gives data on each of the devices; nothing if it is not set,
/// which leaves it to the device. One line on standard error, and nothing, where it is no amount, or more than one of
/// them has.
[[nodiscard]] std::optional<Bytes> memory_limit(std::span<RealDevice* const> devices);

/// The environment variable TROUPE_OPENCL_COPIES is on (`parse_switch`): devices that share the host's
/// memory work on copies.
[[nodiscard]] bool wants_copies();

}  // namespace troupe::opencl
