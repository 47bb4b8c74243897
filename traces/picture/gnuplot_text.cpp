#include "traces/picture/gnuplot_text.hpp"

#include <algorithm>

#include "proto/utf8.hpp"

namespace troupe::traces {

std::string abbreviated(std::string_view text, std::size_t longest) {
  std::size_t characters = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!continues_character(text[i]) && ++characters > longest) return std::string(text.substr(0, i)) + "...";
  }
  return std::string(text);
}

std::string gnuplot_string(std::string_view text) {
  constexpr std::string_view kApostrophe = "\xe2\x80\x99";
  std::string result = "'";
  while (!text.empty()) {
    const auto length = character_length(text);
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
