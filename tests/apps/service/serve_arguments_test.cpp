// Tests the arguments of `troupe serve`. The program prints its configuration and ends.
#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build
#include <string>

#include "tests/apps/troupe_program.hpp"

#ifdef TROUPE_SYSTEMD_FOLDER  // The macro is only defined in builds with the service.

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(serve_arguments)

namespace {

using namespace tests;

std::string print(Words words) {
  words.insert(words.begin(), "serve");
  words.push_back("--print-config");
  return succeeds(words);
}

BOOST_AUTO_TEST_CASE(the_printed_configuration_reads_back_to_itself) {
  const TemporaryFolder folder;
  const std::string first =
      print({"--limits.tasks", "123", "--cores", "2", "--weights.users", "root=2", "--weights.users", "4000000000=0.5",
             "--plugins.folders", "/one", "--plugins.folders", "/two", "--strict-plugins", "--http-port", "0",
             "--emulated-gpus", "2:memory=64MiB", "--policy", "dada:alpha=0.5,cp"});
  for (const char* part : {"tasks = 123", "cores = 2", "root = 2", "0.5", "/one", "/two", "strict = true", "port = 0",
                           "2:memory=64MiB", "dada:alpha=0.5,cp"}) {
    BOOST_TEST(contains(first, part), part << " is missing in\n" << first);
  }
  BOOST_TEST(print({"--config", folder.write("a.toml", first)}) == first);
}

BOOST_AUTO_TEST_CASE(the_command_line_wins_over_the_file) {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.toml", "[limits]\ntasks = 5\nclients = 6\n");
  const std::string text = print({"--config", file, "--limits.tasks", "7"});
  BOOST_TEST(contains(text, "tasks = 7"));
  BOOST_TEST(contains(text, "clients = 6"));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_used_ends_with_2_and_one_line) {
  const TemporaryFolder folder;
  fails(2, {"serve", "--config", folder.write("a.toml", "[limits]\ntasks = 5\nmemry = \"1GiB\"\n"), "--print-config"},
        {"a.toml, line 3", "limits.memory"});
  fails(2, {"serve", "--config", folder.path("missing.toml")}, {"missing.toml"});
  fails(2, {"serve", "--limits.tasks", "0"}, {"--limits.tasks"});
  fails(2, {"serve", "--http.enabled", "true", "--http.address", "0.0.0.0"}, {"http.token_file"});
  fails(2, {"serve", "--no-such-option"}, {"--no-such-option"});
  fails(2, {"serve", "--socket-folder", folder.path("s"), "--restrict", "pudding:cores"},
        {"runtime.restrict", "no codelet is called 'pudding'", "potrf"});
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps

#endif
