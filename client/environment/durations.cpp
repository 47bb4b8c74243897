#include "client/environment/durations.hpp"

#include <array>
#include <utility>

#include "proto/tokens.hpp"

namespace troupe {

std::optional<Duration> parse_duration(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits{
      {{"ms", 1e-3}, {"s", 1.0}, {"m", 60.0}, {"h", 3600.0}}};
  constexpr double kLongest = 366 * 86400.0;
  const std::size_t unit_at = text.find_first_not_of("0123456789.");
  if (unit_at == std::string_view::npos || unit_at == 0) return std::nullopt;
  const ParsedNumber<double> number = parse_real(text.substr(0, unit_at));
  if (number.status != NumberStatus::ok) return std::nullopt;
  for (const auto& [name, in_seconds] : kUnits) {
    if (text.substr(unit_at) != name) continue;
    const double total = number.value * in_seconds;
    const auto ns = total <= kLongest ? Duration(static_cast<Duration::rep>(total * 1e9)) : Duration{};
    return ns > Duration{} ? std::optional(ns) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace troupe
