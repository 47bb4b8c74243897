/// Names of the system's users and groups, for people.
#pragma once

#include <cstdint>
#include <string>

namespace troupe::platform {

/// Returns the user's name, or the number in digits if the system knows no name. The system may ask a directory over
/// the network, so do not call this where speed matters. May be called from any thread.
[[nodiscard]] std::string user_name(std::uint32_t user);
/// Returns the group's name, as `user_name` does.
[[nodiscard]] std::string group_name(std::uint32_t group);

}  // namespace troupe::platform
