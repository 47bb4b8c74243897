#include "platform/files/cache_folder.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <optional>
#include <string>

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(cache_folder_of_the_user)

namespace {

/// Sets an environment variable, or unsets it, while it lives.
class Variable {
 public:
  Variable(const char* name, std::optional<std::string> value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~Variable() { set(before_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const std::optional<std::string>& value) {
    if (value) {
      ::setenv(name_, value->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  const char* name_;
  std::optional<std::string> before_;
};

std::string with(std::optional<std::string> cache, std::optional<std::string> home) {
  const Variable first("XDG_CACHE_HOME", std::move(cache));
  const Variable second("HOME", std::move(home));
  return cache_folder();
}

BOOST_AUTO_TEST_CASE(it_follows_the_specification) {
  BOOST_TEST(with("/c", "/h") == "/c/troupe");
  BOOST_TEST(with(std::nullopt, "/h") == "/h/.cache/troupe");
  BOOST_TEST(with("", "/h") == "/h/.cache/troupe");
  BOOST_TEST(with("relative/paths/do/not/count", "/h") == "/h/.cache/troupe");
  BOOST_TEST(with("/c", std::nullopt) == "/c/troupe");
}

BOOST_AUTO_TEST_CASE(without_a_home_there_is_none) {
  BOOST_TEST(with(std::nullopt, std::nullopt) == "");
  BOOST_TEST(with("", "") == "");
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
