/// Runs `troupe serve` in a process of its own.
#pragma once

#include <fcntl.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is POSIX
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/apps/troupe_program.hpp"

namespace troupe::tests {

/// A service process. Its sockets and its log are in its own folder. The destructor kills the process if it still runs.
class ServeProcess {
 public:
  /// Starts a service without waiting until clients can connect. `options` may name another log or other sockets. The
  /// entries "NAME=value" of `environment` are added to the environment of this process.
  explicit ServeProcess(const std::string& folder, Words options = {}, const Words& environment = {})
      : folder_(folder), log_(folder + "/log") {
    Words words{program_path(), "serve"};
    // The service accepts each of these keys only once.
    for (const auto& [name, value] : {std::pair("--socket.folder", sockets()), std::pair("--log.file", log_)}) {
      if (std::ranges::find(options, name) == options.end()) words.insert(words.end(), {name, value});
    }
    for (std::string& option : options) words.push_back(std::move(option));
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    Words variables = environment;
    for (char** one = environ; *one != nullptr; ++one) variables.emplace_back(*one);
    std::vector<char*> pointers;
    for (std::string& variable : variables) pointers.push_back(variable.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const std::string errors = folder_ + "/errors";
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    const int failed = ::posix_spawn(&process_, arguments[0], &actions, nullptr, arguments.data(), pointers.data());
    posix_spawn_file_actions_destroy(&actions);
    BOOST_REQUIRE(failed == 0);
  }
  ~ServeProcess() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    int status = 0;
    ::waitpid(process_, &status, 0);
  }
  ServeProcess(const ServeProcess&) = delete;
  ServeProcess& operator=(const ServeProcess&) = delete;

  [[nodiscard]] std::string sockets() const { return folder_ + "/sockets"; }
  [[nodiscard]] std::string log() const { return read(log_); }
  [[nodiscard]] std::string errors() const { return read(folder_ + "/errors"); }
  [[nodiscard]] pid_t process() const { return process_; }
  void signal(int number) const { ::kill(process_, number); }

  /// Waits until the service's log contains these words. Returns false if they do not appear.
  [[nodiscard]] bool says(const std::string& words) const {
    return within([&] { return contains(log(), words); });
  }
  /// Waits for the service's end. Returns the status in the form of `ChildOutput::exit_status`; -1 if the service does
  /// not end.
  int ended() {
    int status = 0;
    const bool ended = within([&] { return ::waitpid(process_, &status, WNOHANG) == process_; });
    if (!ended) return -1;
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  /// Returns the arguments of a command that connects to this service.
  [[nodiscard]] Words ask(Words words) const {
    words.insert(words.end(), {"--socket-folder", sockets()});
    return words;
  }

  /// Waits until the condition is true. Returns false after two minutes; a busy machine may need long.
  template <class Condition>
  static bool within(const Condition& condition) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(120);
    while (std::chrono::steady_clock::now() < deadline) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

 private:
  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string folder_;
  std::string log_;
  pid_t process_ = -1;
};

}  // namespace troupe::tests
