#include "service/configuration/configuration.hpp"

#include <sys/stat.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <limits>
#include <string>

#include "service/configuration/configuration_keys.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::service {

BOOST_AUTO_TEST_SUITE(configuration_file)

namespace {

using tests::contains;

Configuration read(const std::string& text) {
  Configuration result;
  const auto outcome = read_configuration_text(text, "service.toml", result);
  BOOST_REQUIRE_MESSAGE(outcome.ok(), (outcome ? "" : outcome.failure().message));
  return result;
}

std::string refusal(const std::string& text) {
  Configuration result;
  const auto outcome = read_configuration_text(text, "service.toml", result);
  BOOST_REQUIRE_MESSAGE(!outcome.ok(), text);
  BOOST_TEST((outcome.failure().code == ErrorCode::bad_input));
  return outcome.failure().message;
}

/// Returns a valid value of the key that differs from its default.
std::string other_value(const ConfigurationKey& key) {
  if (key.name.starts_with("limits.memory")) return "\"3GiB\"";
  if (key.name == "log.format") return "\"json\"";
  if (key.name == "log.file") return R"("/a \"quoted\"\tplace")";
  switch (key.kind) {
    case ValueKind::flag: return key.get({}).front() == "true" ? "false" : "true";
    case ValueKind::whole: return "7";
    case ValueKind::number: return "0.5";
    case ValueKind::text: return "\"" + key.row->example_list().front() + "\"";
    case ValueKind::texts: return R"(["/one", "/two, three"])";
    case ValueKind::weights: return R"({ alice = 2, "bob the builder" = 0.25 })";
  }
  return "";
}

BOOST_AUTO_TEST_CASE(values_arrive_where_they_belong) {
  const Configuration read_back = read(R"(
[socket]
folder = "/run/elsewhere"
group = "hpc"
inherit = false
[limits]
clients = 3
tasks = 1000
memory = "2GiB"
[weights]
other = 0.5
users = { alice = 2 }
[weights.groups]
hpc = 3.5
[runtime]
cores = 2
policy = "lws"
emulated_gpus = "2:memory=64MiB"
gpu_memory = "8GiB"
opencl = "0,2"
opencl_memory = "1GiB"
opencl_copies = true
[plugins]
folders = ["/opt/plugins"]
strict = true
[http]
enabled = true
port = 0
[log]
format = "json"
level = "debug"
)");
  BOOST_TEST(read_back.server.folder == "/run/elsewhere");
  BOOST_TEST(read_back.server.group == "hpc");
  BOOST_TEST(!read_back.server.inherit_sockets);
  BOOST_TEST(read_back.server.sessions == 3U);
  BOOST_TEST(read_back.server.limits.tasks == 1000U);
  BOOST_TEST(read_back.server.limits.memory.count == 2ULL << 30U);
  BOOST_TEST(read_back.weights.other == 0.5);
  BOOST_TEST(read_back.weights.users.at("alice") == 2);
  BOOST_TEST(read_back.weights.groups.at("hpc") == 3.5);
  BOOST_TEST(read_back.server.runtime.cores == 2);
  BOOST_TEST(read_back.server.runtime.accelerators.emulated_gpus.size() == 2U);
  BOOST_TEST(read_back.server.runtime.accelerators.gpu_memory->count == 8ULL << 30U);
  BOOST_TEST(read_back.server.runtime.accelerators.opencl == "0,2");
  BOOST_TEST(read_back.server.runtime.accelerators.opencl_memory->count == 1ULL << 30U);
  BOOST_TEST(read_back.server.runtime.accelerators.opencl_copies);
  BOOST_TEST(read_back.plugins.folders.at(0) == "/opt/plugins");
  BOOST_TEST(read_back.plugins.strict);
  BOOST_TEST(read_back.http.enabled);
  BOOST_TEST(read_back.http.port == 0);
  BOOST_TEST((read_back.log.format == LogFormat::json));
  BOOST_TEST((read_back.log.level == LogLevel::debug));
}

BOOST_AUTO_TEST_CASE(what_is_printed_reads_back_to_the_same) {
  BOOST_TEST(to_toml(read(to_toml({}))) == to_toml({}));
  for (const ConfigurationKey& key : configuration_keys()) {
    const std::string text =
        "[" + std::string(key.section()) + "]\n" + std::string(key.last_name()) + " = " + other_value(key) + "\n";
    const Configuration changed = read(text);
    BOOST_TEST((key.get(changed) != key.get({})), text);
    const Configuration again = read(to_toml(changed));
    for (const ConfigurationKey& other : configuration_keys()) {
      BOOST_TEST((other.get(again) == other.get(changed)), text << " changed " << other.name);
    }
    BOOST_TEST(to_toml(again) == to_toml(changed), text);
  }
}

