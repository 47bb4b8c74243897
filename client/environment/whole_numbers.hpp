/// Whole numbers as people write them: on the command line and in the environment.
#pragma once

#include <cstdint>
#include <string_view>

#include "proto/tokens.hpp"

namespace troupe {

/// Parses the whole text as a number that is not negative: digits, or a form such as 1e4 or 1.5e3 whose digits are few
/// enough for a double to hold it exactly.
[[nodiscard]] ParsedNumber<std::uint64_t> parse_whole(std::string_view text);

}  // namespace troupe
