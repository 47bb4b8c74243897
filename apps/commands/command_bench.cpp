/// `troupe bench`: this runtime and its peers, side by side. The work is done by another program, `troupe-bench`, which
/// belongs to the benchmarks: this one only finds it.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/command_line.hpp"

namespace troupe::apps {

namespace {

namespace fs = std::filesystem;

/// Where it lies from this program's folder: as installed, and in the build tree.
constexpr std::array kPlaces{"../" TROUPE_LIBEXECDIR "/troupe/troupe-bench", "../bench/troupe-bench"};

std::string find_program() {
  const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
  for (const char* place : kPlaces) {
    const std::string program = (folder / place).lexically_normal().string();
    if (::access(program.c_str(), X_OK) == 0) return program;
  }
  throw Error(ErrorCode::platform, "the benchmarks were not built: configure with -DTROUPE_BUILD_BENCH=ON");
}

/// Becomes the other program, whose exit code is then the command's.
int bench(std::vector<std::string> arguments) {
  std::string program = find_program();
  std::vector<char*> pointers{program.data()};
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  ::execv(program.c_str(), pointers.data());
  throw Error(ErrorCode::platform, fmt::format("cannot start '{}': {}", program, std::strerror(errno)));
}

}  // namespace

void add_bench_command(CLI::App& application, Command& chosen) {
  CLI::App* command = application.add_subcommand("bench", "Measure this runtime beside its peers");
  // Everything that follows, --help too, is for the other program.
  command->set_help_flag();
  command->prefix_command();
  command->callback([command, &chosen] { chosen = [arguments = command->remaining()] { return bench(arguments); }; });
}

}  // namespace troupe::apps
