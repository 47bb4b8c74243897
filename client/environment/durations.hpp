/// Times on the command line and in the environment.
#pragma once

#include <optional>
#include <string_view>

#include "troupe/units.hpp"

namespace troupe {

/// Parses "5s", "500ms", "2m", "0.5s": a decimal number and one of ms, s, m, h. Returns nothing if the text is
/// something else, not positive, or longer than a year.
[[nodiscard]] std::optional<Duration> parse_duration(std::string_view text);

}  // namespace troupe
