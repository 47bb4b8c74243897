/// The arguments of `troupe serve`: its configuration file, and every key of it on the command line.
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
  /// The configuration file; empty for the default place, where the file may be missing.
  std::string file;
  /// The values that were given, by key.
  std::map<std::string, std::vector<std::string>> given;
  bool strict_plugins = false;
  bool print_config = false;
};

/// Adds `--config`, `--print-config`, `--strict-plugins`, and an option for every key, such as `--limits.tasks`. Keys
/// of the runtime also have an option without their section: `--cores`. `arguments` outlives the parsing.
void add_serve_options(CLI::App& command, ServeArguments& arguments);

/// Returns the file's configuration, changed by the command line. Throws `bad_input` or `invalid_argument`.
[[nodiscard]] service::Configuration effective_configuration(const ServeArguments& arguments);

}  // namespace troupe::apps
