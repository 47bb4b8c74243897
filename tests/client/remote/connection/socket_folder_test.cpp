#include "client/remote/connection/socket_folder.hpp"

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <optional>
#include <string>

namespace troupe::remote {

BOOST_AUTO_TEST_SUITE(socket_folder_of_the_service)

namespace {

/// Sets a variable of the environment, or removes it, until the test case ends.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    set(value);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }

 private:
  void set(const char* value) const {
    value == nullptr ? ::unsetenv(name_.c_str()) : ::setenv(name_.c_str(), value, 1);
  }

  std::string name_;
  std::optional<std::string> before_;
};

BOOST_AUTO_TEST_CASE(what_the_user_says_comes_first_then_the_environment) {
  const Variable variable("TROUPE_SOCKET_FOLDER", "/of/the/environment");
  const Variable runtime("XDG_RUNTIME_DIR", "/run/user/1");
  BOOST_TEST(socket_folder("/chosen").value_or_throw() == "/chosen");
  BOOST_TEST(socket_folder("/chosen//").value_or_throw() == "/chosen");
  BOOST_TEST(socket_folder().value_or_throw() == "/of/the/environment");
}

BOOST_AUTO_TEST_CASE(else_it_is_the_users_own_or_the_systems) {
  const Variable variable("TROUPE_SOCKET_FOLDER", nullptr);
  const Variable runtime("XDG_RUNTIME_DIR", "/run/user/1");
  BOOST_TEST(socket_folder().value_or_throw() == (::geteuid() == 0 ? "/run/troupe" : "/run/user/1/troupe"));
  const Variable none("XDG_RUNTIME_DIR", nullptr);
  if (::geteuid() != 0) BOOST_TEST(!socket_folder());
}

BOOST_AUTO_TEST_CASE(paths_that_no_socket_can_have_are_refused) {
  const auto relative = socket_folder("here/sockets");
  BOOST_REQUIRE(!relative);
  BOOST_TEST(relative.failure().message.find("'here/sockets'") != std::string::npos);
  BOOST_TEST(relative.failure().message.find("absolute") != std::string::npos);
  BOOST_TEST(!socket_folder("/" + std::string(120, 'x')));
  // The longest: the address has 108 bytes, with the null byte.
  const std::string longest = "/" + std::string(107 - 1 - std::string("/service.sock").size(), 'x');
  BOOST_TEST(socket_folder(longest).ok());
  BOOST_TEST(!socket_folder(longest + "x"));
}

BOOST_AUTO_TEST_CASE(the_two_sockets_lie_in_it) {
  BOOST_TEST(service_socket("/run/troupe") == "/run/troupe/service.sock");
  BOOST_TEST(memory_socket("/run/troupe") == "/run/troupe/memory.sock");
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::remote
