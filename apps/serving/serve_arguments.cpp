#include "apps/serving/serve_arguments.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "apps/arguments/common_arguments.hpp"
#include "service/configuration/configuration_keys.hpp"
#include "troupe/runtime.hpp"

namespace troupe::apps {

namespace {

using service::ConfigurationKey;
using service::ValueKind;

/// Returns the option names of a key: "runtime.gpu_memory" is `--runtime.gpu_memory` and also `--gpu-memory`, its name
/// in other commands.
std::string option_names(const ConfigurationKey& key) {
  std::string names = "--" + key.name;
  std::string other;
  if (key.section() == "runtime") other = key.last_name();
  if (key.name == "socket.folder" || key.name == "http.port") other = key.name;
  std::ranges::replace(other, '_', '-');
  std::ranges::replace(other, '.', '-');
  return other.empty() ? names : names + ",--" + other;
}

std::string value_name(ValueKind kind) {
  switch (kind) {
    case ValueKind::flag: return "true|false";
    case ValueKind::whole: return "N";
    case ValueKind::number: return "NUMBER";
    case ValueKind::weights: return "NAME=WEIGHT";
    case ValueKind::text:
    case ValueKind::texts: break;
  }
  return "TEXT";
}

}  // namespace

void add_serve_options(CLI::App& command, ServeArguments& arguments) {
  command
      .add_option("--config", arguments.file,
                  "Configuration, a TOML file (docs/service.md); default, if it is there: for root "
                  "/etc/troupe/service.toml, else $XDG_CONFIG_HOME/troupe/service.toml or "
                  "~/.config/troupe/service.toml")
      ->type_name("FILE")
      ->check(check_file_name);
  command.add_flag("--print-config", arguments.print_config, "Print the effective configuration as TOML, and end");
  command.add_flag("--strict-plugins", arguments.strict_plugins, "The same as --plugins.strict true");
  for (const ConfigurationKey& key : service::configuration_keys()) {
    const bool many = key.kind == ValueKind::texts || key.kind == ValueKind::weights;
    CLI::Option* option =
        command
            .add_option_function<std::vector<std::string>>(
                option_names(key), [&arguments, name = key.name](const auto& given) { arguments.given[name] = given; },
                key.description + (many ? "; several with commas, or given several times" : ""))
            ->type_name(value_name(key.kind))
            ->allow_extra_args(false)
            ->group("Configuration: [" + std::string(key.section()) + "]");
    if (many) {
      option->delimiter(',');
    } else {
      option->expected(1);
    }
  }
}

service::Configuration effective_configuration(const ServeArguments& arguments) {
  service::Configuration configuration;
  configuration.server.runtime.placement.models = default_model_folder();
  const std::string usual = service::default_configuration_file();
  std::error_code unreadable;
  if (!arguments.file.empty()) {
    service::read_configuration(arguments.file, configuration).value_or_throw();
  } else if (!usual.empty() && std::filesystem::exists(usual, unreadable)) {
    service::read_configuration(usual, configuration).value_or_throw();
  }
  for (const auto& [name, given] : arguments.given) {
    service::set_from_text(*service::find_key(name), given, configuration).value_or_throw();
  }
  if (arguments.strict_plugins) configuration.plugins.strict = true;
  service::check(configuration).value_or_throw();
  return configuration;
}

}  // namespace troupe::apps
