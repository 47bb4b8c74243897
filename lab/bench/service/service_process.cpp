#include "lab/bench/service/service_process.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX
#include <sys/wait.h>
#include <time.h>  // NOLINT(modernize-deprecated-headers): clock_getcpuclockid is POSIX
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <thread>

#include "client/remote/connection/service_calls.hpp"

extern char** environ;

namespace troupe::bench {

namespace {

Duration time_of(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return std::chrono::seconds(time.tv_sec) + Duration(time.tv_nsec);
}

std::string temporary_folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "troupe-bench-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    throw Error(ErrorCode::io, "cannot make the folder '" + pattern + "': " + std::strerror(errno));
  }
  return pattern;
}

}  // namespace

std::string find_troupe() {
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  for (const char* place : {"../apps/troupe", "../../bin/troupe"}) {
    const std::string program = (folder / place).lexically_normal().string();
    if (std::filesystem::exists(program)) return program;
  }
  return {};
}

ServiceProcess::ServiceProcess(const std::string& program, const std::vector<std::string>& options)
    : folder_(temporary_folder()) {
  try {
    start(program, options);
  } catch (...) {
    stop();
    throw;
  }
}

void ServiceProcess::start(const std::string& program, const std::vector<std::string>& options) {
  std::vector<std::string> words{program, "serve", "--socket-folder", folder_, "--http.enabled", "false"};
  words.insert(words.end(), options.begin(), options.end());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, (folder_ + "/log").c_str(), O_WRONLY | O_CREAT, 0600);
  // The service has a session of its own, as systemd gives it.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  const int failed = ::posix_spawn(&process_, program.c_str(), &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    process_ = -1;
    throw Error(ErrorCode::io, "cannot start '" + program + "': " + std::strerror(failed));
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (true) {
    auto calls = remote::ServiceCalls::connect(folder_);
    if (calls && calls.value().ping()) return;
    if (std::chrono::steady_clock::now() > deadline) {
      throw Error(ErrorCode::io, "the service did not start: '" + program + " serve --socket-folder …' says why");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

void ServiceProcess::stop() noexcept {
  if (process_ > 0) {
    ::kill(process_, SIGTERM);
    ::waitpid(process_, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

ServiceProcess::~ServiceProcess() { stop(); }

Duration ServiceProcess::processor_time() const {
  clockid_t clock{};
  if (const int failed = ::clock_getcpuclockid(process_, &clock); failed != 0) {
    throw Error(ErrorCode::io, std::string("cannot read the service's processor time: ") + std::strerror(failed));
  }
  return time_of(clock);
}

Duration own_processor_time() { return time_of(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace troupe::bench