BOOST_AUTO_TEST_CASE(every_key_says_what_it_is_and_keys_of_a_section_follow_one_another) {
  std::vector<std::string> sections;
  for (const ConfigurationKey& key : configuration_keys()) {
    BOOST_TEST(!key.description.empty());
    BOOST_TEST(find_key(key.name) == &key);
    const std::string section(key.section());
    if (sections.empty() || sections.back() != section) {
      BOOST_TEST((std::find(sections.begin(), sections.end(), section) == sections.end()), section);
      sections.push_back(section);
    }
    BOOST_TEST(contains(to_toml({}), "# " + key.description + "\n" + std::string(key.last_name()) + " = "));
  }
}

BOOST_AUTO_TEST_CASE(unknown_keys_are_errors_that_name_file_line_and_the_nearest_key) {
  const std::string message = refusal("[limits]\ntasks = 5\nmemmory = \"1GiB\"\n");
  BOOST_TEST(contains(message, "service.toml, line 3"), message);
  BOOST_TEST(contains(message, "limits.memmory"), message);
  BOOST_TEST(contains(message, "did you mean \"limits.memory\"?"), message);
  BOOST_TEST(contains(refusal("[runtime]\nport = 1\n"), "did you mean \"http.port\"?"));
  BOOST_TEST(contains(refusal("\n[limit]\ntasks = 1\n"), "line 2"));
  BOOST_TEST(!contains(refusal("[entirely_different_things]\n"), "did you mean"));
  BOOST_TEST(contains(refusal("cores = 2\n"), "line 1"));
  BOOST_TEST(contains(refusal("limits = 2\n"), "must be a section"));
}

BOOST_AUTO_TEST_CASE(wrong_types_are_errors_that_say_what_is_wanted) {
  const std::string message = refusal("[limits]\n\ntasks = true\n");
  BOOST_TEST(contains(message, "line 3"), message);
  BOOST_TEST(contains(message, "\"limits.tasks\" must be a whole number"), message);
  BOOST_TEST(refusal("[limits]\ntasks = \"many\"\n") ==
             "service.toml, line 2: \"limits.tasks\": 'many' is no whole number: give a whole number from 1 to "
             "9223372036854775807");
  for (const ConfigurationKey& key : configuration_keys()) {
    for (const std::string value : {"1979-05-27", "{ a = \"b\" }", "[1]", "nan"}) {
      if (key.kind == ValueKind::number && value == "nan") continue;
      const std::string text =
          "[" + std::string(key.section()) + "]\n" + std::string(key.last_name()) + " = " + value + "\n";
      BOOST_TEST(contains(refusal(text), "\"" + key.name + "\" must be "), text);
    }
  }
}

BOOST_AUTO_TEST_CASE(values_that_cannot_be_used_are_errors) {
  for (const std::string text : {"[limits]\ntasks = 0",
                                 "[limits]\ntasks = -1",
                                 "[limits]\nmemory = \"0B\"",
                                 "[limits]\nmemory = \"much\"",
                                 "[runtime]\npolicy = \"fastest\"",
                                 "[runtime]\nemulated_gpus = \"2:colour=red\"",
                                 "[http]\nport = 65536",
                                 "[socket]\nfolder = \"relative\"",
                                 "[plugins]\nfolders = [\"relative\"]",
                                 "[plugins]\nfolders = [\"\"]",
                                 "[weights]\nother = 0",
                                 "[weights]\nother = 1e-320",
                                 "[limits]\nkernel_s = -1",
                                 "[weights]\nother = nan",
                                 "[weights]\nusers = { alice = -1 }",
                                 "[weights]\ngroups = { hpc = inf }",
                                 "[log]\nformat = \"xml\"",
                                 "[log]\nlevel = \"loud\"",
                                 "[runtime]\neviction = \"random\"",
                                 "[runtime]\ngpu_memory = \"none\"",
                                 "[runtime]\nseed = -1"}) {
    BOOST_TEST(contains(refusal(text), "service.toml, line 2"), text);
  }
}

BOOST_AUTO_TEST_CASE(options_of_the_runtime_may_be_texts_and_have_former_names) {
  // The largest seed is larger than any integer of TOML, so it is given as text.
  const Configuration large = read("[runtime]\nseed = \"18446744073709551615\"\ncpus = \"0-1\"\n");
  BOOST_TEST(large.server.runtime.seed == std::numeric_limits<std::uint64_t>::max());
  BOOST_TEST(to_toml(read(to_toml(large))) == to_toml(large));
  BOOST_TEST(to_toml(read("[runtime]\nrestrict_to = \"0-1\"\n")) == to_toml(read("[runtime]\ncpus = \"0-1\"\n")));
  BOOST_TEST(refusal("[runtime]\nmodels = \"times\"\n") ==
             "service.toml, line 2: \"runtime.models\": 'times' is no absolute path: give one, default or none");
}

