/// Characters of UTF-8 (RFC 3629).
#pragma once

#include <cstddef>
#include <string_view>

namespace troupe {

/// Returns true if the byte is the second or a later byte of a character.
[[nodiscard]] inline bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// Returns the number of bytes of the first character of `text`; 0 if `text` does not begin with a valid character.
/// `text` must not be empty.
[[nodiscard]] std::size_t character_length(std::string_view text);

}  // namespace troupe
