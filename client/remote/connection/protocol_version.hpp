/// The version of the protocol between clients and the service.
#pragma once

#include <cstdint>

namespace troupe::remote {

/// This number is raised by every change that an older client or service would misunderstand. A service refuses clients
/// of another version.
inline constexpr std::uint32_t kProtocolVersion = 7;

}  // namespace troupe::remote
