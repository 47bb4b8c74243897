// The tables of docs/environment.md are those of the code.
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

std::string join(std::initializer_list<std::string> cells) {
  std::string row = "|";
  for (const std::string& cell : cells) row += " " + cell + " |";
  return row + "\n";
}

std::string code(std::string_view text) { return text.empty() ? "" : "`" + std::string(text) + "`"; }

std::string variables_table() {
  std::string table = join({"variable", "values", "meaning", "sets", "virtual time"}) + "|---|---|---|---|---|\n";
  for (const client::Variable& one : client::variables()) {
    table += join({code(one.name), std::string(one.values), std::string(one.meaning), code(one.option),
                   one.watches ? "yes" : ""});
  }
  return table;
}

std::string others_table() {
  std::string table = join({"variable", "meaning"}) + "|---|---|\n";
  for (const client::OtherVariable& one : client::other_variables()) {
    table += join({code(one.name), std::string(one.meaning)});
  }
  return table;
}

/// The document's text between the two marks of a table.
std::string marked(const std::string& document, const std::string& name) {
  const std::string begin = "<!-- table: " + name + " -->\n";
  const auto from = document.find(begin);
  const auto to = document.find("<!-- end -->", from);
  if (from == std::string::npos || to == std::string::npos) return "the document has no table '" + name + "'";
  return document.substr(from + begin.size(), to - from - begin.size());
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_tables_of_the_manual_are_those_of_the_code) {
  const std::string document = text_of(fs::path(TROUPE_SOURCE_DIR) / "docs/environment.md");
  // On failure the expected text is printed, ready to be put into the document.
  BOOST_TEST(marked(document, "variables") == variables_table(), "\n" << variables_table());
  BOOST_TEST(marked(document, "others") == others_table(), "\n" << others_table());
}

BOOST_AUTO_TEST_CASE(every_variable_that_anything_reads_is_in_a_table_and_not_read_with_more_rights_than_the_users) {
  std::set<std::string> known;
  for (const client::Variable& one : client::variables()) known.emplace(one.name);
  for (const client::OtherVariable& one : client::other_variables()) known.emplace(one.name);
  // `environment_value` asks whether the program has more rights.
  const std::regex reads("(getenv|environment_value)\\(\"(TROUPE_[A-Z_]+)\"");
  std::size_t found = 0;
  for (const char* folder : {"proto", "graph", "platform", "actors", "client", "kernels", "linalg", "traces", "opencl",
                             "service", "apps", "bench", "tests/support"}) {
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
