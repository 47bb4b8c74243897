#include "service/views/harmless_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace troupe::service {
namespace {

/// Returns the code point of a character that `harm_at` found; such characters have at most three bytes.
unsigned code_point_of(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(bytes[i])); };
  if (bytes.size() == 1) return byte(0);
  if (bytes.size() == 2) return (byte(0) & 0x1FU) << 6U | (byte(1) & 0x3FU);
  return (byte(0) & 0xFU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
}

}  // namespace

std::size_t harm_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(at + i < text.size() ? text[at + i] : 0); };
  if ((byte(0) < ' ' && byte(0) != '\n') || byte(0) == 0x7F) return 1;
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) < 0xA0) return 2;  // C1 control characters.
  if (byte(0) == 0xD8 && byte(1) == 0x9C) return 2;                    // U+061C (a mark of direction).
  if (byte(0) != 0xE2) return 0;
  const bool separates = byte(1) == 0x80 && byte(2) >= 0xA8 && byte(2) <= 0xAE;  // U+2028 to U+202E.
  const bool marks = byte(1) == 0x80 && (byte(2) == 0x8E || byte(2) == 0x8F);    // U+200E, U+200F.
  const bool isolates = byte(1) == 0x81 && byte(2) >= 0xA6 && byte(2) <= 0xA9;   // U+2066 to U+2069.
  return separates || marks || isolates ? 3 : 0;
}

std::string harmless(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t harm = harm_at(text, at);
    result += harm > 0 ? '?' : text[at];
    at += std::max<std::size_t>(harm, 1);
  }
  return result;
}

std::string harmless_json(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t harm = harm_at(text, at);
    if (harm == 0) {
      result += text[at++];
      continue;
    }
    std::array<char, 8> escape{};
    std::snprintf(escape.data(), escape.size(), "\\u%04x", code_point_of(text.substr(at, harm)) & 0xFFFFU);
    result += escape.data();
    at += harm;
  }
  return result;
}

}  // namespace troupe::service
