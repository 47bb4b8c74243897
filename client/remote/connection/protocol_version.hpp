/// The version of what clients and the service say to one another.
#pragma once

#include <cstdint>

namespace troupe::remote {

/// Raised by a change that an older side would misunderstand: a service refuses clients of another version.
inline constexpr std::uint32_t kProtocolVersion = 4;

}  // namespace troupe::remote
