#include "proto/tokens.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

namespace troupe {
namespace {

constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/// Removes a '+' in front of a number, which std::from_chars does not accept.
std::string_view without_plus(std::string_view token) {
  const bool plus = token.size() > 1 && token[0] == '+' && token[1] != '-' && token[1] != '+';
  return plus ? token.substr(1) : token;
}

/// Returns true if the number is too small for a double, false if it is too large. It must be out of range.
bool underflows(std::string_view token) {
  const auto exponent = token.find_first_of("eE");
  if (exponent != std::string_view::npos) return token.substr(exponent + 1).starts_with('-');
  return token.starts_with("0.") || token.starts_with("-0.") || token.starts_with('.') || token.starts_with("-.");
}

ParsedNumber<double> parse_fortran(std::string_view token) {
  std::string copy(token);
  std::replace_if(
      copy.begin(), copy.end(), [](char c) { return c == 'd' || c == 'D'; }, 'e');
  if (copy == token) return {};
  return parse_real(copy);
}

}  // namespace

std::string_view next_token(std::string_view& rest) {
  const char* const end = rest.data() + rest.size();
  const char* first = rest.data();
  while (first != end && is_space(*first)) ++first;
  const char* last = first;
  while (last != end && !is_space(*last)) ++last;
  rest = {last, static_cast<std::size_t>(end - last)};
  return {first, static_cast<std::size_t>(last - first)};
}

ParsedNumber<std::int64_t> parse_integer(std::string_view token) {
  token = without_plus(token);
  ParsedNumber<std::int64_t> number;
  const char* const end = token.data() + token.size();
  const auto [stopped, error] = std::from_chars(token.data(), end, number.value);
  if (stopped != end || error == std::errc::invalid_argument) return {};
  number.status = error == std::errc() ? NumberStatus::ok : NumberStatus::too_large;
  return number;
}

ParsedNumber<double> parse_real(std::string_view token) {
  token = without_plus(token);
  ParsedNumber<double> number;
  const char* const end = token.data() + token.size();
  const auto [stopped, error] = std::from_chars(token.data(), end, number.value);
  if (error == std::errc::invalid_argument) return {};
  if (stopped != end) return *stopped == 'd' || *stopped == 'D' ? parse_fortran(token) : ParsedNumber<double>{};
  if (error == std::errc::result_out_of_range) {
    return {0.0, underflows(token) ? NumberStatus::ok : NumberStatus::too_large};
  }
  number.status = std::isfinite(number.value) ? NumberStatus::ok : NumberStatus::not_finite;
  return number;
}

ParsedNumber<std::uint64_t> parse_whole(std::string_view token) {
  ParsedNumber<std::uint64_t> number;
  // std::from_chars does not accept '+', and accepts no '-' for an unsigned number.
  if (token.starts_with('+')) token.remove_prefix(1);
  const char* const end = token.data() + token.size();
  const auto [stopped, error] = std::from_chars(token.data(), end, number.value);
  if (stopped == end && error == std::errc::result_out_of_range) {
    number.status = NumberStatus::too_large;
  } else if (stopped == end && error == std::errc()) {
    number.status = NumberStatus::ok;
  }
  if (number.status != NumberStatus::garbage || token.find_first_of("eE.") == std::string_view::npos) return number;
  const ParsedNumber<double> real = parse_real(token);
  if (real.status != NumberStatus::ok) return {0, real.status};
  if (real.value < 0 || real.value != std::floor(real.value)) return number;
  constexpr double kLargestExact = 9007199254740992;
  if (real.value > kLargestExact) return {0, NumberStatus::too_large};
  return {static_cast<std::uint64_t>(real.value), NumberStatus::ok};
}

std::optional<bool> parse_switch(std::string_view token) {
  using Words = std::array<std::string_view, 4>;
  constexpr Words kOn{"1", "yes", "on", "true"};
  constexpr Words kOff{"0", "no", "off", "false"};
  const std::string word = lower_case(token);
  if (std::ranges::find(kOn, word) != kOn.end()) return true;
  if (std::ranges::find(kOff, word) != kOff.end()) return false;
  return std::nullopt;
}

std::string quoted(std::string_view token) {
  constexpr std::size_t kLongest = 40;
  std::string text(token.substr(0, kLongest));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return "'" + text + (token.size() > kLongest ? "...'" : "'");
}

std::string lower_case(std::string_view token) {
  std::string text(token);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

}  // namespace troupe
