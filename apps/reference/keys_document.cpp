#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "apps/reference/reference_documents.hpp"
#include "proto/json/json.hpp"

namespace troupe::apps {

namespace {

constexpr std::string_view kKey = "key.";
constexpr std::string_view kObject = "object.";
constexpr std::string_view kCommand = "command.";

/// Returns the name of the definition to which a schema's reference leads: "key.seconds" for "#/$defs/key.seconds".
std::string target_of(const Json& schema) {
  const std::string reference = schema.value("$ref", "");
  return reference.substr(reference.rfind('/') + 1);
}

std::string type_of(const Json& schema) {
  if (schema.contains("enum")) {
    std::string text;
    for (const Json& one : schema["enum"]) text += fmt::format("{}`{}`", text.empty() ? "" : ", ", one.dump());
    return text;
  }
  if (schema.contains("const")) return fmt::format("`{}`", schema["const"].dump());
  if (const std::string target = target_of(schema); !target.empty()) {
    return target.starts_with(kObject) ? fmt::format("[{0}](#{0})", target.substr(kObject.size())) : target;
  }
  const Json type = schema.value("type", Json("any"));
  if (type.is_array()) {
    return fmt::format("{}", fmt::join(type.get<std::vector<std::string>>(), " or "));
  }
  if (type == "array" && schema.contains("items")) return "list of " + type_of(schema["items"]);
  return type.get<std::string>();
}

/// Returns the types of all members that are objects or lists of objects, by key: {"team", {"[team](#team)"}}.
std::map<std::string, std::set<std::string>> types_of_objects(const Json& definitions) {
  std::map<std::string, std::set<std::string>> types;
  for (const auto& [name, definition] : definitions.items()) {
    const Json properties = definition.value("properties", Json::object());
    for (const auto& [key, member] : properties.items()) {
      if (!target_of(member).starts_with(kKey)) types[key].insert(type_of(member));
    }
  }
  return types;
}

/// Returns the type of a key. `objects` are the types of members of this key that are objects or lists of objects.
std::string type_of_key(const Json& definition, const std::set<std::string>& objects) {
  std::vector<std::string> types(objects.begin(), objects.end());
  // A key whose values are always objects has no type in its definition.
  const bool has_own_type = definition.contains("type") || definition.contains("enum");
  if (has_own_type || types.empty()) types.insert(types.begin(), type_of(definition));
  return fmt::format("{}", fmt::join(types, " or "));
}

/// Returns the members of one object: "`app`, `n`, `workers` (list of [worker](#worker))"; optional members are in
/// italics.
std::string members_of(const Json& schema) {
  const auto names = schema.value("required", std::vector<std::string>{});
  const std::set<std::string> required(names.begin(), names.end());
  const Json properties = schema.value("properties", Json::object());
  std::string text;
  for (const auto& [name, member] : properties.items()) {
    const bool is_key = target_of(member).starts_with(kKey);
    text += fmt::format("{}{}", text.empty() ? "" : ", ",
                        required.contains(name) ? fmt::format("`{}`", name) : fmt::format("*`{}`*", name));
    if (!is_key) text += fmt::format(" ({})", type_of(member));
  }
  if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object()) {
    text += fmt::format("{}by name: {}", text.empty() ? "" : ", and ", type_of(schema["additionalProperties"]));
  }
  return text + '.';
}

}  // namespace

Result<ReferenceDocument> keys_document(const std::string& schema) {
  const std::optional<Json> parsed = Json::try_parse(schema);
  if (!parsed || !parsed->contains("$defs")) {
    return Failure{ErrorCode::bad_input,
                   "the schema of the output is no JSON object with $defs: " + schema.substr(0, 200)};
  }
  const Json& definitions = parsed->at("$defs");
  std::map<std::string, std::set<std::string>> types = types_of_objects(definitions);
  for (const auto& [key, unused] : types) {
    if (!definitions.contains(std::string(kKey) + key))
      return Failure{ErrorCode::bad_input, fmt::format("key.{} is missing", key)};
  }
  std::string keys;
  std::string objects;
  std::string commands;
  for (const auto& [name, definition] : definitions.items()) {
    const std::string description = definition.value("description", "");
    if (description.empty()) return Failure{ErrorCode::bad_input, fmt::format("{} has no description", name)};
    if (name.starts_with(kKey)) {
      const std::string key = name.substr(kKey.size());
      keys += fmt::format("| `{}` | {} | {} |\n", key, cell(type_of_key(definition, types[key])), cell(description));
    } else {
      const bool command = name.starts_with(kCommand);
      std::string& text = command ? commands : objects;
      const std::string title = command ? description.substr(0, description.size() - 1) : name.substr(kObject.size());
      text += fmt::format("\n### {}\n\n{}{}\n", title, command ? "" : description + ' ', members_of(definition));
    }
  }
  std::string text = "# Every key of the JSON output\n" + written_by() + "\n" + parsed->value("description", "") +
                     "\n\n## Keys\n\nA key means the same everywhere, unless its text names objects or commands for "
                     "which it differs.\n" +
                     "\n| key | type | meaning |\n|---|---|---|\n" + keys +
                     "\n## Commands\n\nKeys in italics are optional: outputs that they do not apply to lack them.\n" +
                     commands + "\n## Objects\n" + objects;
  return ReferenceDocument{"json.md", std::move(text)};
}

}  // namespace troupe::apps
