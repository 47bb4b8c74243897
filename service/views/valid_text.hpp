/// Names that clients give, for formats that are UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace troupe::service {

/// The text with every byte that is not part of a UTF-8 character replaced by '?'.
[[nodiscard]] std::string valid_text(std::string_view text);

}  // namespace troupe::service
