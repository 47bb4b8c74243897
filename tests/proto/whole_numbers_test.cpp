#include "proto/tokens.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>
#include <string>

namespace troupe {

BOOST_AUTO_TEST_SUITE(whole_numbers)

BOOST_AUTO_TEST_CASE(digits_and_exponents_are_understood) {
  const auto value = [](const char* text) {
    const auto number = parse_whole(text);
    BOOST_TEST((number.status == NumberStatus::ok), text);
    return number.value;
  };
  for (const char* hundred : {"100", "+100", "1e2", "1E2", "0100", "1.0e2", "100.0"})
    BOOST_TEST(value(hundred) == 100U, hundred);
  BOOST_TEST(value("1.5e3") == 1500U);
  BOOST_TEST(value("0") == 0U);
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  BOOST_TEST(value(std::to_string(kMost).c_str()) == kMost);
}

BOOST_AUTO_TEST_CASE(everything_else_is_refused) {
  for (const char* text : {"", "+", "-1", "-1e4", "+-1", "1e-4", "1.5", "0x10", "1 ", " 1", "1e4x", "ten", "e"})
    BOOST_TEST((parse_whole(text).status == NumberStatus::garbage), text);
  for (const char* text : {"18446744073709551616", "1e16", "1e400"})
    BOOST_TEST((parse_whole(text).status == NumberStatus::too_large), text);
  BOOST_TEST((parse_whole("infe").status != NumberStatus::ok));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
