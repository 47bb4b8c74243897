// Reads and writes a service's configuration as TOML.
#include <fmt/format.h>

#include <filesystem>
#include <sstream>

#include <toml++/toml.h>
#include <unistd.h>

#include "actors/options/option_values.hpp"
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

/// Returns the texts of a value of the file; nothing if a key of this kind cannot have a value of this type. A key with
/// one value may also have the value as a text.
std::optional<KeyTexts> texts_of(const toml::node& node, ValueKind kind) {
  if (kind == ValueKind::texts) {
    const auto* const list = node.as_array();
    if (list == nullptr) return std::nullopt;
    KeyTexts texts;
    for (const toml::node& element : *list) {
      if (!element.is_string()) return std::nullopt;
      texts.push_back(element.as_string()->get());
    }
    return texts;
  }
  if (kind == ValueKind::weights) {
    const auto* const table = node.as_table();
    if (table == nullptr) return std::nullopt;
    KeyTexts texts;
    for (const auto& [name, weight] : *table) {
      if (!weight.is_number()) return std::nullopt;
      texts.push_back(fmt::format("{}={}", name.str(), weight.value<double>().value_or(0)));
    }
    return texts;
  }
  if (const auto* const value = node.as_string()) return KeyTexts{value->get()};
  if (kind == ValueKind::flag && node.is_boolean()) return KeyTexts{troupe::text_of(node.as_boolean()->get())};
  if (kind == ValueKind::whole && node.is_integer()) return KeyTexts{std::to_string(node.as_integer()->get())};
  if (kind == ValueKind::number && node.is_number())
    return KeyTexts{fmt::format("{}", node.value<double>().value_or(0))};
  return std::nullopt;
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
    const auto texts = texts_of(node, key->kind);
    if (!texts) {
      return unusable(source, node.source(), fmt::format("\"{}\" must be {}", name, describe(key->kind)));
    }
    if (const Result<void> set = key->set(*texts, configuration); !set) {
      return unusable(source, node.source(), fmt::format("\"{}\": {}", name, set.failure().message));
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

/// Returns the values of a key as TOML. A number that TOML cannot express is a text.
std::string to_toml(const KeyTexts& values, ValueKind kind) {
  std::ostringstream text;
  if (kind == ValueKind::texts) {
    toml::array array;
    for (const std::string& one : values) array.push_back(one);
    text << array;
  } else if (kind == ValueKind::weights) {
    toml::table weights;
    for (const std::string& one : values) {
      const std::size_t equals = one.rfind('=');
      weights.insert(one.substr(0, equals), parse_real(one.substr(equals + 1)).value);
    }
    weights.is_inline(true);
    text << weights;
  } else if (kind == ValueKind::number) {
    text << toml::value(parse_real(values.front()).value);
  } else if (kind == ValueKind::flag ||
             (kind == ValueKind::whole && parse_integer(values.front()).status == NumberStatus::ok)) {
    text << values.front();
  } else {
    text << toml::value(values.front());
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
    text += fmt::format("# {}\n{} = {}\n", key.description, key.last_name(), to_toml(key.get(configuration), key.kind));
  }
  return text;
}

}  // namespace troupe::service
