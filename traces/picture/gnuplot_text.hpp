/// Text that anybody may have written, for a picture that gnuplot draws.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::traces {

/// The first `longest` characters of `text` and "..." where there are more; bytes of UTF-8 stay together.
std::string abbreviated(std::string_view text, std::size_t longest);

/// `text` as a string of gnuplot: within single quotes, in which nothing is expanded. Control characters become spaces,
/// and bytes that are no UTF-8 become '?'. A single quote becomes an apostrophe (U+2019): gnuplot 5.4 wants it doubled,
/// but misreads that at the front of a string.
std::string gnuplot_string(std::string_view text);

}  // namespace troupe::traces
