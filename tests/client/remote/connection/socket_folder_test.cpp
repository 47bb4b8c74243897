#include "client/remote/connection/socket_folder.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <optional>
#include <string>

#include "platform/files/file_descriptor.hpp"
#include "platform/machine/account_names.hpp"
#include "tests/support/environment_variable.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::remote {

BOOST_AUTO_TEST_SUITE(socket_folder_of_the_service)

namespace {

BOOST_AUTO_TEST_CASE(what_the_user_says_comes_first_then_the_environment) {
  const tests::EnvironmentVariable variable("TROUPE_SOCKET_FOLDER", "/of/the/environment");
  const tests::EnvironmentVariable runtime("XDG_RUNTIME_DIR", "/run/user/1");
  BOOST_TEST(socket_folder("/chosen").value_or_throw() == "/chosen");
  BOOST_TEST(socket_folder("/chosen//").value_or_throw() == "/chosen");
  BOOST_TEST(socket_folder().value_or_throw() == "/of/the/environment");
}

BOOST_AUTO_TEST_CASE(else_it_is_the_users_own_or_the_systems) {
  const tests::EnvironmentVariable variable("TROUPE_SOCKET_FOLDER", std::nullopt);
  const tests::EnvironmentVariable runtime("XDG_RUNTIME_DIR", "/run/user/1");
  BOOST_TEST(socket_folder().value_or_throw() == (::geteuid() == 0 ? "/run/troupe" : "/run/user/1/troupe"));
  const tests::EnvironmentVariable none("XDG_RUNTIME_DIR", std::nullopt);
  if (::geteuid() != 0) BOOST_TEST(!socket_folder());
}

/// A folder with the socket of a service. If `listens` is false, the service's process has ended.
class Place {
 public:
  explicit Place(bool listens) : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = service_socket(folder_.path());
    BOOST_REQUIRE(path.size() < sizeof address.sun_path);
    std::copy(path.begin(), path.end(), address.sun_path);
    BOOST_REQUIRE(::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    if (listens) BOOST_REQUIRE(::listen(socket_.get(), 1) == 0);
  }

  [[nodiscard]] std::string path() const { return folder_.path(); }

 private:
  tests::TemporaryFolder folder_;
  platform::FileDescriptor socket_;
};

BOOST_AUTO_TEST_CASE(the_users_own_service_comes_before_the_nodes) {
  const Place own(true);
  const Place node(true);
  BOOST_TEST(find_service({own.path(), node.path()}).value_or_throw() == own.path());
  // A socket whose queue of connections is full still belongs to a running service.
  for (int i = 0; i < 4; ++i) BOOST_TEST(find_service({own.path(), node.path()}).value_or_throw() == own.path());
}

BOOST_AUTO_TEST_CASE(without_an_own_service_it_is_the_nodes) {
  const Place left_behind(false);
  const Place node(true);
  const tests::TemporaryFolder empty;
  BOOST_TEST(find_service({left_behind.path(), node.path()}).value_or_throw() == node.path());
  BOOST_TEST(find_service({empty.path(), node.path()}).value_or_throw() == node.path());
  BOOST_TEST(find_service({"", node.path()}).value_or_throw() == node.path());
}

BOOST_AUTO_TEST_CASE(where_none_listens_messages_name_the_users_own_folder) {
  const Place left_behind(false);
  const tests::TemporaryFolder empty;
  BOOST_TEST(find_service({empty.path(), left_behind.path()}).value_or_throw() == empty.path());
  BOOST_TEST(find_service({"", left_behind.path()}).value_or_throw() == "");
}

BOOST_AUTO_TEST_CASE(who_is_not_in_the_group_is_told_whom_to_ask) {
  if (::geteuid() == 0) return tests::skip("root may use every socket");
  const Place node(true);
  BOOST_REQUIRE(::chmod(service_socket(node.path()).c_str(), 0) == 0);
  const auto found = find_service({"", node.path()});
  BOOST_REQUIRE(!found);
  BOOST_TEST((found.failure().code == ErrorCode::service_lost));
  BOOST_TEST(found.failure().message.find(platform::group_name(::getegid())) != std::string::npos);
  BOOST_TEST(found.failure().message.find("troupe serve") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(clients_take_what_the_user_says_where_nothing_listens) {
  const tests::EnvironmentVariable variable("TROUPE_SOCKET_FOLDER", "/of/the/environment");
  BOOST_TEST(client_socket_folder("/chosen").value_or_throw() == "/chosen");
  BOOST_TEST(client_socket_folder().value_or_throw() == "/of/the/environment");
}

BOOST_AUTO_TEST_CASE(paths_that_no_socket_can_have_are_refused) {
  const auto relative = socket_folder("here/sockets");
  BOOST_REQUIRE(!relative);
  BOOST_TEST(relative.failure().message.find("'here/sockets'") != std::string::npos);
  BOOST_TEST(relative.failure().message.find("absolute") != std::string::npos);
  BOOST_TEST(!socket_folder("/" + std::string(120, 'x')));
  // The longest path that fits: the address has 108 bytes, including the final null byte.
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
