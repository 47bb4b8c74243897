/// Where drivers' threads may run.
#pragma once

#include <optional>

#include "platform/machine/binding.hpp"

namespace troupe::platform {

/// Drivers start threads, which may run where the thread that starts them may. While what is returned lives, the
/// calling thread may run where the process might before anybody bound its threads: so these are not on one core,
/// because a worker was the first to ask. Nothing where that is refused.
[[nodiscard]] std::optional<BindingGuard> unbind_for_drivers();

}  // namespace troupe::platform
