#include "traces/text/human.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace troupe::traces {
namespace {

/// Formats a `value` below 1000 with three digits.
std::string three_digits(double value) {
  if (value < 9.995) return fmt::format("{:.2f}", value);
  return fmt::format("{:.{}f}", value, value < 99.95 ? 1 : 0);
}

}  // namespace

std::string human_seconds(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  if (seconds < 0) return "-" + human_seconds(-seconds);
  if (seconds == 0) return "0 s";
  if (seconds < 999.5e-9) return three_digits(seconds * 1e9) + " ns";
  if (seconds < 999.5e-6) return three_digits(seconds * 1e6) + " us";
  if (seconds < 999.5e-3) return three_digits(seconds * 1e3) + " ms";
  if (seconds < 119.5) return three_digits(seconds) + " s";
  constexpr double kLongest = 1e15;
  const auto whole = static_cast<std::int64_t>(std::llround(std::fmin(seconds, kLongest)));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string human_bytes(Bytes bytes) {
  constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes.count < 1024) return fmt::format("{} B", bytes.count);
  double value = static_cast<double>(bytes.count) / 1024;
  std::size_t unit = 0;
  // From this value on, the text would be "1024.0" of this unit, so the next unit is used.
  constexpr double kNextUnit = 1023.95;
  for (; value >= kNextUnit && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string human_team_use(const TeamUse& use) {
  const bool unseen = use.unseen > Duration{};
  if (const auto used = use.used_fraction()) return fmt::format("{:.1f} %{}", 100 * *used, unseen ? " + unknown" : "");
  return unseen ? "unknown" : "-";
}

}  // namespace troupe::traces
