/// Lets drivers' threads run on all cores.
#pragma once

#include <optional>

#include "platform/machine/binding.hpp"

namespace troupe::platform {

/// Lets the calling thread run, while the returned guard lives, wherever the process could before its threads were
/// bound. Drivers start threads, which may run where the thread that starts them may; without this they would be on one
/// core because a worker was the first to ask. Returns nothing where the system refuses.
[[nodiscard]] std::optional<BindingGuard> unbind_for_drivers();

}  // namespace troupe::platform
