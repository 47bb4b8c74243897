/// Commands for gnuplot, and the safe quoting of texts from users.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::traces {

/// Returns `text` if it has at most `longest` characters; otherwise its first `longest` characters and "...". A UTF-8
/// character is never cut in two.
std::string abbreviated(std::string_view text, std::size_t longest);

/// Returns `text` as a string of gnuplot in single quotes, in which gnuplot expands nothing. Control characters become
/// spaces, and bytes that are not UTF-8 become '?'. A single quote becomes an apostrophe (U+2019). It is not doubled,
/// as gnuplot requires in strings, because gnuplot 5.4 misreads two quotes at the beginning of a string.
std::string gnuplot_string(std::string_view text);

/// A script of commands, one per line.
class GnuplotScript {
 public:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  /// Sets the style of charts: a pale grid and only two borders.
  void add_chart_style();

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace troupe::traces
