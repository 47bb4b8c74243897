/// Messages about unusable arguments.
#pragma once

#include <string>

namespace CLI {
class App;
class Error;
}  // namespace CLI

namespace troupe::apps {

/// Returns one line with the error in the arguments, the word that was probably meant, and where to read about the
/// arguments. Unexpected words are reported first, because other errors follow from them. CLI11 calls this function
/// after parsing (`CLI::App::failure_message`).
[[nodiscard]] std::string usage_message(const CLI::App* application, const CLI::Error& error);

/// Returns a message such as "'rnu' is no command of `troupe`; did you mean run?".
[[nodiscard]] std::string unknown_command(const CLI::App& application, const std::string& word);

/// Returns the names of the direct subcommands, such as "run, solve or info".
[[nodiscard]] std::string command_names(const CLI::App& application);

}  // namespace troupe::apps
