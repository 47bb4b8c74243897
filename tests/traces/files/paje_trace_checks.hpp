/// Checks for every trace file in the Paje format.
#pragma once

#include <boost/test/unit_test.hpp>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace troupe::tests {

/// Reads a Paje file. Checks each line against the definitions in the header of the file.
class PajeContent {
 public:
  explicit PajeContent(const std::string& text) {
    std::istringstream lines(text);
    std::string line;
    while (std::getline(lines, line)) {
      if (line.starts_with('%')) {
        define(line);
      } else {
        event(words(line));
      }
    }
    BOOST_TEST(open_links_.empty());
    BOOST_TEST(containers_.empty());
  }

  /// The number of lines for each kind of event, such as "PajeSetState".
  std::map<std::string, std::size_t> counts;
  /// The states of each container, with the times at which they begin.
  std::map<std::string, std::vector<std::pair<double, std::string>>> states;
  /// The tasks with which each container helped, by number and name.
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> helped;
  /// For each task, the number of cores of its worker, and the number of cores that it used.
  std::map<std::string, std::pair<std::string, std::string>> cores;
  /// For each task, the nested task that it belongs to; empty if there is none.
  std::map<std::string, std::string> parents;
  /// The names of the entity values, by their aliases.
  std::map<std::string, std::string> values;

 private:
  using Fields = std::map<std::string, std::string>;
  struct Definition {
    std::string name;
    std::vector<std::pair<std::string, std::string>> fields;
  };

  static std::vector<std::string> words(const std::string& line) {
    std::vector<std::string> result;
    for (std::size_t at = 0; at < line.size(); ++at) {
      if (line[at] == ' ') continue;
      const bool quoted = line[at] == '"';
      const std::size_t end = line.find(quoted ? '"' : ' ', at + 1);
      BOOST_TEST_REQUIRE((!quoted || end != std::string::npos));
      result.push_back(
          line.substr(at + (quoted ? 1 : 0), end == std::string::npos ? end : end - at - (quoted ? 1 : 0)));
      if (end == std::string::npos) break;
      at = end;
    }
    return result;
  }

  void define(const std::string& line) {
    const std::vector<std::string> parts = words(line.substr(1));
    if (parts[0] == "EventDef") {
      BOOST_TEST_REQUIRE(parts.size() == 3U);
      BOOST_TEST_REQUIRE(!definitions_.contains(parts[2]));
      current_ = parts[2];
      definitions_[current_].name = parts[1];
    } else if (parts[0] != "EndEventDef") {
      BOOST_TEST_REQUIRE(parts.size() == 2U);
      definitions_[current_].fields.emplace_back(parts[0], parts[1]);
    }
  }

  void event(const std::vector<std::string>& given) {
    BOOST_TEST_REQUIRE(!given.empty());
    BOOST_TEST_REQUIRE(definitions_.contains(given[0]));
    const Definition& definition = definitions_[given[0]];
    BOOST_TEST_REQUIRE(given.size() == definition.fields.size() + 1);
    Fields fields;
    for (std::size_t i = 0; i < definition.fields.size(); ++i) fields[definition.fields[i].first] = given[i + 1];
    if (fields.contains("Time")) {
      const double time = std::stod(fields["Time"]);
      BOOST_TEST_REQUIRE(time >= time_);
      time_ = time;
    }
    ++counts[definition.name];
    check(definition.name, fields);
  }

  void check(const std::string& kind, Fields& fields) {
    if (kind.starts_with("PajeDefine")) return check_definition(kind, fields);
    if (kind == "PajeDestroyContainer") {
      BOOST_TEST_REQUIRE(containers_.erase(fields["Name"]) == 1U);
      return;
    }
    BOOST_TEST_REQUIRE(types_.contains(fields["Type"]));
    if (fields["Container"] != "0") BOOST_TEST_REQUIRE(containers_.contains(fields["Container"]));
    if (kind == "PajeCreateContainer") {
      BOOST_TEST_REQUIRE(containers_.insert(fields["Alias"]).second);
    } else if (kind == "PajeSetState") {
      BOOST_TEST_REQUIRE(values.contains(fields["Value"]));
      states[fields["Container"]].emplace_back(std::stod(fields["Time"]), values[fields["Value"]]);
      if (!fields.contains("TaskId")) return;
      if (fields["Value"] == "helping") {
        helped[fields["Container"]].emplace_back(fields["TaskId"], fields["TaskName"]);
      } else {
        cores[fields["TaskId"]] = {fields["Cores"], fields["CoresUsed"]};
        parents[fields["TaskId"]] = fields["Parent"];
      }
    } else if (kind == "PajeStartLink") {
      BOOST_TEST_REQUIRE(containers_.contains(fields["StartContainer"]));
      BOOST_TEST_REQUIRE(open_links_.insert(fields["Key"]).second);
    } else if (kind == "PajeEndLink") {
      BOOST_TEST_REQUIRE(containers_.contains(fields["EndContainer"]));
      BOOST_TEST_REQUIRE(open_links_.erase(fields["Key"]) == 1U);
    } else {
      BOOST_ERROR("an event of another kind: " << kind);
    }
  }

  void check_definition(const std::string& kind, Fields& fields) {
    if (kind == "PajeDefineContainerType") {
      BOOST_TEST_REQUIRE((fields["Type"] == "0" || types_.contains(fields["Type"])));
    } else if (kind == "PajeDefineLinkType") {
      BOOST_TEST_REQUIRE(types_.contains(fields["StartContainerType"]));
      BOOST_TEST_REQUIRE(types_.contains(fields["EndContainerType"]));
    } else {
      BOOST_TEST_REQUIRE(types_.contains(fields["Type"]));
    }
    if (kind == "PajeDefineEntityValue") {
      std::istringstream colour(fields["Color"]);
      double part = -1;
      for (int i = 0; i < 3; ++i) BOOST_TEST_REQUIRE((colour >> part && part >= 0 && part <= 1));
      BOOST_TEST_REQUIRE(values.emplace(fields["Alias"], fields["Name"]).second);
    } else {
      BOOST_TEST_REQUIRE(types_.insert(fields["Alias"]).second);
    }
  }

  std::map<std::string, Definition> definitions_;
  std::string current_;
  double time_ = 0;
  std::set<std::string> types_;
  std::set<std::string> containers_;
  std::set<std::string> open_links_;
};

}  // namespace troupe::tests
