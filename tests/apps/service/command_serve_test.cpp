// Tests the service with the program itself, which starts the service, asks it, uses it and stops it.
#include <built_paths.hpp>  // written by the build

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>

#include "kernels/element_codelets.hpp"
#include "platform/files/file_descriptor.hpp"
#include "proto/json/json.hpp"
#include "tests/apps/output_schema.hpp"
#include "tests/apps/service/serve_process.hpp"
#include "tests/support/resource_limit.hpp"
#include "troupe/runtime.hpp"

#ifdef TROUPE_SYSTEMD_FOLDER  // The macro is only defined in builds with the service.

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(command_serve)

namespace {

using namespace tests;

const Words kSmall{"--cores", "2", "--runtime.oversubscribe", "true", "--runtime.bind", "false"};

Words with(Words more) {
  Words words = kSmall;
  for (std::string& word : more) words.push_back(std::move(word));
  return words;
}

/// Returns the complete reply to an HTTP GET request to "http://127.0.0.1:PORT/", including the headers.
std::string fetched(const std::string& address, const std::string& path) {
  const platform::FileDescriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
  BOOST_REQUIRE(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0);
  const std::string host = address.substr(7, address.find('/', 7) - 7);
  const std::string request = "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
  BOOST_REQUIRE(::send(socket.get(), request.data(), request.size(), 0) == static_cast<ssize_t>(request.size()));
  std::string answer;
  std::array<char, 4096> piece{};
  for (ssize_t got = 0; (got = ::recv(socket.get(), piece.data(), piece.size(), 0)) > 0;) {
    answer.append(piece.data(), static_cast<std::size_t>(got));
  }
  return answer;
}

BOOST_AUTO_TEST_CASE(a_service_starts_answers_and_stops_on_a_signal) {
  const TemporaryFolder folder;
  ServeProcess service(folder.path(), kSmall);
  BOOST_REQUIRE_MESSAGE(service.says("serving"), service.errors());
  const Json status = Json::parse(succeeds(service.ask({"status", "--json"})));
  BOOST_TEST(status.at("state") == "serving");
  BOOST_TEST(status.at("worker_count") == 2);
  BOOST_TEST(succeeds(service.ask({"jobs"})) == "no jobs\n");
  succeeds(service.ask({"why"}));
  conforms(Json::parse(succeeds(service.ask({"why", "--json"}))), "why");
  conforms(Json::parse(succeeds(service.ask({"top", "--json"}))), "top");
  fails(2, service.ask({"cancel", "4711"}), {"4711"});
  service.signal(SIGTERM);
  BOOST_TEST(service.ended() == 0);
  BOOST_TEST(contains(service.log(), "stopped"));
  fails(1, service.ask({"status"}), {"troupe serve"});
}

BOOST_AUTO_TEST_CASE(a_second_signal_cancels_what_has_not_begun) {
  const TemporaryFolder folder;
  ServeProcess service(folder.path(), kSmall);
  BOOST_REQUIRE_MESSAGE(service.says("serving"), service.errors());
  Runtime client = Runtime::connect({.folder = service.sockets()});
  const Codelet& sleep = kernels::trial_codelets().sleep;
  constexpr std::int64_t kTenth_ns = 100'000'000;
  const Future first = client.submit(sleep, {}, args(kTenth_ns));
  for (int i = 0; i < 2000; ++i) client.submit(sleep, {}, args(kTenth_ns));
  first.wait();
  service.signal(SIGTERM);
  BOOST_TEST(service.says("draining"));
  BOOST_TEST(Json::parse(succeeds(service.ask({"status", "--json"}))).at("state") == "draining");
  service.signal(SIGTERM);
  BOOST_TEST(service.says("cancelling"));
  BOOST_CHECK_THROW(client.wait(), Error);
  BOOST_TEST(service.ended() == 0);
}

BOOST_AUTO_TEST_CASE(a_second_signal_ends_it_though_kernels_run_and_clients_hear_why) {
  const TemporaryFolder folder;
  ServeProcess service(folder.path(), with({"--limits.kernel_s", "0"}));
  BOOST_REQUIRE_MESSAGE(service.says("serving"), service.errors());
  Runtime client = Runtime::connect({.folder = service.sockets()});
  constexpr std::int64_t kTenSeconds_ns = 10'000'000'000;
  client.submit(kernels::trial_codelets().sleep, {}, args(kTenSeconds_ns));
  const auto runs = [&] { return contains(succeeds(service.ask({"top", "--once"})), "sleep"); };
  BOOST_REQUIRE(ServeProcess::within(runs));
  service.signal(SIGTERM);
  BOOST_TEST(service.says("draining"));
  const auto told = std::chrono::steady_clock::now();
  service.signal(SIGTERM);
  BOOST_CHECK_EXCEPTION(client.wait(), Error,
                        [](const Error& error) { return contains(error.what(), "the service is stopping"); });
  BOOST_TEST(service.ended() == 1);
  BOOST_TEST((std::chrono::steady_clock::now() - told < std::chrono::seconds(5)));
  BOOST_TEST(contains(service.log(), "stopped while kernels ran"));
  BOOST_TEST(!std::filesystem::exists(service.sockets() + "/service.sock"));
}

BOOST_AUTO_TEST_CASE(a_hangup_opens_the_log_anew_and_the_service_goes_on) {
  const TemporaryFolder folder;
  ServeProcess service(folder.path(), kSmall);
  BOOST_REQUIRE_MESSAGE(service.says("serving"), service.errors());
  std::filesystem::rename(folder.path("log"), folder.path("log.1"));
  service.signal(SIGHUP);
  BOOST_TEST(service.says("log opened anew"));
  service.signal(SIGTERM);
  BOOST_TEST(service.ended() == 0);
  BOOST_TEST(contains(service.log(), "stopped"));
  BOOST_TEST(!contains(service.log(), "cancelling"));
}

BOOST_AUTO_TEST_CASE(a_hangup_of_the_terminal_stops_it_in_order) {
  const TemporaryFolder folder;
  ServeProcess service(folder.path(), with({"--log.file", ""}));
  BOOST_REQUIRE(ServeProcess::within([&] { return contains(service.errors(), "serving"); }));
  service.signal(SIGHUP);
  BOOST_TEST(service.ended() == 0);
  BOOST_TEST(contains(service.errors(), "stopped"));
}

BOOST_AUTO_TEST_CASE(it_takes_all_descriptors_that_it_may) {
  const TemporaryFolder folder;
  const ResourceLimit few(RLIMIT_NOFILE, 512);
  ServeProcess service(folder.path(), kSmall);
  BOOST_REQUIRE_MESSAGE(service.says("serving"), service.errors());
  rlimit raised{};
  BOOST_REQUIRE(::prlimit(service.process(), RLIMIT_NOFILE, nullptr, &raised) == 0);
  BOOST_TEST(raised.rlim_cur == raised.rlim_max);
}

BOOST_AUTO_TEST_CASE(jobs_run_on_the_service) {
  const TemporaryFolder folder;
  ServeProcess service(folder.path(), kSmall);
  BOOST_REQUIRE_MESSAGE(service.says("serving"), service.errors());
  for (const char* application : {"cholesky", "lu", "qr"}) {
    const Json ran =
        Json::parse(succeeds(service.ask({"submit", application, "--n", "200", "--tile", "64", "--check", "--json"})));
    conforms(ran, "run");
    BOOST_TEST(ran.at("n") == 200);
    BOOST_TEST(ran.at("app") == application);
  }
  const std::string matrix =
      folder.write("m.mtx",
                   "%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n1 1 4\n2 1 1\n2 2 5\n"
                   "3 2 1\n3 3 6\n");
  const std::string solution = folder.path("x.mtx");
  conforms(Json::parse(succeeds(service.ask(
               {"submit", "cholesky", "--matrix", matrix, "--output", solution, "--name", "small", "--json"}))),
           "solve");
  BOOST_TEST(contains(folder.read("x.mtx"), "3 1"));
  const Json solved = Json::parse(succeeds(service.ask({"submit", "solve", matrix, "--json"})));
  conforms(solved, "solve");
  BOOST_TEST(solved.at("method") == "cholesky");
  fails(2, service.ask({"submit", "solve"}), {"troupe submit solve MATRIX.mtx"});
  const Json all = Json::parse(succeeds(service.ask({"jobs", "--all", "--json"})));
  conforms(all, "jobs");
  const Json& jobs = all.at("jobs");
  BOOST_TEST(jobs.size() >= 4U);
  bool named = false;
  for (const Json& job : jobs) named = named || job.at("name") == "small";
  BOOST_TEST(named);
  fails(2, service.ask({"submit", "cholesky", "--matrix", folder.path("missing.mtx")}), {"missing.mtx"});
  fails(2, service.ask({"submit", "cholesky", "--seed", "-1"}), {"--seed", "'-1' is negative"});
}

BOOST_AUTO_TEST_CASE(kernels_that_would_run_too_long_are_refused_and_cancels_are_logged) {
  const TemporaryFolder folder;
  ServeProcess service(folder.path(), kSmall);
  BOOST_REQUIRE_MESSAGE(service.says("serving"), service.errors());
  Runtime client = Runtime::connect({.folder = service.sockets()});
  const Codelet& sleep = kernels::trial_codelets().sleep;
  constexpr std::int64_t kSecond_ns = 1'000'000'000;
  client.submit(sleep, {}, args(9 * kSecond_ns));
  BOOST_CHECK_EXCEPTION(client.wait(), Error,
                        [](const Error& error) { return contains(error.what(), "9.0 s or more"); });
  // While the kernel runs, `jobs` shows it. Cancelling the job does not stop the kernel.
  client.submit(sleep, {}, args(2 * kSecond_ns));
  bool still_runs = false;
  BOOST_TEST(ServeProcess::within([&] {
    const Json job = Json::parse(succeeds(service.ask({"jobs", "--json"}))).at("jobs").at(0);
    still_runs = job.at("ended") == 1;
    return !still_runs || job.at("worker_seconds") > 0.2;
  }));
  BOOST_TEST(still_runs);
  succeeds(service.ask({"cancel", "1"}));
  BOOST_TEST(service.says("session cancelled session=1"));
  client.wait();
}

/// Starts the program and returns its process id without waiting for its end. The program's error messages go into a
/// file.
pid_t start_program(Words words, const std::string& errors) {
  words.insert(words.begin(), program_path());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(), O_WRONLY | O_CREAT, 0600);
  pid_t process = -1;
  BOOST_REQUIRE(::posix_spawn(&process, arguments[0], &actions, nullptr, arguments.data(), environ) == 0);
  posix_spawn_file_actions_destroy(&actions);
  return process;
}

