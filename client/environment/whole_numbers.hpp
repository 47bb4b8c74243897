/// Whole numbers as people write them: on the command line and in the environment.
#pragma once

#include <cstdint>
#include <string_view>

#include "proto/tokens.hpp"

namespace troupe {

/// The whole text as a number that is not negative: digits, or what has so few of them that a double holds it exactly,
/// as 1e4 and 1.5e3.
[[nodiscard]] ParsedNumber<std::uint64_t> parse_whole(std::string_view text);

}  // namespace troupe
