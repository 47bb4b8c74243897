/// The version of the protocol between clients and the service.
#pragma once

#include <cstdint>

namespace troupe::remote {

/// Every change that an older client or service would misunderstand raises this number. A service refuses clients of
/// another version.
inline constexpr std::uint32_t kProtocolVersion = 8;

}  // namespace troupe::remote
