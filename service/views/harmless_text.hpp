/// Makes texts of other users' programs safe for terminals and logs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::service {

/// Returns the number of bytes at `at` that a terminal must not see: of a control character, of a character that
/// reverses the direction of text (Unicode, UAX 9), or of one that ends a line or a paragraph. Line feeds are allowed.
/// 0 means that there is none.
[[nodiscard]] std::size_t harm_at(std::string_view text, std::size_t at);

/// Returns the text with '?' in place of each such character.
[[nodiscard]] std::string harmless(std::string_view text);

/// Returns JSON text with an escape ("\u009b") in place of each such character inside of quotes.
[[nodiscard]] std::string harmless_json(std::string_view text);

}  // namespace troupe::service
