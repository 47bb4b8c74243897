// Tests that the plug-in in the manual is the plug-in that is built.
#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build
#include <fstream>
#include <iterator>
#include <string>

namespace troupe::service {

BOOST_AUTO_TEST_SUITE(documentation)

namespace {

std::string read(const std::string& name) {
  std::ifstream file(std::string(TROUPE_SOURCE_DIR) + "/docs/" + name);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Returns the text between two texts.
std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin);
  const std::size_t to = text.find(end, from);
  BOOST_REQUIRE_MESSAGE(from != std::string::npos && to != std::string::npos, begin);
  return text.substr(from + begin.size(), to - from - begin.size());
}

BOOST_AUTO_TEST_CASE(the_manuals_plugins_are_those_that_are_built_and_tested) {
  for (const std::string name : {"plugin.cpp", "nested_plugin.cpp"}) {
    const std::string shown =
        between(read("plugins.md"), "<!-- example: docs/examples/" + name + " -->\n```cpp\n", "```\n");
    const std::string built = read("examples/" + name);
    BOOST_TEST((built.substr(built.find("#include")) == shown), name);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::service
