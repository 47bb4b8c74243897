/// Lets threads that drivers start run on all cores.
#pragma once

#include <optional>

#include "platform/machine/binding.hpp"

namespace troupe::platform {

/// While the returned guard lives, the calling thread may run wherever the process could before its threads were bound.
/// Drivers start threads, which inherit this; without it they would all be on one core if a worker was the first to use
/// the driver. Returns nothing if the system refuses.
[[nodiscard]] std::optional<BindingGuard> unbind_for_drivers();

}  // namespace troupe::platform
