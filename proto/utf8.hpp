/// Characters of UTF-8 (RFC 3629).
#pragma once

#include <cstddef>
#include <string_view>

namespace troupe {

/// Returns true if the byte is the second or a later one of a character.
[[nodiscard]] inline bool continues_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }

/// Returns the number of bytes of the character that `text`, which is not empty, begins with; 0 if it begins with none.
[[nodiscard]] std::size_t character_length(std::string_view text);

}  // namespace troupe
