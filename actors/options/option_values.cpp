#include "actors/options/option_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "platform/files/cache_folder.hpp"
#include "proto/byte_amounts.hpp"
#include "proto/edit_distance.hpp"
#include "proto/tokens.hpp"

namespace troupe {

namespace {

constexpr double kLongest_s = 1e9;
constexpr std::array<std::pair<std::string_view, double>, 6> kTimeUnits{
    {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}}};

/// Returns the failure for a wrong text. `what` says what is wrong, and `remedy` describes the texts that are right.
Failure wrong(std::string_view text, const std::string& what, const std::string& remedy) {
  return {ErrorCode::invalid_argument, text.empty() ? "the value is empty: give " + remedy
                                                    : fmt::format("{} is {}: give {}", quoted(text), what, remedy)};
}

bool is_negative(std::string_view number) {
  return number.starts_with('-') && parse_real(number).status == NumberStatus::ok;
}

template <class T>
Result<T> within(std::string_view text, ParsedNumber<T> number, T least, T most, const std::string& what) {
  const std::string remedy = fmt::format("a {} from {} to {}", what, least, most);
  switch (number.status) {
    case NumberStatus::garbage:
    case NumberStatus::not_finite:
      return wrong(text, is_negative(text) && !(least < 0) ? "negative" : "no " + what, remedy);
    case NumberStatus::too_large: return wrong(text, "too large", remedy);
    case NumberStatus::ok: break;
  }
  if (number.value < least) return wrong(text, "too small", remedy);
  if (number.value > most) return wrong(text, "too large", remedy);
  return number.value;
}

/// Splits a text such as "1.5e3ms" into the number and the unit.
std::pair<std::string_view, std::string_view> split_unit(std::string_view text) {
  const std::size_t digit = text.find_last_of("0123456789.");
  const std::size_t unit = digit == std::string_view::npos ? 0 : digit + 1;
  return {text.substr(0, unit), text.substr(unit)};
}

/// Returns a time in nanoseconds, or nothing if the text is not a number with a unit.
std::optional<double> nanoseconds_of(std::string_view text) {
  const auto [number, unit] = split_unit(text);
  const ParsedNumber<double> parsed = parse_real(number);
  if (parsed.status != NumberStatus::ok || number.starts_with('+')) return std::nullopt;
  for (const auto& [name, in_ns] : kTimeUnits) {
    if (unit == name) return parsed.value * in_ns;
  }
  return std::nullopt;
}

}  // namespace

Result<std::uint64_t> read_whole(std::string_view text, std::uint64_t least, std::uint64_t most) {
  return within(text, parse_whole(text), least, most, "whole number");
}

Result<double> read_real(std::string_view text, double least, double most) {
  return within(text, parse_real(text), least, most, "number");
}

Result<bool> read_switch(std::string_view text) {
  const std::optional<bool> on = parse_switch(text);
  if (!on) return wrong(text, "neither true nor false", "true or false (or 1 or 0)");
  return *on;
}

Result<std::string> read_word(std::string_view text, std::span<const std::string> words) {
  if (std::ranges::find(words, text) != words.end()) return std::string(text);
  return Failure{ErrorCode::invalid_argument,
                 fmt::format("{} is none of {}{}", quoted(text), fmt::join(words, ", "), did_you_mean(text, words))};
}

Result<Bytes> read_bytes(std::string_view text) {
  const std::optional<Bytes> bytes = parse_bytes(text);
  if (!bytes || bytes->count == 0) {
    return wrong(text, "no amount of memory", "a positive number and a unit, such as 512MiB or 8GiB");
  }
  return *bytes;
}

Result<Duration> read_time(std::string_view text) {
  const std::string remedy = fmt::format(
      "a number and a unit (ns, us, ms, s, m or h), such as 500ms, 5s or 2m, from 0s to {:.0f}s", kLongest_s);
  const std::optional<double> ns = nanoseconds_of(text);
  if (!ns) return wrong(text, "no time", remedy);
  if (*ns < 0) return wrong(text, "negative", remedy);
  if (*ns > kLongest_s * 1e9) return wrong(text, "too large", remedy);
  return Duration(std::llround(*ns));
}

std::optional<Duration> parse_duration(std::string_view text) {
  const Result<Duration> time = read_time(text);
  return time ? std::optional(time.value()) : std::nullopt;
}

std::string text_of(bool on) { return on ? "true" : "false"; }

std::string text_of(double number) { return fmt::format("{}", number); }

std::string text_of(Bytes bytes) {
  constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes.count != 0 && bytes.count % 1024 == 0 && unit + 1 < std::size(kUnits); ++unit) bytes.count /= 1024;
  return fmt::format("{}{}", bytes.count, kUnits[unit]);
}

std::string text_of(Duration time) {
  auto count = time.count();
  std::size_t unit = 0;
  for (; unit < 3 && count % 1000 == 0; ++unit) count /= 1000;
  return fmt::format("{}{}", count, kTimeUnits[unit].first);
}

std::string model_folder_of(const std::string& word) {
  if (word == "default") return platform::cache_folder();
  return word == "none" ? std::string() : word;
}

}  // namespace troupe
