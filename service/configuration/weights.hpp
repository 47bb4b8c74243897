/// The weights of users, which decide their shares of the workers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "service/configuration/configuration.hpp"
#include "troupe/errors.hpp"

namespace troupe::service {

/// Returns the function for `ServerOptions::weight`. The function is thread-safe, and asks the system for a user's
/// groups at the first call for that user. Users and groups that the system does not know are ignored: `unknown` is
/// called with a message for each.
[[nodiscard]] std::function<double(std::uint32_t user)> weights_of(
    const WeightConfiguration& configuration, const std::function<void(const std::string&)>& unknown);

}  // namespace troupe::service
