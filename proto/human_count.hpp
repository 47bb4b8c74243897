/// Large numbers for people.
#pragma once

#include <cstdint>
#include <string>

namespace troupe {

/// "1,234,567".
[[nodiscard]] std::string human_count(std::uint64_t count);

}  // namespace troupe
