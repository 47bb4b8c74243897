/// Runtimes of programs, which go by the environment.
#pragma once

#include <memory>

#include "actors/running/runtime_options.hpp"
#include "client/backend.hpp"

namespace troupe::client {

/// Starts workers in this process with what the program wants and the environment adds (`with_environment`), and sees
/// to what is written when they stop. Warnings go to `RuntimeOptions::on_warning`, or, as it is the user who set the
/// variables, to standard error. Whoever is not to be influenced starts an `EmbeddedBackend`. Fails as that, and with
/// `invalid_argument` where a variable cannot be used.
Result<std::unique_ptr<Backend>> start_in_environment(const RuntimeOptions& options);

}  // namespace troupe::client
