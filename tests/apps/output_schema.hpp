/// Compares the `--json` output of commands with the schema that is installed.
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace troupe::tests {

/// The part of JSON Schema that the schema uses. An unknown keyword is an error, so that nothing passes unseen.
class OutputSchema {
 public:
  explicit OutputSchema(nlohmann::json whole) : whole_(std::move(whole)) {}

  /// The fault of the first place that does not conform; empty if there is none.
  [[nodiscard]] std::string fault(const nlohmann::json& value, const nlohmann::json& schema,
                                  const std::string& place = "") const {
    for (const auto& [keyword, rule] : schema.items()) {
      std::string wrong = fault_of(keyword, rule, schema, value, place);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }
  [[nodiscard]] std::string fault_of_command(const nlohmann::json& value, const std::string& command) const {
    const std::string name = "command." + command;
    if (!whole_["$defs"].contains(name)) return "the schema has no " + name;
    return fault(value, whole_["$defs"][name]);
  }
  [[nodiscard]] const nlohmann::json& whole() const { return whole_; }

 private:
  using json = nlohmann::json;

  [[nodiscard]] static bool has_type(const json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    return type == "null" && value.is_null();
  }

  [[nodiscard]] std::string fault_of(const std::string& keyword, const json& rule, const json& schema,
                                     const json& value, const std::string& place) const {
    const auto wrong = [&](const std::string& what) { return place + ": " + value.dump().substr(0, 80) + " " + what; };
    if (keyword == "description") return {};
    if (keyword == "$ref") {
      const json::json_pointer target(rule.get<std::string>().substr(1));
      return whole_.contains(target) ? fault(value, whole_[target], place) : wrong("has a rule that is missing");
    }
    if (keyword == "type") {
      bool fits = false;
      for (const json& type : rule.is_array() ? rule : json::array({rule})) fits = fits || has_type(value, type);
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
      for (const json& name : rule) {
        if (!value.contains(name.get<std::string>())) return place + ": " + name.dump() + " is missing";
      }
      return {};
    }
    if (keyword == "properties" || keyword == "additionalProperties") {
      return keyword == "properties" ? "" : fault_of_members(rule, schema, value, place);
    }
    return "the schema's keyword '" + keyword + "' is not checked";
  }

  /// `others`: the rule for members that the schema does not name; false: there are none.
  [[nodiscard]] std::string fault_of_members(const json& others, const json& schema, const json& value,
                                             const std::string& place) const {
    if (!value.is_object()) return {};
    const json known = schema.value("properties", json::object());
    for (const auto& [name, member] : value.items()) {
      const std::string where = place + '/' + name;
      if (!known.contains(name) && others.is_boolean()) return where + " is not in the schema";
      std::string inside = fault(member, known.contains(name) ? known[name] : others, where);
      if (!inside.empty()) return inside;
    }
    return {};
  }

  json whole_;
};

/// The schema in apps/reference.
[[nodiscard]] inline const OutputSchema& output_schema() {
  static const OutputSchema schema = [] {
    std::ifstream file(std::string(TROUPE_SOURCE_DIR) + "/apps/reference/output.schema.json");
    return OutputSchema(nlohmann::json::parse(file));
  }();
  return schema;
}

/// Checks that the output of a command, such as "run" or "experiment-dada", conforms to the schema.
inline void conforms(const nlohmann::json& output, const std::string& command) {
  const std::string fault = output_schema().fault_of_command(output, command);
  BOOST_TEST(fault == "", command << fault);
}

}  // namespace troupe::tests
