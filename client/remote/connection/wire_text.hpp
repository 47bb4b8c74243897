/// Names as they are sent to the service.
#pragma once

#include <cstddef>
#include <string>

namespace troupe::remote {

/// The longest name, in bytes, that the service accepts.
inline constexpr std::size_t kLongestName = 256;

/// Makes text fit for messages: control characters and bytes that are not UTF-8 become '?', and text that is too long
/// is cut.
[[nodiscard]] std::string wire_text(const std::string& text);

}  // namespace troupe::remote
