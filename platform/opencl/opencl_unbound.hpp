/// Where drivers' threads may run.
#pragma once

#include <optional>

#include "platform/machine/binding.hpp"

namespace troupe::platform {

/// Drivers start threads, which may run where the thread that starts them may: not on one core, because a worker was
/// the first to ask. While what this returns lives, the calling thread may run where the process might before anybody
/// bound its threads. None where the system refuses: drivers have to do with the cores of this thread then.
[[nodiscard]] std::optional<BindingGuard> unbound_for_drivers();

}  // namespace troupe::platform
