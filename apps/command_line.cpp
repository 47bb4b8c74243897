#include "apps/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <system_error>
#include <vector>

namespace troupe::apps {

int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
    case ErrorCode::bad_input:
    case ErrorCode::numerical:
    case ErrorCode::platform: return kUnusable;
    default: return kFailure;
  }
}

namespace {

/// One line: what is wrong with the arguments, and where to read about them.
std::string usage_message(const CLI::App* application, const CLI::Error& error) {
  std::string command = application->get_name() + ' ';
  for (const CLI::App* chosen = application; !chosen->get_subcommands().empty();) {
    chosen = chosen->get_subcommands().front();
    command += chosen->get_name() + ' ';
  }
  std::string text = error.what();
  // "--n: 1 required INT:INT in [1 - 2147483647] missing"
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    text = text.substr(0, text.find(':')) + ": a value is missing";
  }
  return fmt::format("troupe: {} (`{}--help` lists what is possible)\n", text, command);
}

/// Runs the command and sees that its output has arrived.
int run_to_the_end(const Command& command) {
  const auto lost = [](int error) {
    return Error(ErrorCode::io, fmt::format("cannot write to standard output: {}", std::strerror(error)));
  };
  int code = kSuccess;
  try {
    code = command();
  } catch (const std::system_error& error) {
    // Long output is written before the end.
    if (std::ferror(stdout) != 0) throw lost(error.code().value());
    throw;
  }
  if (std::fflush(stdout) == 0) return code;
  throw lost(errno);
}

}  // namespace

int run_command_line(CLI::App& application, const Command& command, int argc, const char* const* argv) {
  application.failure_message(usage_message);
  // A file that grows beyond the user's limit is a failed write like any other.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    application.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return application.exit(error) == 0 ? kSuccess : kUnusable;
  }
  if (!command) {
    std::vector<std::string> names;
    for (const CLI::App* one : application.get_subcommands(nullptr)) names.push_back(one->get_name());
    fmt::print(stderr, "troupe: no command was given: {} (`{} --help` says what they do)\n", fmt::join(names, ", "),
               application.get_name());
    return kUnusable;
  }
  try {
    return run_to_the_end(command);
  } catch (const Error& error) {
    fmt::print(stderr, "troupe: {}\n", error.what());
    return exit_code(error.code());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "troupe: out of memory: use a smaller matrix, or a machine with more memory\n");
    return kFailure;
  } catch (const std::exception& error) {
    fmt::print(stderr, "troupe: {}\n", error.what());
    return kFailure;
  }
}

}  // namespace troupe::apps
