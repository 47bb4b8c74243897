/// Messages about arguments that cannot be used.
#pragma once

#include <string>

namespace CLI {
class App;
class Error;
}  // namespace CLI

namespace troupe::apps {

/// Returns one line: what is wrong with the arguments, what was probably meant, and where to read about them. Words
/// that nothing expected come first, since other errors follow from them. `CLI::App::failure_message` calls it after
/// parsing.
[[nodiscard]] std::string usage_message(const CLI::App* application, const CLI::Error& error);

/// Returns a message such as "'rnu' is no command of `troupe`; did you mean run?".
[[nodiscard]] std::string unknown_command(const CLI::App& application, const std::string& word);

/// Returns the names of the commands below, such as "run, solve or info".
[[nodiscard]] std::string command_names(const CLI::App& application);

}  // namespace troupe::apps
