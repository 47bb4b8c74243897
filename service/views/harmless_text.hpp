/// Text of other users' programs, for terminals and logs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::service {

/// Bytes at `at` that a terminal must not see: of a control character, of one that turns the direction of the text
/// round (Unicode, UAX 9), or of one that ends a line or a paragraph. Line feeds may be seen. 0: there is none.
[[nodiscard]] std::size_t harm_at(std::string_view text, std::size_t at);

/// With '?' in place of each such character.
[[nodiscard]] std::string harmless(std::string_view text);

/// With a JSON escape ("\u009b") in place of each such character: of what is inside of quotes.
[[nodiscard]] std::string harmless_json(std::string_view text);

}  // namespace troupe::service
