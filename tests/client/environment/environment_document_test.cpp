// Tests that docs/environment.md, which is generated from the code, lists every environment variable that the code
// reads.
#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "client/environment/variables.hpp"

namespace troupe {

BOOST_AUTO_TEST_SUITE(environment_document)

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_variable_that_anything_reads_is_in_a_table_and_not_read_with_more_rights_than_the_users) {
  std::set<std::string> known;
  for (const client::Variable& one : client::variables()) known.emplace(one.name);
  for (const client::OtherVariable& one : client::other_variables()) known.emplace(one.name);
  // `environment_value` does what `getenv` does, but safely in programs that have more rights than their user.
  const std::regex reads("(getenv|environment_value)\\(\"(TROUPE_[A-Z_]+)\"");
  std::size_t found = 0;
  for (const char* folder : {"proto", "graph", "platform", "actors", "client", "kernels", "linalg", "traces", "opencl",
                             "c", "service", "apps", "lab", "tests/support"}) {
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(TROUPE_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".cpp") continue;
      const std::string text = text_of(entry.path());
      if (text.find("TROUPE_") == std::string::npos) continue;
      for (auto match = std::sregex_iterator(text.begin(), text.end(), reads); match != std::sregex_iterator();
           ++match) {
        ++found;
        BOOST_TEST(known.contains((*match)[2].str()), entry.path() << " reads " << (*match)[2].str());
        BOOST_TEST((*match)[1].str() == "environment_value", entry.path() << " reads " << (*match)[2].str());
      }
    }
  }
  BOOST_TEST(found >= 5U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
