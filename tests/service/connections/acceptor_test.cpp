#include "service/connections/acceptor.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/resource_limit.hpp"
#include "tests/support/running_service.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::service {

BOOST_AUTO_TEST_SUITE(acceptor)

namespace {

using platform::FileDescriptor;

FileDescriptor make_socket() { return FileDescriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)); }

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  BOOST_REQUIRE(path.size() < sizeof address.sun_path);
  std::memcpy(address.sun_path, path.c_str(), path.size());
  return address;
}

BOOST_AUTO_TEST_CASE(connections_are_taken_though_they_cannot_be_waited_for) {
  const tests::TemporaryFolder folder;
  const sockaddr_un address = address_of(folder.path("socket"));
  const FileDescriptor listening = make_socket();
  BOOST_REQUIRE(::bind(listening.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  BOOST_REQUIRE(::listen(listening.get(), 4) == 0);
  const auto connect = [&] {
    FileDescriptor client = make_socket();
    BOOST_REQUIRE(::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    return client;
  };
  std::atomic<int> taken{0};
  std::atomic<bool> said{false};
  const auto log = [&](LogLevel, std::string_view event, LogFields) {
    if (event == "connections cannot be waited for") said = true;
  };
  // There are many sockets, whose descriptors are above 512, so the lowest numbers stay free.
  constexpr int kPlaces = 128;
  constexpr int kAbove = 512;
  std::vector<Acceptor::Place> places;
  for (int i = 0; i < kPlaces; ++i) {
    FileDescriptor place(::fcntl(listening.get(), F_DUPFD_CLOEXEC, kAbove));
    BOOST_REQUIRE(place.valid());
    const auto take = [&](const FileDescriptor&, const Peer&) -> std::optional<std::string> {
      ++taken;
      return std::nullopt;
    };
    places.push_back({std::move(place), take, [](std::string_view reason) { return std::string(reason); }});
  }
  BOOST_REQUIRE(::fcntl(listening.get(), F_SETFL, O_NONBLOCK) == 0);
  const auto acceptor = Acceptor::start(std::move(places), {.owner = ::geteuid()}, {}, log).value_or_throw();
  // From the next call on, `poll` refuses more sockets than this limit.
  const tests::ResourceLimit limit(RLIMIT_NOFILE, kPlaces);
  const FileDescriptor first = connect();
  BOOST_TEST(tests::eventually([&] { return taken == 1 && said; }));
  const FileDescriptor second = connect();
  BOOST_TEST(tests::eventually([&] { return taken == 2; }));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::service
