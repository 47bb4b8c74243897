#include "apps/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>

namespace troupe::apps {

int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid_argument:
    case ErrorCode::bad_input:
    case ErrorCode::numerical:
    case ErrorCode::platform:
    case ErrorCode::io: return kUnusable;
    default: return kFailure;
  }
}

int run_command_line(int argc, const char* const* argv) {
  CLI::App application("Troupe: an actor-based dataflow runtime for machines with many cores.", "troupe");
  application.set_version_flag("--version", TROUPE_VERSION);
  application.require_subcommand(1);
  application.failure_message([](const CLI::App*, const CLI::Error& error) {
    return fmt::format("troupe: {}\nRun `troupe --help` or `troupe COMMAND --help` for what is possible.\n",
                       error.what());
  });
  Command command;
  add_solve_command(application, command);
  add_run_command(application, command);
  add_info_command(application, command);
  try {
    application.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return application.exit(error) == 0 ? kSuccess : kUnusable;
  }
  try {
    return command();
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
