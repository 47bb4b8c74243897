/// What element types are called in messages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace troupe {

/// "double" for the types of C++ itself; of others, of which only the tag is known, "a type of 24 bytes".
[[nodiscard]] std::string type_name(std::uint64_t tag, std::size_t size);

/// "double, but is taken as float": of what is there, and of what was asked for.
[[nodiscard]] std::string two_types(std::uint64_t there, std::size_t there_size, const std::string& between,
                                    std::uint64_t asked, std::size_t asked_size);

}  // namespace troupe
