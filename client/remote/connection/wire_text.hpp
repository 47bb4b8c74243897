/// Names on their way to the service.
#pragma once

#include <cstddef>
#include <string>

namespace troupe::remote {

/// The service refuses longer names, in bytes.
inline constexpr std::size_t kLongestName = 256;

/// Text as messages may carry it: control characters and bytes that are no UTF-8 become '?', and what is too long is
/// cut.
[[nodiscard]] std::string wire_text(const std::string& text);

}  // namespace troupe::remote
