/// Runtimes on the service of this node, in builds that have it.
#pragma once

#include <memory>

#include "client/connect_options.hpp"
#include "client/runtime.hpp"

namespace troupe::c {

/// `Runtime::connect`; in a build without the service it throws `no_implementation`.
[[nodiscard]] std::unique_ptr<Runtime> connect_to_service(const ConnectOptions& options);

}  // namespace troupe::c
