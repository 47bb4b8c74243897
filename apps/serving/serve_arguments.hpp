/// The arguments of `troupe serve`: its configuration file, and command-line options for all keys of that file.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "service/configuration/configuration.hpp"

namespace CLI {
class App;
}

namespace troupe::apps {

struct ServeArguments {
  /// The configuration file; empty for the default file, which may be missing.
  std::string file;
  /// The values from the command line, by key.
  std::map<std::string, std::vector<std::string>> given;
  bool strict_plugins = false;
  bool print_config = false;
};

/// Adds `--config`, `--print-config`, `--strict-plugins`, and an option for every key, such as `--limits.tasks`. Keys
/// of the runtime also have an option without the name of their section: `--cores`. `arguments` must outlive the
/// parsing.
void add_serve_options(CLI::App& command, ServeArguments& arguments);

/// Returns the configuration of the file, with the values of the command line applied. Throws `bad_input` or
/// `invalid_argument`.
[[nodiscard]] service::Configuration effective_configuration(const ServeArguments& arguments);

}  // namespace troupe::apps
