#include "client/environment/whole_numbers.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

namespace troupe {

ParsedNumber<std::uint64_t> parse_whole(std::string_view text) {
  ParsedNumber<std::uint64_t> number;
  // std::from_chars does not accept '+', and accepts no '-' for an unsigned number.
  if (text.starts_with('+')) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number.value);
  if (stopped == end && error == std::errc::result_out_of_range) {
    number.status = NumberStatus::too_large;
  } else if (stopped == end && error == std::errc()) {
    number.status = NumberStatus::ok;
  }
  if (number.status != NumberStatus::garbage || text.find_first_of("eE.") == std::string_view::npos) return number;
  const ParsedNumber<double> real = parse_real(text);
  if (real.status != NumberStatus::ok) return {0, real.status};
  if (real.value < 0 || real.value != std::floor(real.value)) return number;
  constexpr double kLargestExact = 9007199254740992;
  if (real.value > kLargestExact) return {0, NumberStatus::too_large};
  return {static_cast<std::uint64_t>(real.value), NumberStatus::ok};
}

}  // namespace troupe
