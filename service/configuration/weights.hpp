/// The weights of users: their shares of the workers.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "service/configuration/configuration.hpp"
#include "troupe/errors.hpp"

namespace troupe::service {

/// Returns the function for `ServerOptions::weight`. It is thread-safe, and asks the system for a user's groups the
/// first time that it is called for him. Users and groups that the system does not know are left out: `unknown` gets a
/// message for each.
[[nodiscard]] std::function<double(std::uint32_t user)> weights_of(
    const WeightConfiguration& configuration, const std::function<void(const std::string&)>& unknown);

}  // namespace troupe::service
