/// Whose tasks get how much of the workers.
#pragma once

#include <cstdint>
#include <functional>

#include "proto/errors.hpp"
#include "service/configuration/configuration.hpp"

namespace troupe::service {

/// What `ServerOptions::weight` wants. Thread-safe; asks the system for a user's groups the first time that he comes.
/// Fails with `bad_input` where the system knows no such user or group.
[[nodiscard]] Result<std::function<double(std::uint32_t user)>> weights_of(const WeightConfiguration& configuration);

}  // namespace troupe::service