BOOST_AUTO_TEST_CASE(a_job_that_is_told_to_stop_ends_though_the_service_does_not_answer) {
  const TemporaryFolder folder;
  ServeProcess service(folder.path(), kSmall);
  BOOST_REQUIRE_MESSAGE(service.says("serving"), service.errors());
  const pid_t job = start_program(
      service.ask({"submit", "cholesky", "--n", "1000", "--tile", "100", "--repeat", "100000"}), folder.path("job"));
  const auto running = [&] { return Json::parse(succeeds(service.ask({"jobs", "--json"}))).at("jobs"); };
  BOOST_TEST(ServeProcess::within([&] { return running().size() == 1 && running().at(0).at("ended") > 0; }));
  // The stopped service reacts to nothing, as if a long kernel occupied every worker.
  service.signal(SIGSTOP);
  ::kill(job, SIGTERM);
  int status = -1;
  const auto told = std::chrono::steady_clock::now();
  const bool ended = ServeProcess::within([&] { return ::waitpid(job, &status, WNOHANG) == job; });
  service.signal(SIGCONT);
  BOOST_TEST_REQUIRE(ended);
  BOOST_TEST((std::chrono::steady_clock::now() - told < std::chrono::seconds(20)));
  BOOST_TEST(WIFEXITED(status));
  BOOST_TEST(WEXITSTATUS(status) == 1);
  BOOST_TEST(contains(folder.read("job"), "the job was cancelled by a signal"));
  // The service notices that the client has gone, and removes the client's job.
  BOOST_TEST(ServeProcess::within([&] { return running().empty(); }));
}

