/// Runtimes on the service of this node, in builds that include the service.
#pragma once

#include <memory>

#include "troupe/runtime.hpp"

namespace troupe::c {

/// Calls `Runtime::connect`; throws `no_implementation` in a build without the service.
[[nodiscard]] std::unique_ptr<Runtime> connect_to_service(const ConnectOptions& options);

}  // namespace troupe::c
