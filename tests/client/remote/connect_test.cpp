// Tests of the beginning and the end of a program's session with a service.
#include <built_paths.hpp>  // written by the build

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

#include "client/remote/connection/socket_connection.hpp"
#include "tests/client/remote/places.hpp"
#include "tests/support/killed/service_process.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(connecting)

namespace {

BOOST_AUTO_TEST_CASE(without_a_service_the_error_says_how_to_start_one) {
  const TemporaryFolder folder;
  BOOST_CHECK_EXCEPTION((void)Runtime::connect({folder.path("sockets"), ""}), Error,
                        failure(ErrorCode::io, "no service", "troupe serve", folder.path("sockets")));
}

BOOST_AUTO_TEST_CASE(a_socket_that_another_user_has_put_there_is_not_trusted) {
  if (::geteuid() != 0) {
    BOOST_TEST_MESSAGE("skipped: only root can become another user");
    return;
  }
  const TemporaryFolder folder;
  ::chmod(folder.path().c_str(), 0777);
  const std::string path = folder.path("memory.sock");
  const pid_t child = ::fork();
  if (child == 0) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, path.size());
    const bool other = ::setuid(4'000'000'000U) == 0;
    const int socket = ::socket(AF_UNIX, SOCK_SEQPACKET, 0);
    if (!other || ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) ::_exit(1);
    if (::listen(socket, 8) != 0) ::_exit(1);
    ::pause();
  }
  BOOST_TEST(eventually([&] {
    return remote::connect_to(path, SOCK_SEQPACKET).ok() == false &&
           remote::connect_to(path, SOCK_SEQPACKET).failure().code == ErrorCode::platform;
  }));
  const auto refused = remote::connect_to(path, SOCK_SEQPACKET);
  BOOST_REQUIRE(!refused.ok());
  BOOST_TEST(contains(refused.failure().message, "belongs to user 4000000000"));
  // Now the other user also owns the folder. A user who names this folder trusts the folder's owner, so a connection is
  // allowed, but only if nobody else can write to the folder.
  BOOST_REQUIRE(::chown(folder.path().c_str(), 4'000'000'000U, 0) == 0);
  BOOST_TEST(!remote::connect_to(path, SOCK_SEQPACKET).ok());
  ::chmod(folder.path().c_str(), 0755);
  BOOST_TEST(remote::connect_to(path, SOCK_SEQPACKET).ok());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

BOOST_FIXTURE_TEST_CASE(the_service_knows_the_program_by_its_name_until_it_leaves, Places) {
  {
    Runtime runtime = Runtime::connect({folder(), "my program"});
    BOOST_TEST(runtime.workers() == 2U);
    BOOST_TEST(!runtime.policy().empty());
    const auto sessions = server().look().sessions;
    BOOST_REQUIRE(sessions.size() == 1U);
    BOOST_TEST(sessions[0].name == "my program");
    runtime.submit((*this)["empty"], {});
    runtime.wait();
    const RunReport report = runtime.report();
    BOOST_TEST(report.submitted == 1U);
    BOOST_TEST(report.ended == 1U);
  }
  BOOST_TEST(eventually([this] { return server().look().sessions.empty(); }));
}

BOOST_FIXTURE_TEST_CASE(a_codelet_that_only_the_program_has_is_refused_with_the_way_to_a_plug_in, Places) {
  Runtime runtime = connect();
  const Codelet own = Codelet("my own", {}).cpu([] {});
  BOOST_CHECK_EXCEPTION(runtime.submit(own, {}), Error,
                        failure(ErrorCode::no_implementation, "'my own'", "plug-in", "docs/plugins.md"));
  const Codelet other = Codelet("fill", {AccessMode::read}).cpu([](VectorView<const double>) {});
  const Data data = runtime.allocate_vector<double>(3);
  BOOST_CHECK_EXCEPTION(runtime.submit(other, {data}), Error, failure(ErrorCode::signature_mismatch, "fill"));
  runtime.submit((*this)["empty"], {});
  runtime.wait();
}

BOOST_FIXTURE_TEST_CASE(names_that_are_no_text_do_no_harm, Places) {
  Runtime runtime = Runtime::connect({folder(), std::string("bad \xff\xc0 name\n") + std::string(1000, 'x')});
  double x = 0;
  const Data data = runtime.scalar(x, "x \xf5\x80");
  runtime.submit((*this)["empty"], {}, {}, {.name = std::string("\x01 ") + std::string(10'000, 'y')});
  runtime.wait();
}

BOOST_FIXTURE_TEST_CASE(a_service_that_ends_tells_its_clients, Places) {
  Runtime runtime = connect();
  double x = 1;
  const Data data = runtime.scalar(x);
  end_service();
  BOOST_CHECK_EXCEPTION(while (true) runtime.wait(), Error, failure(ErrorCode::service_lost, "service"));
}

BOOST_FIXTURE_TEST_CASE(a_service_that_stops_tells_new_clients_so, Places) {
  Runtime runtime = connect();  // This client is still connected, so the service waits before it stops.
  server().drain();
  for (int i = 0; i < 100; ++i) {
    BOOST_CHECK_EXCEPTION((void)connect(), Error, failure(ErrorCode::stopped, "refuses this program", "is stopping"));
  }
}

BOOST_AUTO_TEST_CASE(a_service_that_is_killed_fails_what_waits_and_the_next_one_serves) {
  const TemporaryFolder folder;
  const std::string sockets = folder.path("sockets");
  const Codelet wait = Codelet("wait", {}), empty = Codelet("empty", {});
  {
    ServiceProcess process(sockets);
    Runtime runtime = Runtime::connect({sockets, "victim"});
    std::vector<double> x(10, 1.0);
    const Data data = runtime.vector(x);
    const Data own = runtime.allocate_vector<double>(1000);
    const Future future = runtime.submit(wait, {});
    std::thread killer([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      process.kill();
    });
    BOOST_CHECK_EXCEPTION(future.wait(), Error, failure(ErrorCode::service_lost, "service has gone"));
    killer.join();
    BOOST_CHECK_EXCEPTION(runtime.wait(), Error, failure(ErrorCode::service_lost));
    BOOST_CHECK_EXCEPTION(runtime.submit(empty, {}), Error, failure(ErrorCode::service_lost));
    BOOST_CHECK_THROW(std::ignore = runtime.allocate_vector<double>(100 << 20), Error);
  }
  const ServiceProcess next(sockets);
  Runtime runtime = Runtime::connect({sockets, "survivor"});
  runtime.submit(empty, {});
  runtime.wait();
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
