/// Makes texts of other users' programs safe for terminals and logs.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::service {

/// Returns the number of bytes at `at` that a terminal must not get: the bytes of a control character, of a character
/// that reverses the direction of text (Unicode, UAX 9), or of a character that ends a line or a paragraph. Line feeds
/// are allowed. Returns 0 if there are no such bytes.
[[nodiscard]] std::size_t harm_at(std::string_view text, std::size_t at);

/// Returns the text with '?' in place of each character that `harm_at` finds.
[[nodiscard]] std::string harmless(std::string_view text);

/// Returns JSON text with an escape ("\u009b") in place of each character that `harm_at` finds inside quotes.
[[nodiscard]] std::string harmless_json(std::string_view text);

}  // namespace troupe::service
