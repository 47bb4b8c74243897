/// The version of the protocol between clients and the service.
#pragma once

#include <cstdint>

namespace troupe::remote {

/// Raised by every change that an older side would misunderstand: a service refuses clients of another version.
inline constexpr std::uint32_t kProtocolVersion = 4;

}  // namespace troupe::remote
