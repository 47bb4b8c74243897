/// The start of a program's runtime, which follows the environment.
#pragma once

#include <memory>

#include "client/backend.hpp"
#include "troupe/runtime_options.hpp"

namespace troupe::client {

/// Starts workers in this process with the program's options and the environment's additions (`with_environment`), and
/// arranges the output for when they stop. Warnings go to `ObservationOptions::on_warning`, or else to standard error,
/// because it is the user who set the variables. To ignore the environment, start an `EmbeddedBackend`. Fails as
/// `EmbeddedBackend::start` does, and with `invalid_argument` if a variable cannot be used.
Result<std::unique_ptr<Backend>> start_in_environment(const RuntimeOptions& options);

}  // namespace troupe::client
