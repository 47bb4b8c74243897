#include "client/remote/connection/wire_text.hpp"

#include <algorithm>

namespace troupe::remote {

namespace {

/// Bytes of the character that begins at `at`, or 0 where none does.
std::size_t character_at(const std::string& text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t size = first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (size == 0 || first >= 0xf5 || size > text.size() - at) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(at + i) & 0xc0U) != 0x80) return 0;
  }
  const unsigned char second = byte(at + 1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool outside = (first == 0xed && second >= 0xa0) || (first == 0xf4 && second >= 0x90);
  return overlong || outside ? 0 : size;
}

}  // namespace

std::string wire_text(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = character_at(text, at);
    if (result.size() + std::max<std::size_t>(size, 1) > kLongestName) break;
    result += size == 0 ? "?" : text.substr(at, size);
    at += std::max<std::size_t>(size, 1);
  }
  return result;
}

}  // namespace troupe::remote
