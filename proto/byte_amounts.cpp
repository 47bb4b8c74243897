#include "proto/byte_amounts.hpp"

#include <array>
#include <cmath>
#include <utility>

#include "proto/tokens.hpp"

namespace troupe {

namespace {

constexpr std::array<std::pair<std::string_view, double>, 10> kUnits{{{"B", 1},
                                                                      {"kB", 1e3},
                                                                      {"KB", 1e3},
                                                                      {"MB", 1e6},
                                                                      {"GB", 1e9},
                                                                      {"TB", 1e12},
                                                                      {"KiB", 0x1p10},
                                                                      {"MiB", 0x1p20},
                                                                      {"GiB", 0x1p30},
                                                                      {"TiB", 0x1p40}}};
constexpr double kMost = 0x1p60;

std::optional<double> amount(std::string_view text) {
  const std::size_t unit_at = text.find_first_not_of("0123456789.");
  if (unit_at == std::string_view::npos || unit_at == 0) return std::nullopt;
  const ParsedNumber<double> number = parse_real(text.substr(0, unit_at));
  if (number.status != NumberStatus::ok) return std::nullopt;
  for (const auto& [name, bytes] : kUnits) {
    if (text.substr(unit_at) == name && number.value * bytes <= kMost) return number.value * bytes;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Bytes> parse_bytes(std::string_view text) {
  const std::optional<double> bytes = amount(text);
  if (!bytes) return std::nullopt;
  return Bytes{static_cast<std::uint64_t>(std::llround(*bytes))};
}

std::optional<double> parse_bytes_per_s(std::string_view text) {
  if (!text.ends_with("/s")) return std::nullopt;
  return amount(text.substr(0, text.size() - 2));
}

}  // namespace troupe
