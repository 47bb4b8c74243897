/// Element types and shapes of data in messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "troupe/layout.hpp"

namespace troupe {

/// Returns a name such as "double" for well-known types, and a text such as "a type of 24 bytes" for all others.
[[nodiscard]] std::string type_name(std::uint64_t tag, std::size_t size);

/// Returns a text such as "double, but is taken as float": the type of the data, then the text `between`, then the
/// requested type.
[[nodiscard]] std::string two_types(std::uint64_t there, std::size_t there_size, const std::string& between,
                                    std::uint64_t asked, std::size_t asked_size);

/// Returns a text such as "4 x 3", or "4 x 3 x 2" for data with several planes.
[[nodiscard]] std::string shape_text(const Layout& layout);

}  // namespace troupe
