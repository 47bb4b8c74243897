/// The words and numbers of one line of text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

enum class NumberStatus {
  ok,
  /// The text is not written as a number.
  garbage,
  /// The value is NaN or infinity.
  not_finite,
  /// The text is written as a number, but it is too large for the type.
  too_large,
};

template <class T>
struct ParsedNumber {
  T value{};
  NumberStatus status = NumberStatus::garbage;
};

/// Removes the next word, which ends at white space, from the front of `rest`, and returns it. Returns an empty word if
/// there is none.
std::string_view next_token(std::string_view& rest);

/// Parses the whole token as a decimal integer.
ParsedNumber<std::int64_t> parse_integer(std::string_view token);

/// Parses the whole token as a decimal number. Accepts a leading '+' and Fortran's exponents (`1.5D+03`). A number that
/// is too small for a double counts as zero.
ParsedNumber<double> parse_real(std::string_view token);

/// Parses the whole token as an integer that is not negative: digits, or a form such as 1e4 or 1.5e3 for values up to
/// 2^53.
ParsedNumber<std::uint64_t> parse_whole(std::string_view token);

/// Parses 1, yes, on or true as true, and 0, no, off or false as false, in capital or small letters. Returns nothing
/// for other words.
std::optional<bool> parse_switch(std::string_view token);

/// Returns `token` within quotes for a message: control characters and bytes outside ASCII become '?', and long tokens
/// are cut.
std::string quoted(std::string_view token);

/// Returns `token` with the letters A-Z replaced by a-z.
std::string lower_case(std::string_view token);

}  // namespace troupe
