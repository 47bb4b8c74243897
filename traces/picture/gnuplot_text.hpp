/// Commands for gnuplot, and text in them that anybody may have written.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::traces {

/// The first `longest` characters of `text` and "..." where there are more; bytes of UTF-8 stay together.
std::string abbreviated(std::string_view text, std::size_t longest);

/// `text` as a string of gnuplot: within single quotes, in which nothing is expanded. Control characters become spaces,
/// and bytes that are no UTF-8 become '?'. A single quote becomes an apostrophe (U+2019): gnuplot 5.4 wants it doubled,
/// but misreads that at the front of a string.
std::string gnuplot_string(std::string_view text);

/// Commands, one a line.
class GnuplotScript {
 public:
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  /// A pale grid and two borders only, as charts have them.
  void add_chart_style();

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace troupe::traces
