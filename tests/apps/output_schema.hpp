/// Checks the `--json` output of commands against the JSON schema that Troupe installs.
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "proto/json/json.hpp"

namespace troupe::tests {

/// Implements the part of JSON Schema that our schema uses. An unknown keyword counts as a fault, so that nothing stays
/// unchecked.
class OutputSchema {
 public:
  explicit OutputSchema(Json whole) : whole_(std::move(whole)) {}

  /// Describes the first place of `value` that does not conform to `schema`; empty if all of it conforms.
  [[nodiscard]] std::string fault(const Json& value, const Json& schema, const std::string& place = "") const {
    for (const auto& [keyword, rule] : schema.items()) {
      std::string wrong = fault_of(keyword, rule, schema, value, place);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }
  [[nodiscard]] std::string fault_of_command(const Json& value, const std::string& command) const {
    const std::string name = "command." + command;
    if (!whole_["$defs"].contains(name)) return "the schema has no " + name;
    return fault(value, whole_["$defs"][name]);
  }
  [[nodiscard]] const Json& whole() const { return whole_; }

 private:
  [[nodiscard]] static bool has_type(const Json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    return type == "null" && value.is_null();
  }

  [[nodiscard]] std::string fault_of(const std::string& keyword, const Json& rule, const Json& schema,
                                     const Json& value, const std::string& place) const {
    const auto wrong = [&](const std::string& what) { return place + ": " + value.dump().substr(0, 80) + " " + what; };
    if (keyword == "description") return {};
    if (keyword == "$ref") {
      const auto reference = rule.get<std::string>();
      constexpr std::string_view kHere = "#/$defs/";
      if (!reference.starts_with(kHere)) return "the schema refers to " + reference;
      const Json* const target = whole_["$defs"].find(reference.substr(kHere.size()));
      return target != nullptr ? fault(value, *target, place) : wrong("has a rule that is missing");
    }
    if (keyword == "type") {
      bool fits = false;
      for (const Json& type : rule.is_array() ? rule : Json::array({rule}))
        fits = fits || has_type(value, type.get<std::string>());
      return fits ? "" : wrong("is no " + rule.dump());
    }
    if (keyword == "enum") return std::find(rule.begin(), rule.end(), value) != rule.end() ? "" : wrong("is unknown");
    if (keyword == "minimum") return !value.is_number() || value >= rule ? "" : wrong("is too small");
    if (keyword == "items") {
      if (!value.is_array()) return {};
      for (std::size_t i = 0; i < value.size(); ++i) {
        std::string inside = fault(value[i], rule, place + '/' + std::to_string(i));
        if (!inside.empty()) return inside;
      }
      return {};
    }
    if (keyword == "required") {
      for (const Json& name : rule) {
        if (!value.contains(name.get<std::string>())) return place + ": " + name.dump() + " is missing";
      }
      return {};
    }
    if (keyword == "properties" || keyword == "additionalProperties") {
      return keyword == "properties" ? "" : fault_of_members(rule, schema, value, place);
    }
    return "the schema's keyword '" + keyword + "' is not checked";
  }

  /// Describes the first fault among the members that the schema does not name. `others` is the schema for these
  /// members; false if they are not allowed.
  [[nodiscard]] std::string fault_of_members(const Json& others, const Json& schema, const Json& value,
                                             const std::string& place) const {
    if (!value.is_object()) return {};
    const Json known = schema.value("properties", Json::object());
    for (const auto& [name, member] : value.items()) {
      const std::string where = place + '/' + name;
      if (!known.contains(name) && others.is_boolean()) return where + " is not in the schema";
      std::string inside = fault(member, known.contains(name) ? known[name] : others, where);
      if (!inside.empty()) return inside;
    }
    return {};
  }

  Json whole_;
};

/// Returns the schema in apps/reference.
[[nodiscard]] inline const OutputSchema& output_schema() {
  static const OutputSchema schema = [] {
    std::ostringstream text;
    text << std::ifstream(std::string(TROUPE_SOURCE_DIR) + "/apps/reference/output.schema.json").rdbuf();
    return OutputSchema(Json::parse(text.str()));
  }();
  return schema;
}

/// Checks that the output of a command conforms to the schema. `command` is a name such as "run" or "experiment-dada".
inline void conforms(const Json& output, const std::string& command) {
  const std::string fault = output_schema().fault_of_command(output, command);
  BOOST_TEST(fault == "", command << fault);
}

}  // namespace troupe::tests
