#include "service/connections/socket_folder.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <optional>

#include "service/connections/inherited_sockets.hpp"
#include "service/connections/peer.hpp"
#include "tests/support/memory_client.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::tests {
namespace {

using service::AccessRule;
using service::inherited_sockets;
using service::InheritedVariables;
using service::Peer;
using service::SocketFolder;

unsigned mode_of(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 0777U : 0;
}

struct Folder {
  TemporaryFolder outer;
  std::string path = outer.path("sockets");

  std::string refusal() const {
    const auto folder = SocketFolder::open(path, std::nullopt);
    return folder ? "" : folder.failure().message;
  }
  std::string socket_refusal() const {
    auto folder = SocketFolder::open(path, std::nullopt);
    if (!folder) return "the folder itself";
    const auto socket = folder.value().listen("a.sock", SOCK_STREAM);
    return socket ? "" : socket.failure().message;
  }
};

BOOST_FIXTURE_TEST_SUITE(socket_folder, Folder)

BOOST_AUTO_TEST_CASE(it_is_made_for_its_owner_and_cleaned_up) {
  {
    auto folder = SocketFolder::open(path, std::nullopt).value_or_throw();
    const auto socket = folder.listen("a.sock", SOCK_STREAM).value_or_throw();
    BOOST_TEST(mode_of(path) == 0700U);
    BOOST_TEST(mode_of(path + "/a.sock") == 0600U);
    connect_to(path + "/a.sock", SOCK_STREAM);
  }
  BOOST_TEST(mode_of(path + "/a.sock") == 0U);
}

BOOST_AUTO_TEST_CASE(a_group_may_enter) {
  auto folder = SocketFolder::open(path, ::getegid()).value_or_throw();
  const auto socket = folder.listen("a.sock", SOCK_STREAM).value_or_throw();
  BOOST_TEST(mode_of(path) == 0750U);
  BOOST_TEST(mode_of(path + "/a.sock") == 0660U);
}

BOOST_AUTO_TEST_CASE(a_group_of_users_may_not_write_though_the_service_is_in_it) {
  ::mkdir(path.c_str(), 0700);
  ::chmod(path.c_str(), 0770);
  const auto opened = SocketFolder::open(path, ::getegid());
  BOOST_TEST_REQUIRE(!opened.ok());
  BOOST_TEST(contains(opened.failure().message, "others may write"));
  // No other user is in the group of the service.
  BOOST_TEST(SocketFolder::open(path, std::nullopt).ok());
}

BOOST_AUTO_TEST_CASE(one_service_at_a_time_has_it) {
  const auto folder = SocketFolder::open(path, std::nullopt).value_or_throw();
  BOOST_TEST(contains(refusal(), "process " + std::to_string(::getpid())));
}

BOOST_AUTO_TEST_CASE(a_socket_left_behind_is_replaced) {
  {
    auto folder = SocketFolder::open(path, std::nullopt).value_or_throw();
    const auto socket = folder.listen("a.sock", SOCK_STREAM).value_or_throw();
    // The socket file remains, as if the process had been killed.
    BOOST_REQUIRE(::rename((path + "/a.sock").c_str(), (path + "/kept").c_str()) == 0);
  }
  BOOST_REQUIRE(::rename((path + "/kept").c_str(), (path + "/a.sock").c_str()) == 0);
  BOOST_TEST(socket_refusal() == "");
}

BOOST_AUTO_TEST_CASE(a_socket_that_somebody_listens_at_is_not_touched) {
  auto folder = SocketFolder::open(path, std::nullopt).value_or_throw();
  const auto socket = folder.listen("a.sock", SOCK_STREAM).value_or_throw();
  // The lock file is gone, as if a user had removed it.
  BOOST_REQUIRE(::unlink((path + "/service.lock").c_str()) == 0);
  BOOST_TEST(contains(socket_refusal(), "process " + std::to_string(::getpid())));
  connect_to(path + "/a.sock", SOCK_STREAM);
}

BOOST_AUTO_TEST_CASE(what_is_no_socket_is_not_removed) {
  ::mkdir(path.c_str(), 0700);
  outer.write("sockets/a.sock", "mine");
  BOOST_TEST(contains(socket_refusal(), "is no socket"));
  BOOST_TEST(outer.read("sockets/a.sock") == "mine");
}

BOOST_AUTO_TEST_CASE(folders_that_others_could_change_are_refused) {
  ::mkdir(path.c_str(), 0700);
  ::chmod(path.c_str(), 0777);
  BOOST_TEST(contains(refusal(), "others may write"));
  ::chmod(path.c_str(), 0755);
  BOOST_TEST(refusal() == "");
  path = outer.write("file", "");
  BOOST_TEST(contains(refusal(), "is no folder"));
  path = outer.path("missing/sockets");
  BOOST_TEST(contains(refusal(), "missing/sockets"));
  path = outer.path(std::string(120, 'x'));
  BOOST_TEST(contains(socket_refusal(), "shorter"));
}

BOOST_AUTO_TEST_CASE(a_symbolic_link_is_refused) {
  std::filesystem::create_directory(outer.path("real"));
  std::filesystem::create_directory_symlink(outer.path("real"), path);
  BOOST_TEST(contains(refusal(), "is a symbolic link"));
}

BOOST_AUTO_TEST_CASE(a_folder_that_others_could_exchange_is_refused) {
  ::chmod(outer.path().c_str(), 0777);
  BOOST_TEST(contains(refusal(), "is no place for sockets"));
  BOOST_TEST(contains(refusal(), outer.path() + " can be written by others"));
  ::chmod(outer.path().c_str(), 01777);
  BOOST_TEST(refusal() == "");
  ::chmod(outer.path().c_str(), 0755);
  if (::geteuid() != 0) {
    BOOST_TEST_MESSAGE("skipped in part: only root can give a folder away");
    return;
  }
  BOOST_REQUIRE(::chown(outer.path().c_str(), 4'000'000'000U, 0) == 0);
  BOOST_TEST(contains(refusal(), "belongs to user 4000000000"));
  // A symbolic link of this user does not make the folder's owner trusted.
  const TemporaryFolder own;
  std::filesystem::create_directory_symlink(outer.path(), own.path("link"));
  path = own.path("link/sockets");
  BOOST_TEST(contains(refusal(), "belongs to user 4000000000"));
  BOOST_REQUIRE(::chown(outer.path().c_str(), 0, 0) == 0);
  BOOST_TEST(refusal() == "");
}

BOOST_AUTO_TEST_CASE(without_permission_it_says_so) {
  if (::geteuid() == 0) {
    tests::skip("root may do everything");
    BOOST_TEST(true);
    return;
  }
  ::chmod(outer.path().c_str(), 0500);
  BOOST_TEST(contains(refusal(), "Permission denied"));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(sockets_of_systemd)

/// Two listening sockets with consecutive descriptors, as a service manager passes them.
struct Passed {
  TemporaryFolder folder;
  SocketFolder sockets = SocketFolder::open(folder.path("sockets"), std::nullopt).value_or_throw();
  int first = 200;
  int made = 0;

  Passed() {
    put(first, SOCK_SEQPACKET);
    put(first + 1, SOCK_STREAM);
  }
  ~Passed() {
    for (int i = 0; i < 3; ++i) ::close(first + i);
  }
  void put(int where, int kind) {
    ::dup2(sockets.listen("s" + std::to_string(++made), kind).value_or_throw().get(), where);
  }
  static InheritedVariables variables(const std::string& count, const std::string& names) {
    return {std::to_string(::getpid()), count, names};
  }
};

BOOST_FIXTURE_TEST_CASE(are_taken_by_kind_whatever_their_order, Passed) {
  auto taken = inherited_sockets(variables("2", ""), first).value_or_throw();
  BOOST_REQUIRE(taken.has_value());
  BOOST_TEST(taken->memory.release() == first);
  BOOST_TEST(taken->service.release() == first + 1);
  BOOST_TEST((::fcntl(first, F_GETFD) & FD_CLOEXEC) != 0);
}

BOOST_FIXTURE_TEST_CASE(are_compared_with_their_names, Passed) {
  BOOST_TEST(!inherited_sockets(variables("2", "service:memory"), first).ok());
  put(first, SOCK_SEQPACKET);
  put(first + 1, SOCK_STREAM);
  auto taken = inherited_sockets(variables("2", "memory:service"), first).value_or_throw();
  BOOST_REQUIRE(taken.has_value());
  BOOST_TEST(taken->memory.release() == first);
  BOOST_TEST(taken->service.release() == first + 1);
}

BOOST_FIXTURE_TEST_CASE(are_refused_where_one_is_missing_or_twice_there, Passed) {
  const auto message = [&](const std::string& count) {
    const auto taken = inherited_sockets(variables(count, ""), first);
    return taken ? "" : taken.failure().message;
  };
  BOOST_TEST(contains(message("1"), "none for 'service'"));
  put(first, SOCK_STREAM);
  put(first + 1, SOCK_STREAM);
  BOOST_TEST(contains(message("2"), "two for 'service'"));
  BOOST_TEST(contains(message("-3"), "LISTEN_FDS is '-3'"));
  BOOST_TEST(contains(message("many"), "LISTEN_FDS is 'many'"));
}

BOOST_FIXTURE_TEST_CASE(of_another_process_or_none_are_left_alone, Passed) {
  InheritedVariables other = variables("2", "");
  other.process = std::to_string(::getpid() + 1);
  BOOST_TEST(!inherited_sockets(other, first).value_or_throw().has_value());
  BOOST_TEST(!inherited_sockets({}, first).value_or_throw().has_value());
  BOOST_TEST(!inherited_sockets(variables("0", ""), first).value_or_throw().has_value());
  BOOST_TEST(::fcntl(first, F_GETFD) >= 0);
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(who_may_connect)

BOOST_AUTO_TEST_CASE(the_owner_root_and_the_group) {
  const AccessRule own{1000, std::nullopt};
  BOOST_TEST(own.admits({.user = 1000}));
  BOOST_TEST(own.admits({.user = 0}));
  BOOST_TEST(!own.admits({.user = 1001, .group = 1000}));
  const AccessRule shared{1000, 50};
  BOOST_TEST(shared.admits({.user = 1001, .group = 50}));
  BOOST_TEST(shared.admits({.user = 1001, .group = 1, .groups = {2, 50}}));
  BOOST_TEST(!shared.admits({.user = 1001, .group = 51, .groups = {2}}));
  BOOST_TEST(!shared.administers(1001));
  BOOST_TEST(shared.administers(1000));
}

BOOST_AUTO_TEST_CASE(a_peer_is_who_the_kernel_says) {
  int pair[2];
  BOOST_REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
  const auto peer = service::peer_of(pair[0]).value_or_throw();
  BOOST_TEST(peer.user == ::geteuid());
  BOOST_TEST(peer.is_in(::getegid()));
  BOOST_TEST(peer.process == ::getpid());
  ::close(pair[0]);
  ::close(pair[1]);
  BOOST_TEST(!service::peer_of(-1).ok());
}

BOOST_AUTO_TEST_CASE(groups_have_names_and_numbers) {
  BOOST_TEST(service::find_group("root").value_or_throw() == 0U);
  BOOST_TEST(service::find_group("1234").value_or_throw() == 1234U);
  BOOST_TEST(!service::find_group("no such group").ok());
  BOOST_TEST(!service::find_group("").ok());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::tests
