#include "traces/picture/gnuplot_text.hpp"

#include <algorithm>

namespace troupe::traces {
namespace {

/// The bytes of the UTF-8 sequence at the front of `text`; zero where there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  std::size_t length = 0;
  if (byte(0) < 0x80U) return 1;
  if (byte(0) >= 0xC2U && byte(0) <= 0xDFU) length = 2;
  if (byte(0) >= 0xE0U && byte(0) <= 0xEFU) length = 3;
  if (byte(0) >= 0xF0U && byte(0) <= 0xF4U) length = 4;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  const bool overlong = (byte(0) == 0xE0U && byte(1) < 0xA0U) || (byte(0) == 0xF0U && byte(1) < 0x90U);
  const bool no_character = (byte(0) == 0xEDU && byte(1) > 0x9FU) || (byte(0) == 0xF4U && byte(1) > 0x8FU);
  return overlong || no_character ? 0 : length;
}

}  // namespace

std::string abbreviated(std::string_view text, std::size_t longest) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool starts = (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U;
    if (starts && ++characters > longest) return std::string(text.substr(0, i)) + "...";
  }
  return std::string(text);
}

std::string gnuplot_string(std::string_view text) {
  constexpr std::string_view kApostrophe = "\xe2\x80\x99";
  std::string result = "'";
  while (!text.empty()) {
    const auto length = utf8_length(text);
    const auto first = static_cast<unsigned char>(text[0]);
    if (length == 0) {
      result += '?';
    } else if (first < ' ' || first == 0x7F) {
      result += ' ';
    } else if (first == '\'') {
      result += kApostrophe;
    } else {
      result += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return result + "'";
}

void GnuplotScript::add_chart_style() {
  add("set grid back linecolor '#DDDDDD'");
  add("set border 3 linecolor '#666666'");
  add("set tics nomirror");
}

}  // namespace troupe::traces
