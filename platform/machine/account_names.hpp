/// Names of the system's users and groups, for people.
#pragma once

#include <cstdint>
#include <string>

namespace troupe::platform {

/// Returns the user's name; the number in digits where the system knows no name. May ask a directory over the network:
/// not for a path that must be fast. Any thread.
[[nodiscard]] std::string user_name(std::uint32_t user);
/// Returns the group's name, as `user_name` does.
[[nodiscard]] std::string group_name(std::uint32_t group);

}  // namespace troupe::platform
