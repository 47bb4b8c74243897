/// The start of a program's runtime, with additions from environment variables.
#pragma once

#include <memory>

#include "client/backend.hpp"
#include "troupe/runtime_options.hpp"

namespace troupe::client {

/// Starts workers in this process with the program's options and the environment's additions (`with_environment`), and
/// arranges that the requested output is written when the runtime stops. Warnings go to
/// `ObservationOptions::on_warning`, or else to standard error, because the variables were set by the user, not by the
/// program. To ignore the environment, start an `EmbeddedBackend`. Fails as `EmbeddedBackend::start` does, and with
/// `invalid_argument` if a variable cannot be used.
Result<std::unique_ptr<Backend>> start_in_environment(const RuntimeOptions& options);

}  // namespace troupe::client
