#include "service/connections/manager_notice.hpp"

#include <sys/socket.h>
#include <sys/un.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <cstddef>
#include <cstdlib>

#include "platform/files/file_descriptor.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::service {

BOOST_AUTO_TEST_SUITE(manager_notice)

namespace {

/// Returns the socket of a service manager, bound to `name`: a path, or '@' and an abstract name.
platform::FileDescriptor listen_at(const std::string& name) {
  platform::FileDescriptor socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path, name.size());
  if (name[0] == '@') address.sun_path[0] = '\0';
  const std::size_t length = offsetof(sockaddr_un, sun_path) + name.size() + (name[0] == '/' ? 1 : 0);
  BOOST_REQUIRE(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), static_cast<socklen_t>(length)) == 0);
  return socket;
}

std::string heard(const platform::FileDescriptor& socket) {
  std::array<char, 256> text{};
  const ssize_t got = ::recv(socket.get(), text.data(), text.size(), 0);
  return got < 0 ? "nothing" : std::string(text.data(), static_cast<std::size_t>(got));
}

BOOST_AUTO_TEST_CASE(notices_arrive_at_paths_and_abstract_names) {
  const tests::TemporaryFolder folder;
  for (const std::string& name : {folder.path("notify"), "@troupe-test" + folder.path()}) {
    const auto manager = listen_at(name);
    BOOST_TEST(notify_manager(name, "READY=1\nSTATUS=Serving").ok());
    BOOST_TEST(heard(manager) == "READY=1\nSTATUS=Serving");
  }
}

BOOST_AUTO_TEST_CASE(without_a_manager_nothing_is_told) { BOOST_TEST(notify_manager("", "READY=1").ok()); }

BOOST_AUTO_TEST_CASE(a_manager_that_is_not_there_is_an_error) {
  BOOST_TEST(!notify_manager("/nowhere/at/all", "READY=1").ok());
  BOOST_TEST(!notify_manager("relative", "READY=1").ok());
  BOOST_TEST(!notify_manager("/" + std::string(200, 'x'), "READY=1").ok());
}

BOOST_AUTO_TEST_CASE(the_environment_is_read_once) {
  ::setenv("NOTIFY_SOCKET", "/some/where", 1);
  BOOST_TEST(take_notice_socket() == "/some/where");
  BOOST_TEST(take_notice_socket() == "");
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::service
