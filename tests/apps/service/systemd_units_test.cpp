// Tests the unit files with which systemd runs the service.
#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>
#include <string>

#include "tests/apps/troupe_program.hpp"

#ifdef TROUPE_SYSTEMD_FOLDER

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(systemd_units)

namespace {

using namespace tests;

std::string read(const std::string& unit) {
  std::ifstream file(std::string(TROUPE_SYSTEMD_FOLDER) + "/" + unit);
  BOOST_REQUIRE_MESSAGE(file, unit);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns all values of a key in a section.
Words values(const std::string& text, const std::string& section, const std::string& key) {
  Words found;
  std::istringstream lines(text);
  std::string current;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('[')) current = line.substr(1, line.find(']') - 1);
    if (current == section && line.starts_with(key + "=")) found.push_back(line.substr(key.size() + 1));
  }
  return found;
}

Words words_of(const std::string& line) {
  std::istringstream text(line);
  return {std::istream_iterator<std::string>(text), {}};
}

BOOST_AUTO_TEST_CASE(the_command_lines_of_units_are_such_that_the_program_takes_them) {
  for (const std::string unit : {"troupe.service", "user/troupe.service"}) {
    const Words starts = values(read(unit), "Service", "ExecStart");
    BOOST_REQUIRE(starts.size() == 1U);
    Words words = words_of(starts[0]);
    BOOST_REQUIRE(words.size() >= 2U);
    BOOST_TEST(words[0].starts_with('/'));
    BOOST_TEST(words[1] == "serve");
    words.erase(words.begin());
    words.push_back("--print-config");
    BOOST_TEST(contains(succeeds(words), "cancel_after_s = 60"));
  }
}

BOOST_AUTO_TEST_CASE(sockets_are_where_clients_look_and_of_the_kinds_that_the_service_knows) {
  for (const auto& [unit, folder] : {std::pair{"troupe.socket", "/run/troupe"}, {"user/troupe.socket", "%t/troupe"}}) {
    const std::string text = read(unit);
    BOOST_TEST(values(text, "Socket", "ListenStream") == Words{std::string(folder) + "/service.sock"},
               boost::test_tools::per_element());
    BOOST_TEST(values(text, "Socket", "ListenSequentialPacket") == Words{std::string(folder) + "/memory.sock"},
               boost::test_tools::per_element());
    const Words mode = values(text, "Socket", "SocketMode");
    BOOST_REQUIRE(mode.size() == 1U);
    BOOST_TEST(mode[0].ends_with('0'));  // Other users have no access.
  }
}

BOOST_AUTO_TEST_CASE(the_service_of_the_node_has_no_privileges) {
  const std::string text = read("troupe.service");
  for (const auto& [key, value] : std::map<std::string, std::string>{{"NoNewPrivileges", "yes"},
                                                                     {"ProtectSystem", "strict"},
                                                                     {"CapabilityBoundingSet", ""},
                                                                     {"User", "troupe"},
                                                                     {"Type", "notify"}}) {
    BOOST_TEST(values(text, "Service", key) == Words{value}, boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(systemd_finds_nothing_wrong) {
  if (absent({"systemd-analyze", "--version"}, "systemd-analyze is not installed")) return;
  for (const std::string kind : {"system", "user"}) {
    // Nothing is installed yet, so the test replaces the program and the documents in the units by existing ones.
    const TemporaryFolder folder;
    const std::string below = kind == "user" ? "user/" : "";
    for (const std::string unit : {"troupe.service", "troupe.socket"}) {
      std::string text = read(below + unit);
      text = std::regex_replace(text, std::regex("ExecStart=[^ ]*"), "ExecStart=" + program_path());
      text = std::regex_replace(text, std::regex("Documentation=.*"), "Documentation=https://example.org/");
      folder.write(unit, text);
    }
    Words words{"env",      "XDG_RUNTIME_DIR=" + folder.path(), "systemd-analyze",           "verify", "--" + kind,
                "--man=no", folder.path("troupe.service"),      folder.path("troupe.socket")};
    const auto ran = platform::run_child(words, "", std::chrono::seconds(120)).value_or_throw();
    BOOST_TEST(ran.exit_status == 0, ran.errors);
    // The tool systemd-analyze also reports problems of other units. Messages about Troupe's units contain "troupe.".
    BOOST_TEST(!contains(ran.errors, "troupe."), ran.errors);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps

#endif
