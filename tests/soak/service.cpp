/// Tests a service with many clients: 64 clients run small graphs, and other clients are killed at random moments.
#include <built_paths.hpp>  // written by the build

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>
#include <vector>

#include "proto/random.hpp"
#include "service/codelets/codelet_library.hpp"
#include "service/server.hpp"
#include "tests/soak/arguments.hpp"
#include "tests/support/temporary_folder.hpp"

extern char** environ;

namespace troupe {
namespace {

using std::chrono::steady_clock;

/// Starts clients, each in a process of its own. The destructor kills those that still run.
class Clients {
 public:
  explicit Clients(std::string folder) : folder_(std::move(folder)) {}
  ~Clients() {
    for (const pid_t one : running_) ::kill(one, SIGKILL);
    for (const pid_t one : running_) ::waitpid(one, nullptr, 0);
  }

  pid_t start(const std::string& what, std::uint64_t seed, double for_s) {
    std::vector<std::string> words{TROUPE_SOAK_CLIENT, folder_, what, std::to_string(seed), std::to_string(for_s)};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t process = -1;
    const int failed = ::posix_spawn(&process, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    BOOST_TEST_REQUIRE(failed == 0);
    running_.push_back(process);
    return process;
  }
  void kill(pid_t process) {
    ::kill(process, SIGKILL);
    (void)wait_for(process);
  }
  /// Waits until the process has ended. Returns its status; 0 means that it ended without an error.
  int wait_for(pid_t process) {
    int status = 0;
    ::waitpid(process, &status, 0);
    std::erase(running_, process);
    return status;
  }

 private:
  std::string folder_;
  std::vector<pid_t> running_;
};

std::size_t resident_kib() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0;
  std::size_t resident = 0;
  file >> all >> resident;
  return resident * 4;
}

std::size_t open_descriptors() {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator{}));
}

struct Fixture {
  Fixture() {
    service::ServerOptions options;
    options.folder = folder.path();
    options.runtime.threads.oversubscribe = true;
    server = service::Server::start(options, codelets).value_or_throw();
  }
  /// Waits until the service has no more clients. Returns false if there are still some after a minute.
  bool all_gone() {
    const auto deadline = steady_clock::now() + std::chrono::minutes(1);
    while (!server->look().sessions.empty()) {
      if (steady_clock::now() > deadline) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  }

  tests::TemporaryFolder folder;
  service::CodeletLibrary codelets;
  std::unique_ptr<service::Server> server;
};

BOOST_AUTO_TEST_SUITE(service_soak)

BOOST_AUTO_TEST_CASE(sixty_four_clients_get_equal_time_and_memory_does_not_grow) {
  const double for_s = std::min(600., 10 + static_cast<double>(tests::seeds(10'000)) / 10'000 * 590);
  const tests::Alarm alarm(std::chrono::seconds(static_cast<int>(for_s) + 300));
  Fixture f;
  Clients clients(f.folder.path());
  std::vector<pid_t> processes;
  for (std::uint64_t i = 0; i < 64; ++i) processes.push_back(clients.start("graphs", i + 1, for_s));
  std::this_thread::sleep_for(std::chrono::duration<double>(for_s / 4));
  const auto used = [&] {
    std::map<std::uint64_t, double> by_session;
    for (const service::SessionView& one : f.server->look().sessions) by_session[one.id] = seconds(one.worker_time);
    return by_session;
  };
  const auto before = used();
  const std::size_t memory_before = resident_kib();
  std::this_thread::sleep_for(std::chrono::duration<double>(for_s / 2));
  const auto after = used();
  const std::size_t memory_after = resident_kib();
  BOOST_TEST(before.size() == 64U);
  double total = 0;
  for (const auto& [session, time] : after) total += time - before.at(session);
  double least = total;
  double most = 0;
  for (const auto& [session, time] : after) {
    least = std::min(least, time - before.at(session));
    most = std::max(most, time - before.at(session));
  }
  BOOST_TEST_MESSAGE("worker time of a client against its share: " << least / total * 64 << " to "
                                                                   << most / total * 64);
  const double busy = total / (for_s / 2) / static_cast<double>(f.server->look().runtime.workers.size());
  std::printf(
      "worker time of a client against its share: %.3f to %.3f; workers busy %.2f; resident %zu KiB, then %zu KiB\n",
      least / total * 64, most / total * 64, busy, memory_before, memory_after);
  for (const pid_t one : processes) BOOST_TEST(clients.wait_for(one) == 0);
  BOOST_TEST(f.all_gone());
  BOOST_TEST(memory_after < memory_before + memory_before / 10 + 4096);
}

BOOST_AUTO_TEST_CASE(killed_clients_leave_nothing_behind_and_disturb_nobody) {
  const std::uint64_t kills = std::max<std::uint64_t>(50, tests::seeds(10'000) / 10);
  const tests::Alarm alarm(std::chrono::minutes(60));
  Fixture f;
  Clients clients(f.folder.path());
  Random random(kills);
  std::size_t descriptors = 0;
  std::size_t memory = 0;
  std::uint64_t killed = 0;
  while (killed < kills) {
    // While other clients are killed, two clients must run undisturbed.
    const pid_t steady = clients.start("graphs", killed + 1, 3);
    const pid_t other = clients.start("graphs", killed + 2, 3);
    std::vector<pid_t> victims;
    const auto end = steady_clock::now() + std::chrono::milliseconds(2500);
    while (steady_clock::now() < end && killed < kills) {
      while (victims.size() < 3) victims.push_back(clients.start("restless", random.next(), 0));
      std::this_thread::sleep_for(std::chrono::milliseconds(random.below(120)));
      const std::size_t which = random.below(3);
      clients.kill(victims[which]);
      victims.erase(victims.begin() + static_cast<std::ptrdiff_t>(which));
      ++killed;
    }
    for (const pid_t one : victims) clients.kill(one);
    BOOST_TEST(clients.wait_for(steady) == 0);
    BOOST_TEST(clients.wait_for(other) == 0);
    BOOST_TEST_REQUIRE(f.all_gone());
    if (descriptors == 0) {
      descriptors = open_descriptors();
      memory = resident_kib();
    }
    BOOST_TEST(open_descriptors() <= descriptors + 8);
  }
  std::printf("%lu clients killed; resident %zu KiB after the first, %zu KiB after all\n",
              static_cast<unsigned long>(killed), memory, resident_kib());
  // This limit is enough for the graph of one client, but not for the graphs of a thousand clients.
  BOOST_TEST(resident_kib() < memory + (std::size_t{100} << 10U));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe
