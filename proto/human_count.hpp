/// Texts of large numbers for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

/// Returns a text such as "1,234,567".
[[nodiscard]] std::string human_count(std::uint64_t count);
/// Returns a text such as "1 task" or "2,000 tasks". `noun` must be a singular whose plural only adds an s.
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace troupe
