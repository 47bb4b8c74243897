// Checks outputs of commands against the schema. Tests of other commands, such as the experiments, call `conforms`
// themselves, so that these long commands need not run twice.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "apps/reference/command_pages.hpp"
#include "proto/json/json.hpp"
#include "tests/apps/output_schema.hpp"
#include "tests/apps/troupe_program.hpp"
#include "tests/support/environment_variable.hpp"
#include "tests/support/temporary_folder.hpp"
#include "troupe/machine.hpp"

namespace troupe::apps {

namespace output_schema_cases {

using namespace tests;

/// Writes a diagonally dominant matrix with three diagonals.
void write_matrix(const std::string& path) {
  constexpr int kOrder = 40;
  std::ofstream file(path);
  file << "%%MatrixMarket matrix coordinate real general\n" << kOrder << ' ' << kOrder << ' ' << 3 * kOrder - 2 << '\n';
  for (int i = 1; i <= kOrder; ++i) {
    file << i << ' ' << i << " 4\n";
    if (i > 1) file << i << ' ' << i - 1 << " -1\n" << i - 1 << ' ' << i << " -1.5\n";
  }
}

/// The name of a definition in the schema, and the command whose output must conform to it.
struct Checked {
  std::string definition;
  Words words;
};

std::vector<Checked> cases(const std::string& folder) {
  const std::string matrix = folder + "/a.mtx";
  const std::string models = folder + "/models";
  std::vector<Checked> all{
      {"run",
       {"run", "cholesky", "--n", "128", "--tile", "64", "--check", "--metrics", "--report", "--repeat", "2", "--trace",
        folder + "/t.json"}},
      {"run",
       {"run", "lu", "--n", "128", "--emulated-gpus", "1", "--policy", "dada:alpha=0.5,cp", "--report", "--models",
        models}},
      {"run", {"run", "sparse-lu", "--n", "4", "--block", "16", "--super", "2", "--check"}},
      {"run", {"run", "sparse-lu", "--structure", matrix, "--block", "8", "--super", "1", "--check"}},
      {"solve", {"solve", matrix, "--output", folder + "/x.mtx", "--metrics", "--report"}},
      {"solve", {"solve", matrix, "--sparse", "--report"}},
      {"simulate",
       {"simulate", "cholesky", "--platform", "idgraf-double", "--n", "2048", "--tile", "512", "--gpus", "1-2",
        "--policy", "heft", "--repeat", "2"}},
      {"simulate",
       {"simulate", "sparse-lu", "--platform", "idgraf", "--n", "6", "--gpus", "1", "--policy", "multigrain"}},
      {"model-calibrate",
       {"model", "calibrate", "--tile", "8", "--samples", "3", "--precision", "double", "--emulated-gpus", "1",
        "--models", models}},
      {"model-show", {"model", "show", "--models", models}},
      {"info", {"info", "--clusters", "auto"}},
      {"info-kernels", {"info", "--kernels"}},
      {"experiment-scaling",
       {"experiment", "scaling", "cholesky", "--n", "256", "--tile", "64", "--emulated", "memory=64MiB", "--gpus",
        "1-2", "--policy", "heft", "--repeat", "2", "--check", "--models", "none"}},
  };
  for (const auto& machine : platform::known_machines())
    all.push_back({"info-platform", {"info", "--platform", std::string(machine)}});
  return all;
}

}  // namespace output_schema_cases

BOOST_AUTO_TEST_SUITE(output_schema_of_commands)

using namespace output_schema_cases;

BOOST_AUTO_TEST_CASE(what_commands_print_is_as_the_schema_says) {
  const TemporaryFolder folder;
  const EnvironmentVariable mistaken("TROUPE_CORE", "2");  // `info` reports this misspelt variable.
  write_matrix(folder.path("a.mtx"));
  for (const Checked& one : cases(folder.path())) {
    Words words = one.words;
    words.emplace_back("--json");
    const auto ran = run_program(words);
    BOOST_TEST_CONTEXT(one.definition << ": " << one.words[0] << ' ' << ran.errors) {
      BOOST_REQUIRE(ran.exit_status == 0);
      conforms(Json::parse(ran.output), one.definition);
    }
  }
}

BOOST_AUTO_TEST_CASE(a_drawing_is_named) {
  if (no_gnuplot()) return;
  const TemporaryFolder folder;
  const std::string models = folder.path("models");
  (void)succeeds(
      {"model", "calibrate", "--tile", "8,16", "--samples", "3", "--precision", "double", "--models", models});
  conforms(Json::parse(succeeds({"model", "plot", folder.path("p.svg"), "--models", models, "--json"})), "model-plot");
}

BOOST_AUTO_TEST_CASE(every_command_with_json_is_checked_by_some_test) {
  std::set<std::string> checked{// Checked above, in tests/apps/service or in tests/apps/commands.
                                "troupe model plot", "troupe submit",  "troupe status",
                                "troupe jobs",       "troupe cancel",  "troupe why",
                                "troupe top",        "troupe metrics", "troupe experiment"};
  for (const Checked& one : cases("")) {
    std::string name = "troupe " + one.words[0];
    if (one.words[0] == "model" || one.words[0] == "experiment") name += ' ' + one.words[1];
    checked.insert(name);
  }
  for_each_page(whole_command_line(), [&](const CommandPage& page) {
    const bool has_json =
        std::ranges::any_of(page.options, [](const OptionEntry& option) { return option.names.back() == "--json"; });
    BOOST_TEST(checked.contains(page.name) == has_json, page.name);
  });
}

BOOST_AUTO_TEST_CASE(one_key_means_the_same_wherever_it_stands) {
  const Json& definitions = output_schema().whole()["$defs"];
  for (const auto& [name, definition] : definitions.items()) {
    BOOST_TEST(definition.contains("description"), name << " has no description");
    if (name.starts_with("key.")) continue;
    BOOST_TEST_CONTEXT(name) {
      BOOST_TEST(definition.value("additionalProperties", Json(true)) == false);
      for (const auto& [key, member] : definition["properties"].items()) {
        const Json& inner = member.value("type", "") == "array" ? member["items"] : member;
        const std::string target = inner.value("$ref", "");
        const bool is_object = target.starts_with("#/$defs/object.");
        BOOST_TEST((is_object || member.value("$ref", "") == "#/$defs/key." + key), key << " is described twice");
        BOOST_TEST(definitions.contains(target.substr(std::min(target.size(), target.rfind('/') + 1))), key);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(what_does_not_conform_is_found) {
  const Json good{{"session", 3}, {"tasks", 17}};
  const auto fault = [](const Json& output) { return output_schema().fault_of_command(output, "cancel"); };
  BOOST_TEST(fault(good) == "");
  BOOST_TEST(contains(fault({{"session", 3}}), "\"tasks\" is missing"));
  Json more = good;
  more["worker_s"] = 1;
  BOOST_TEST(contains(fault(more), "/worker_s is not in the schema"));
  BOOST_TEST(contains(fault({{"session", "3"}, {"tasks", 17}}), "/session"));
  BOOST_TEST(contains(fault({{"session", -3}, {"tasks", 17}}), "too small"));
  BOOST_TEST(fault(Json::array()) != "");
}

BOOST_AUTO_TEST_CASE(it_is_a_schema) {
  if (absent({"python3", "-c", "import jsonschema"}, "python3-jsonschema is not installed")) return;
  const auto ran = run_child({"python3", "-c",
                              "import json, jsonschema, sys; "
                              "jsonschema.Draft202012Validator.check_schema(json.load(open(sys.argv[1])))",
                              std::string(TROUPE_SOURCE_DIR) + "/apps/reference/output.schema.json"},
                             "", std::chrono::seconds(60))
                       .value_or_throw();
  BOOST_TEST(ran.exit_status == 0, ran.errors);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
