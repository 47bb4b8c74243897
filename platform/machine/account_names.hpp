/// Names of the system's users and groups, for people.
#pragma once

#include <cstdint>
#include <string>

namespace troupe::platform {

/// The user's name; its number in digits where the system knows none. May ask a directory over the network: not on a
/// path that must be fast. Any thread.
[[nodiscard]] std::string user_name(std::uint32_t user);
/// The same for a group.
[[nodiscard]] std::string group_name(std::uint32_t group);

}  // namespace troupe::platform