BOOST_AUTO_TEST_CASE(jobs_on_a_service_with_accelerators_compute_what_they_should) {
  const TemporaryFolder folder;
  ServeProcess service(folder.path(), {"--emulated-gpus", "1", "--cores", "1"});
  BOOST_REQUIRE_MESSAGE(service.says("serving"), service.errors());
  for (const char* application : {"cholesky", "lu", "qr"}) {
    succeeds(service.ask({"submit", application, "--n", "400", "--tile", "64", "--check"}));
  }
}

BOOST_AUTO_TEST_CASE(a_folder_has_one_service_at_a_time_and_what_a_killed_one_left_is_replaced) {
  const TemporaryFolder folder, second_folder;
  ServeProcess service(folder.path(), kSmall);
  BOOST_REQUIRE(service.says("serving"));
  Words again = with({});
  again.insert(again.begin(), {"serve", "--socket-folder", service.sockets()});
  fails(1, again, {"service"});
  service.signal(SIGKILL);
  BOOST_TEST(service.ended() == 128 + SIGKILL);
  ServeProcess next(second_folder.path(), with({"--socket.folder", service.sockets()}));
  BOOST_REQUIRE_MESSAGE(next.says("serving"), next.errors());
  succeeds(service.ask({"status"}));
}

BOOST_AUTO_TEST_CASE(whoever_started_it_is_told_when_it_is_ready_and_when_it_stops) {
  const TemporaryFolder folder;
  const platform::FileDescriptor manager(::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = folder.path("notify");
  path.copy(address.sun_path, path.size());
  BOOST_REQUIRE(::bind(manager.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0);
  ServeProcess service(folder.path(), kSmall, {"NOTIFY_SOCKET=" + path});
  const auto hears = [&](const std::string& words) {
    return ServeProcess::within([&] {
      std::array<char, 512> text{};
      const ssize_t got = ::recv(manager.get(), text.data(), text.size(), 0);
      return got > 0 && contains(std::string(text.data(), static_cast<std::size_t>(got)), words);
    });
  };
  BOOST_TEST(hears("READY=1"));
  service.signal(SIGINT);
  BOOST_TEST(hears("STOPPING=1"));
  BOOST_TEST(service.ended() == 0);
}

BOOST_AUTO_TEST_CASE(plugins_are_loaded_and_those_that_cannot_be_are_in_the_log) {
  const TemporaryFolder folder, plugins;
  std::filesystem::copy_file(std::string(TROUPE_PLUGIN_FOLDER) + "/plugin.so", plugins.path("plugin.so"));
  std::filesystem::copy_file(std::string(TROUPE_PLUGIN_FOLDER) + "/throwing.so", plugins.path("throwing.so"));
  for (const char* name : {"plugin.so", "throwing.so"}) {
    std::filesystem::permissions(plugins.path(name), std::filesystem::perms(0644));
  }
  ServeProcess service(folder.path(), with({"--plugins.folders", plugins.path(), "--log.format", "json"}));
  BOOST_REQUIRE_MESSAGE(service.says("\"event\":\"serving\""), service.errors());
  BOOST_TEST(contains(service.log(), "plug-in loaded"));
  BOOST_TEST(contains(service.log(), "no licence was found"));
  const TemporaryFolder other;
  fails(2,
        {"serve", "--socket-folder", other.path("sockets"), "--plugins.folders", plugins.path(), "--strict-plugins",
         "--log.file", other.path("log")},
        {"no licence was found"});
}

BOOST_AUTO_TEST_CASE(metrics_are_offered_over_http_where_asked_for) {
  const TemporaryFolder folder;
  ServeProcess service(folder.path(), with({"--http.enabled", "true", "--http.port", "0"}));
  BOOST_REQUIRE_MESSAGE(service.says("serving"), service.errors());
  const Json status = Json::parse(succeeds(service.ask({"status", "--json"})));
  const std::string address = status.at("http_address").get<std::string>();
  BOOST_REQUIRE(address.starts_with("http://127.0.0.1:"));
  BOOST_TEST(contains(fetched(address, "/metrics"), "\ntroupe_"));
  BOOST_TEST(contains(fetched(address, "/"), "<html"));
  BOOST_TEST(fetched(address, "/nothing").starts_with("HTTP/1.1 404"));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps

#endif
