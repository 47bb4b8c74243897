/// A service in a process of its own, which tests can kill. Include `built_paths.hpp` before this header.
#pragma once

#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

extern char** environ;  // NOLINT: POSIX

namespace troupe::tests {

/// A service process. When the constructor returns, clients can connect. The destructor kills the process. `options`
/// are further arguments of the program tests/client/remote/service_process.cpp.
class ServiceProcess {
 public:
  explicit ServiceProcess(const std::string& folder, const std::vector<std::string>& options = {}) {
    int ends[2] = {-1, -1};
    BOOST_REQUIRE(::pipe(ends) == 0);
    posix_spawn_file_actions_t actions;
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    ::posix_spawn_file_actions_addclose(&actions, ends[0]);
    std::vector<std::string> words{TROUPE_SERVICE_PROCESS, folder};
    words.insert(words.end(), options.begin(), options.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    BOOST_REQUIRE(::posix_spawn(&process_, arguments[0], &actions, nullptr, arguments.data(), environ) == 0);
    ::posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    char ready[6] = {};
    const bool serves = ::read(ends[0], ready, 5) == 5;
    ::close(ends[0]);
    BOOST_REQUIRE(serves);
  }
  ~ServiceProcess() {
    kill();
    ::waitpid(process_, nullptr, 0);
  }
  ServiceProcess(const ServiceProcess&) = delete;
  ServiceProcess& operator=(const ServiceProcess&) = delete;

  /// Kills the process. May be called from any thread.
  void kill() {
    if (!killed_.exchange(true)) ::kill(process_, SIGKILL);
  }
  [[nodiscard]] bool killed() const { return killed_; }

 private:
  pid_t process_ = -1;
  std::atomic<bool> killed_{false};
};

}  // namespace troupe::tests
