/// What the program's user says in the environment.
#pragma once

#include <optional>
#include <span>

#include "opencl/objects/device.hpp"
#include "proto/units.hpp"

namespace troupe::opencl {

/// What the environment variable TROUPE_OPENCL_MEMORY gives data on each of the devices; nothing if it is not set,
/// which leaves it to the device. Nothing, and one line on standard error the first time, where it is no amount, or
/// more than one of them has.
[[nodiscard]] std::optional<Bytes> memory_limit(std::span<const RealDevice* const> devices);

/// The environment variable TROUPE_OPENCL_COPIES is on (`parse_switch`): devices that share the host's memory work on
/// copies.
[[nodiscard]] bool wants_copies();

/// SOCL_FORCE_DYNAMIC is on: all queues are context queues, whatever devices a program names for them.
[[nodiscard]] bool wants_context_queues();

}  // namespace troupe::opencl
