#include "apps/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "apps/arguments/environment_arguments.hpp"
#include "apps/terminal/standard_error.hpp"
#include "apps/usage_message.hpp"
#include "platform/machine/process_limits.hpp"

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

/// Calls `work`, which returns the exit code. If it throws, prints the error and returns the exit code for the error.
template <class Work>
int explained(Work&& work) {
  try {
    return work();
  } catch (const Error& error) {
    say(fmt::format("troupe: {}\n", error.what()));
    return exit_code(error.code());
  } catch (const CLI::Error& error) {
    // This error can come late, because some arguments can be checked only after files have been read.
    say(fmt::format("troupe: {}\n", error.what()));
    return kUnusable;
  } catch (const std::bad_alloc&) {
    say("troupe: out of memory: use a smaller matrix, or a machine with more memory\n");
  } catch (const std::system_error& error) {
    const bool refused = error.code() == std::errc::resource_unavailable_try_again;
    say(fmt::format("troupe: {}\n", refused ? platform::refused_thread(error).message : error.what()));
  } catch (const std::exception& error) {
    say(fmt::format("troupe: {}\n", error.what()));
  }
  return kFailure;
}

Error lost_output(int error) {
  return {ErrorCode::io, fmt::format("cannot write to standard output: {}", std::strerror(error))};
}

/// Runs the command and checks that its output was written. `note` is appended to messages about unusable values.
int run_to_the_end(const Command& command, const std::string& note) {
  return explained([&] {
    platform::check_stacks().value_or_throw();
    int code = kSuccess;
    try {
      code = command();
    } catch (const std::system_error& error) {
      // If writing long output failed before, report that failure.
      if (std::ferror(stdout) != 0) throw lost_output(error.code().value());
      throw;
    } catch (const Error& error) {
      if (note.empty() || exit_code(error.code()) != kUnusable) throw;
      throw Error(error.code(), error.what() + note);
    }
    if (std::fflush(stdout) != 0) throw lost_output(errno);
    return code;
  });
}

/// Prints the requested help, or the error in the arguments. Returns the exit code.
int after_parsing(const CLI::App& application, const CLI::ParseError& error) {
  return explained([&] {
    // If the user asks for help on a word that is no command, do not print the help of another command.
    if (error.get_exit_code() == 0 && application.get_subcommands().empty() && !application.remaining().empty()) {
      say(usage_message(&application, error));
      return kUnusable;
    }
    // Set errno to 0, because writing a long text may fail before the flush.
    errno = 0;
    if (application.exit(error) != 0) return kUnusable;
    if (!std::cout.flush()) throw lost_output(errno);
    return kSuccess;
  });
}

/// Returns the words in reverse order, as CLI11 takes them.
std::vector<std::string> words_of(int argc, const char* const* argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  // Remove a `--` directly after the name of a separate program: CLI11 would treat it as its own separator.
  if (words.size() > 1 && words[1] == "--" && is_other_program(words[0])) words.erase(words.begin() + 1);
  std::ranges::reverse(words);
  return words;
}

}  // namespace

int run_command_line(CLI::App& application, const Command& command, int argc, const char* const* argv) {
  application.failure_message(usage_message);
  // With the signal ignored, a write that would exceed the user's limit on file sizes fails like any other write.
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    application.parse(words_of(argc, argv));
  } catch (const CLI::ParseError& error) {
    return after_parsing(application, error);
  }
  settle_environment(application);
  if (!command) {
    say(fmt::format("troupe: no command was given: {} (`{} --help` says what they do)\n", command_names(application),
                    application.get_name()));
    return kUnusable;
  }
  return run_to_the_end(command, environment_note(application));
}

int run_program(MakeApplication make, int argc, const char* const* argv) {
  Command command;
  const auto application = make(command);
  const int code = run_command_line(*application, command, argc, argv);
  // Skip destructors if the address space is limited: OpenBLAS's own threads may then search for work space for ever,
  // and its destructor would wait for them. All output has been written.
  if (platform::address_space_left()) std::_Exit(code);
  return code;
}

}  // namespace troupe::apps