BOOST_AUTO_TEST_CASE(what_is_no_toml_is_an_error_with_its_line) {
  BOOST_TEST(contains(refusal("[limits]\ntasks = \n"), "service.toml, line 2"));
  BOOST_TEST(contains(refusal("[limits]\ntasks = 1\ntasks = 2\n"), "service.toml, line 3"));
  refusal("\xff\xfe");
}

BOOST_AUTO_TEST_CASE(files_that_cannot_be_read_are_errors) {
  const tests::TemporaryFolder folder;
  Configuration configuration;
  const auto missing = read_configuration(folder.path("missing.toml"), configuration);
  BOOST_REQUIRE(!missing.ok());
  BOOST_TEST(contains(missing.failure().message, "missing.toml"));
  BOOST_TEST(!read_configuration("/dev/zero", configuration).ok());
  BOOST_REQUIRE(::mkfifo(folder.path("pipe").c_str(), 0600) == 0);
  const auto pipe = read_configuration(folder.path("pipe"), configuration);
  BOOST_REQUIRE(!pipe.ok());
  // No process writes to this pipe, so reading it would never end.
  BOOST_TEST(contains(pipe.failure().message, "pipe is no file"), pipe.failure().message);
  BOOST_TEST(read_configuration(folder.write("good.toml", "[limits]\ntasks = 9\n"), configuration).ok());
  BOOST_TEST(configuration.server.limits.tasks == 9U);
  std::filesystem::permissions(folder.path("good.toml"), std::filesystem::perms(0666));
  const auto anybodys = read_configuration(folder.path("good.toml"), configuration);
  BOOST_REQUIRE(!anybodys.ok());
  BOOST_TEST(contains(anybodys.failure().message, "can be written by others"), anybodys.failure().message);
}

BOOST_AUTO_TEST_CASE(the_command_line_overrides_one_key_at_a_time) {
  Configuration configuration = read("[limits]\ntasks = 9\n[weights]\nusers = { alice = 2, bob = 1 }\n");
  const auto set = [&](const char* name, std::vector<std::string> given) {
    return set_from_text(*find_key(name), given, configuration);
  };
  BOOST_TEST(set("limits.tasks", {"10"}).ok());
  BOOST_TEST(set("weights.users", {"alice=3", "carol=0.5"}).ok());
  BOOST_TEST(set("plugins.folders", {"/a", "/b"}).ok());
  BOOST_TEST(set("http.enabled", {"true"}).ok());
  BOOST_TEST(set("weights.other", {"0.25"}).ok());
  BOOST_TEST(configuration.server.limits.tasks == 10U);
  BOOST_TEST(configuration.weights.users.size() == 3U);
  BOOST_TEST(configuration.weights.users.at("alice") == 3);
  BOOST_TEST(configuration.plugins.folders.size() == 2U);
  BOOST_TEST(configuration.http.enabled);
  BOOST_TEST(configuration.weights.other == 0.25);
  for (const auto& [name, value] :
       std::initializer_list<std::pair<const char*, const char*>>{{"limits.tasks", "ten"},
                                                                  {"limits.tasks", "0"},
                                                                  {"http.enabled", "maybe"},
                                                                  {"weights.users", "alice"},
                                                                  {"weights.users", "=2"},
                                                                  {"weights.users", "alice=0"},
                                                                  {"weights.other", "x"},
                                                                  {"weights.other", "1e-320"},
                                                                  {"weights.users", "alice=1e-7"},
                                                                  {"log.level", "loud"}}) {
    const auto outcome = set(name, {value});
    BOOST_REQUIRE_MESSAGE(!outcome.ok(), name << " " << value);
    BOOST_TEST((outcome.failure().code == ErrorCode::invalid_argument));
    BOOST_TEST(contains(outcome.failure().message, "--" + std::string(name)), outcome.failure().message);
  }
}

BOOST_AUTO_TEST_CASE(http_beyond_this_machine_needs_a_token) {
  Configuration configuration;
  configuration.http.enabled = true;
  for (const char* address : {"127.0.0.1", "127.1.2.3", "::1"}) {
    configuration.http.address = address;
    BOOST_TEST(check(configuration).ok(), address);
  }
  for (const char* address : {"0.0.0.0", "::", "192.168.0.1", "::ffff:127.0.0.1"}) {
    configuration.http.address = address;
    configuration.http.token_file.clear();
    BOOST_TEST(!check(configuration).ok(), address);
    configuration.http.token_file = "/etc/troupe/token";
    BOOST_TEST(check(configuration).ok(), address);
  }
  configuration.http.address = "localhost";
  BOOST_TEST(!check(configuration).ok());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::service
