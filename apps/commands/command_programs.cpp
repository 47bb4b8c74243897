/// Commands that are separate programs, so that the program `troupe` does not contain their code: `troupe bench` starts
/// `troupe-bench`; `experiment` and `serve` start programs of their own, too. This file only finds and starts these
/// programs.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/command_line.hpp"

namespace troupe::apps {

namespace {

namespace fs = std::filesystem;

struct OtherProgram {
  const char* command;
  const char* help;
  const char* name;
  /// The message if the program is missing.
  const char* missing;
};
constexpr OtherProgram kBench{
    "bench", "Measure this runtime beside its peers (in builds with benchmarks; in no package)", "troupe-bench",
    "the benchmarks are not in this build, and in no package: build the sources with "
    "-DTROUPE_BUILD_BENCH=ON"};
constexpr OtherProgram kExperiment{
    "experiment", "Run a published experiment again in virtual time, or one over the number of accelerators",
    "troupe-experiment",
    "the experiments are not in this build: build the sources with "
    "-DTROUPE_BUILD_EXPERIMENTS=ON"};
constexpr OtherProgram kServe{"serve", "Run the service that programs of this node share", "troupe-serve",
                              "the service was not built: build the target troupe-serve"};

/// Returns the program of a command; null if the command has none.
const OtherProgram* find(std::string_view command) {
  for (const OtherProgram* other : {&kBench, &kExperiment, &kServe}) {
    if (command == other->command) return other;
  }
  return nullptr;
}

/// The folders of these programs, relative to this program's folder, for an installation and for the build tree.
constexpr std::array kFolders{"../" TROUPE_LIBEXECDIR "/troupe", "../bench", "."};

std::string find_program(const OtherProgram& other) {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  for (const char* folder : kFolders) {
    const std::string program = (here / folder / other.name).lexically_normal().string();
    if (::access(program.c_str(), X_OK) == 0) return program;
  }
  throw Error(ErrorCode::platform, other.missing);
}

/// Replaces this process by the other program, whose exit code becomes the command's.
int become(const OtherProgram& other, std::vector<std::string> arguments) {
  std::string program = find_program(other);
  std::vector<char*> pointers{program.data()};
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  ::execv(program.c_str(), pointers.data());
  throw Error(ErrorCode::platform, fmt::format("cannot start '{}': {}", program, std::strerror(errno)));
}

void add_other_program(CLI::App& application, const OtherProgram& other, Command& chosen) {
  CLI::App* command = application.add_subcommand(other.command, other.help);
  // All words that follow, including --help, are for the other program.
  command->set_help_flag();
  command->prefix_command();
  command->callback([command, other, &chosen] {
    chosen = [other, arguments = command->remaining()] { return become(other, arguments); };
  });
}

}  // namespace

void add_bench_command(CLI::App& application, Command& chosen) { add_other_program(application, kBench, chosen); }

void add_experiment_command(CLI::App& application, Command& chosen) {
  add_other_program(application, kExperiment, chosen);
}

void add_serve_command(CLI::App& application, Command& chosen) { add_other_program(application, kServe, chosen); }

int run_other_program(std::string_view command, std::vector<std::string> arguments) {
  return become(*find(command), std::move(arguments));
}

bool is_other_program(std::string_view command) { return find(command) != nullptr; }

}  // namespace troupe::apps
