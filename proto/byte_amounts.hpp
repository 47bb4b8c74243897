/// Parses amounts of memory and rates, as they are written on the command line and in configurations.
#pragma once

#include <optional>
#include <string_view>

#include "troupe/units.hpp"

namespace troupe {

/// Parses texts such as "256MiB", "8GB", "1.5KiB" and "64B": a decimal number, then one of B, kB or KB, MB, GB, TB
/// (powers of 1000) or KiB, MiB, GiB, TiB (powers of 1024). Returns nothing for any other text, and for more than 2^60
/// bytes. Rounds to whole bytes.
[[nodiscard]] std::optional<Bytes> parse_bytes(std::string_view text);

/// Parses a text such as "8GB/s" as bytes per second. Returns nothing if the text is not an amount for `parse_bytes`,
/// followed by "/s".
[[nodiscard]] std::optional<double> parse_bytes_per_s(std::string_view text);

}  // namespace troupe
