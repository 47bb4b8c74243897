// Reads and writes a service's configuration as TOML.
#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include <toml++/toml.h>
#include <unistd.h>

#include "platform/environment_value.hpp"
#include "platform/files/file_text.hpp"
#include "proto/tokens.hpp"
#include "service/configuration/configuration.hpp"
#include "service/configuration/configuration_keys.hpp"
#include "service/configuration/trusted_files.hpp"

namespace troupe::service {

namespace {

constexpr Bytes kLargestFile{1U << 20U};

Failure unusable(const std::string& source, const toml::source_region& where, const std::string& what) {
  return {ErrorCode::bad_input, fmt::format("{}, line {}: {}", source, where.begin.line, what)};
}

/// Converts a value of the file to `kind`; returns nothing if the value is of another kind.
std::optional<ConfigurationValue> value_of(const toml::node& node, ValueKind kind) {
  switch (kind) {
    case ValueKind::flag:
      if (const auto* const value = node.as_boolean()) return ConfigurationValue(value->get());
      return std::nullopt;
    case ValueKind::whole:
      if (const auto* const value = node.as_integer()) return ConfigurationValue(value->get());
      return std::nullopt;
    case ValueKind::number:
      if (node.is_number()) return ConfigurationValue(node.value<double>().value_or(0));
      return std::nullopt;
    case ValueKind::text:
      if (const auto* const value = node.as_string()) return ConfigurationValue(value->get());
      return std::nullopt;
    case ValueKind::texts: {
      const auto* const list = node.as_array();
      if (list == nullptr) return std::nullopt;
      std::vector<std::string> texts;
      for (const toml::node& element : *list) {
        if (!element.is_string()) return std::nullopt;
        texts.push_back(element.as_string()->get());
      }
      return ConfigurationValue(texts);
    }
    case ValueKind::weights: break;
  }
  const auto* const table = node.as_table();
  if (table == nullptr) return std::nullopt;
  std::map<std::string, double> weights;
  for (const auto& [name, weight] : *table) {
    if (!weight.is_number()) return std::nullopt;
    weights[std::string(name.str())] = weight.value<double>().value_or(0);
  }
  return ConfigurationValue(weights);
}

std::string unknown_key(const std::string& name) {
  const std::string nearest = nearest_key(name);
  return fmt::format("there is no key {}{} (`troupe serve --print-config` lists all)", troupe::quoted(name),
                     nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest));
}

Result<void> read_section(const std::string& section, const toml::table& table, const std::string& source,
                          Configuration& configuration) {
  for (const auto& [last_name, node] : table) {
    const std::string name = section + '.' + std::string(last_name.str());
    const ConfigurationKey* const key = find_key(name);
    if (key == nullptr) return unusable(source, last_name.source(), unknown_key(name));
    auto value = value_of(node, key->kind);
    if (!value && key->option != nullptr) value = value_of(node, ValueKind::text);
    if (!value) {
      return unusable(source, node.source(), fmt::format("\"{}\" must be {}", name, describe(key->kind)));
    }
    if (const Wrong wrong = key->set(*value, configuration)) {
      return unusable(source, node.source(), fmt::format("\"{}\": {}", name, *wrong));
    }
  }
  return {};
}

bool is_section(std::string_view name) {
  for (const ConfigurationKey& key : configuration_keys()) {
    if (key.section() == name) return true;
  }
  return false;
}

std::string text_of(const ConfigurationValue& value) {
  std::ostringstream text;
  if (const auto* const flag = std::get_if<bool>(&value)) text << toml::value(*flag);
  if (const auto* const whole = std::get_if<std::int64_t>(&value)) text << toml::value(*whole);
  if (const auto* const number = std::get_if<double>(&value)) text << toml::value(*number);
  if (const auto* const string = std::get_if<std::string>(&value)) text << toml::value(*string);
  if (const auto* const list = std::get_if<std::vector<std::string>>(&value)) {
    toml::array array;
    for (const std::string& one : *list) array.push_back(one);
    text << array;
  }
  if (const auto* const table = std::get_if<std::map<std::string, double>>(&value)) {
    toml::table weights;
    for (const auto& [name, weight] : *table) weights.insert(name, weight);
    weights.is_inline(true);
    text << weights;
  }
  return text.str();
}

}  // namespace

std::string default_configuration_file() {
  if (::geteuid() == 0) return "/etc/troupe/service.toml";
  const std::string configuration = platform::environment_value("XDG_CONFIG_HOME");
  if (configuration.starts_with('/')) return configuration + "/troupe/service.toml";
  const std::string home = platform::environment_value("HOME");
  return home.starts_with('/') ? home + "/.config/troupe/service.toml" : std::string();
}

Result<void> read_configuration(const std::string& path, Configuration& configuration) {
  std::error_code unknown;
  if (std::filesystem::exists(path, unknown)) {
    // The file must be trusted, because it names folders with plug-ins whose code the service runs.
    if (const Result<void> checked = check_trusted_file(path, ::geteuid()); !checked) {
      return Failure{ErrorCode::bad_input, "the configuration: " + checked.failure().message};
    }
  }
  const auto text = platform::read_text(path, kLargestFile, "configuration");
  if (!text) return Failure{ErrorCode::bad_input, text.failure().message};
  return read_configuration_text(text.value(), path, configuration);
}

Result<void> read_configuration_text(std::string_view text, const std::string& source, Configuration& configuration) {
  toml::table all;
  try {
    all = toml::parse(text, source);
  } catch (const toml::parse_error& error) {
    return unusable(source, error.source(), "no TOML: " + std::string(error.description()));
  }
  for (const auto& [name, node] : all) {
    const std::string section(name.str());
    if (!is_section(section)) return unusable(source, name.source(), unknown_key(section));
    const auto* const table = node.as_table();
    if (table == nullptr) {
      return unusable(source, node.source(), fmt::format("\"{0}\" must be a section: [{0}]", section));
    }
    if (Result<void> read = read_section(section, *table, source, configuration); !read) return read;
  }
  return {};
}

std::string to_toml(const Configuration& configuration) {
  std::string text;
  std::string_view section;
  for (const ConfigurationKey& key : configuration_keys()) {
    if (key.section() != section) {
      text += fmt::format("{}[{}]\n", text.empty() ? "" : "\n", key.section());
      section = key.section();
    }
    text += fmt::format("# {}\n{} = {}\n", key.description, key.last_name(), text_of(key.get(configuration)));
  }
  return text;
}

}  // namespace troupe::service
