/// What `troupe serve` is told: its configuration's file, and every key of it on the command line.
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
  /// Empty: the default place, where nothing need be.
  std::string file;
  /// By key, as given.
  std::map<std::string, std::vector<std::string>> given;
  bool strict_plugins = false;
  bool print_config = false;
};

/// Adds `--config`, `--print-config`, `--strict-plugins`, and an option for every key: `--limits.tasks`, those of the
/// runtime without their section, too: `--cores`. `arguments` outlives the parsing.
void add_serve_options(CLI::App& command, ServeArguments& arguments);

/// The file, and what the command line says otherwise. Throws `bad_input` or `invalid_argument`.
[[nodiscard]] service::Configuration effective_configuration(const ServeArguments& arguments);

}  // namespace troupe::apps
