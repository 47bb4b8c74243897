/// Makes sure that the threads of drivers may run on all cores.
#pragma once

#include <optional>

#include "platform/machine/binding.hpp"

namespace troupe::platform {

/// While the returned guard lives, the calling thread may run on every processing unit that the process could use
/// before its threads were bound. A driver's threads inherit the binding of the calling thread. Without the guard they
/// would all run on one core if a bound worker were the first to use the driver. Returns nothing if the system refuses.
[[nodiscard]] std::optional<BindingGuard> unbind_for_drivers();

}  // namespace troupe::platform
