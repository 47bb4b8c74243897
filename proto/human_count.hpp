/// Large numbers for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

/// "1,234,567".
[[nodiscard]] std::string human_count(std::uint64_t count);
/// "1 task", "2,000 tasks": of a noun whose plural has an s behind it.
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace troupe
