#include "actors/options/option_values.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <limits>

#include "tests/support/environment_variable.hpp"

namespace troupe {

BOOST_AUTO_TEST_SUITE(option_values)

namespace {

using namespace std::chrono_literals;

template <class T>
std::string refusal(const Result<T>& read) {
  BOOST_REQUIRE(!read.ok());
  BOOST_TEST((read.failure().code == ErrorCode::invalid_argument));
  return read.failure().message;
}

BOOST_AUTO_TEST_CASE(numbers_out_of_range_are_quoted_with_what_is_wrong_and_the_range) {
  BOOST_TEST(read_whole("1e3", 0, 1024).value_or_throw() == 1000U);
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  BOOST_TEST(read_whole("18446744073709551615", 0, kMost).value_or_throw() == kMost);
  const auto wrong = [](const char* text) { return refusal(read_whole(text, 1, 1024)); };
  BOOST_TEST(wrong("1025") == "'1025' is too large: give a whole number from 1 to 1024");
  BOOST_TEST(wrong("1e400") == "'1e400' is too large: give a whole number from 1 to 1024");
  BOOST_TEST(wrong("0") == "'0' is too small: give a whole number from 1 to 1024");
  BOOST_TEST(wrong("-1") == "'-1' is negative: give a whole number from 1 to 1024");
  BOOST_TEST(wrong("many") == "'many' is no whole number: give a whole number from 1 to 1024");
  BOOST_TEST(wrong("") == "the value is empty: give a whole number from 1 to 1024");
  BOOST_TEST(read_real("-1.5", -2, 2).value_or_throw() == -1.5);
  BOOST_TEST(refusal(read_real("nan", 0, 1)) == "'nan' is no number: give a number from 0 to 1");
}

BOOST_AUTO_TEST_CASE(words_and_switches) {
  BOOST_TEST(read_switch("Yes").value_or_throw());
  BOOST_TEST(!read_switch("0").value_or_throw());
  BOOST_TEST(refusal(read_switch("maybe")) == "'maybe' is neither true nor false: give true or false (or 1 or 0)");
  const std::vector<std::string> words{"lru", "next-use"};
  BOOST_TEST(read_word("lru", words).value_or_throw() == "lru");
  BOOST_TEST(refusal(read_word("next-us", words)) == "'next-us' is none of lru, next-use; did you mean next-use?");
}

BOOST_AUTO_TEST_CASE(amounts_of_memory_read_back) {
  BOOST_TEST(refusal(read_bytes("8")) ==
             "'8' is no amount of memory: give a positive number and a unit, such as 512MiB or 8GiB");
  BOOST_TEST(refusal(read_bytes("0B")).starts_with("'0B' is no amount of memory"));
  for (const std::uint64_t count : {1ULL, 1000ULL, 1ULL << 20U, 3ULL << 40U}) {
    BOOST_TEST(read_bytes(text_of(Bytes{count})).value_or_throw().count == count);
  }
  BOOST_TEST(text_of(Bytes{std::uint64_t{64} << 30U}) == "64GiB");
}

BOOST_AUTO_TEST_CASE(times_have_a_unit_and_read_back) {
  BOOST_TEST((parse_duration("5s") == Duration(5s)));
  BOOST_TEST((parse_duration("500ms") == Duration(500ms)));
  BOOST_TEST((parse_duration("2m") == Duration(2min)));
  BOOST_TEST((parse_duration("1h") == Duration(1h)));
  BOOST_TEST((parse_duration("0.5s") == Duration(500ms)));
  BOOST_TEST((parse_duration("50us") == Duration(50us)));
  BOOST_TEST((parse_duration("1e-05s") == Duration(10us)));
  BOOST_TEST((parse_duration("0s") == Duration{}));
  for (const char* text :
       {"", "5", "s", "5x", "5 s", "-5s", "+5s", "5ss", "nans", "1..5s", "999999h", "999999999999999999999s"}) {
    BOOST_TEST(!parse_duration(text).has_value(), text);
  }
  for (const Duration time : {Duration{}, Duration(1ns), Duration(50us), Duration(250ms), Duration(90min)}) {
    BOOST_TEST((read_time(text_of(time)).value_or_throw() == time), text_of(time));
  }
  BOOST_TEST(text_of(Duration(250ms)) == "250ms");
  BOOST_TEST(text_of(Duration{}) == "0s");
  BOOST_TEST(refusal(read_time("-1s")).starts_with("'-1s' is negative: give a number and a unit"));
}

BOOST_AUTO_TEST_CASE(words_for_the_folder_of_kernel_times) {
  const tests::EnvironmentVariable cache("XDG_CACHE_HOME", "/somewhere");
  BOOST_TEST(model_folder_of("default") == "/somewhere/troupe");
  BOOST_TEST(model_folder_of("none") == "");
  BOOST_TEST(model_folder_of("") == "");
  BOOST_TEST(model_folder_of("./default") == "./default");
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
