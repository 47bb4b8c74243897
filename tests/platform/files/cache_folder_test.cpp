#include "platform/files/cache_folder.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <optional>
#include <string>

#include "tests/support/environment_variable.hpp"

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(cache_folder_of_the_user)

namespace {

std::string with(const std::optional<std::string>& cache, const std::optional<std::string>& home) {
  const tests::EnvironmentVariable first("XDG_CACHE_HOME", cache);
  const tests::EnvironmentVariable second("HOME", home);
  return cache_folder();
}

BOOST_AUTO_TEST_CASE(it_follows_the_specification) {
  BOOST_TEST(with("/c", "/h") == "/c/troupe");
  BOOST_TEST(with(std::nullopt, "/h") == "/h/.cache/troupe");
  BOOST_TEST(with("", "/h") == "/h/.cache/troupe");
  BOOST_TEST(with("relative/paths/do/not/count", "/h") == "/h/.cache/troupe");
  BOOST_TEST(with("/c", std::nullopt) == "/c/troupe");
}

BOOST_AUTO_TEST_CASE(tests_leave_that_of_the_user_alone) {
  BOOST_TEST(cache_folder().starts_with(std::filesystem::temp_directory_path().string()), cache_folder());
}

BOOST_AUTO_TEST_CASE(without_a_home_there_is_none) {
  BOOST_TEST(with(std::nullopt, std::nullopt) == "");
  BOOST_TEST(with("", "") == "");
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
