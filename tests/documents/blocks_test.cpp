// Tests that every block of code in the manual is compiled by a test, or that its marker says why not.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <string>

#include "tests/documents/manual.hpp"

namespace troupe::documents {

BOOST_AUTO_TEST_SUITE(blocks_of_the_manual)

namespace {

namespace fs = std::filesystem;

bool is_compiled_language(const std::string& language) {
  return language == "cpp" || language == "c" || language == "cuda" || language == "fortran";
}

/// Returns the text of all files that compile blocks of a document: the tests in this folder and the scripts in tests/.
const std::string& tests_text() {
  static const std::string all = [] {
    std::string text;
    for (const char* folder : {"tests/documents", "tests"}) {
      for (const auto& entry : fs::directory_iterator(fs::path(TROUPE_SOURCE_DIR) / folder)) {
        const std::string extension = entry.path().extension();
        if (extension == ".cpp" || extension == ".cmake" || entry.path().filename() == "CMakeLists.txt")
          text += content(entry.path());
      }
    }
    return text;
  }();
  return all;
}

/// Returns true if a test includes the block or compiles it as a whole program.
bool is_compiled(const std::string& page, const std::string& name) {
  const std::string stem = fs::path(page).stem();
  const auto found = [](const std::string& text) { return tests_text().find(text) != std::string::npos; };
  return found("document_blocks/" + stem + "/" + name + ".inc") ||
         found("document_program(" + name + " " + page + ")") || found(page + " \"example: " + name + "\"");
}

/// Returns true if the file contains the block. The block may be indented in the file, for example in the body of a
/// function.
bool is_part_of(const std::string& block, const std::string& file) {
  for (const char* indent : {"", "  ", "    ", "      "}) {
    std::string moved;
    std::istringstream lines(block);
    for (std::string line; std::getline(lines, line);) moved += (line.empty() ? "" : indent + line) + "\n";
    if (("\n" + file).find("\n" + moved) != std::string::npos) return true;
  }
  return false;
}

BOOST_AUTO_TEST_CASE(have_a_test_that_compiles_them_or_a_reason) {
  int compiled = 0, shown = 0;
  for (const Page& page : pages()) {
    for (const CodeBlock& block : page.blocks) {
      if (!is_compiled_language(block.language)) continue;
      BOOST_TEST_CONTEXT(page.path << ":" << block.line) {
        const std::size_t colon = block.marker.find(": ");
        const std::string kind = block.marker.substr(0, colon);
        const std::string name = colon == std::string::npos ? "" : block.marker.substr(colon + 2);
        if (kind == "example" && name.find('/') != std::string::npos) {
          // The block is part of a source file, which other code compiles.
          BOOST_TEST(is_part_of(block.text, content(name)), "this is not in " << name << " word for word");
          ++shown;
        } else if (kind == "example") {
          BOOST_TEST(is_compiled(page.path, name), "no test in tests/documents includes '" << name << "'");
          ++compiled;
        } else {
          BOOST_TEST((kind == "not compiled" && !name.empty()),
                     "write <!-- example: NAME --> on the line before, and include <document_blocks/"
                         << fs::path(page.path).stem().string()
                         << "/NAME.inc> in a test of tests/documents; or <!-- example: PATH --> where it is a part of "
                            "that file; or <!-- not compiled: why -->");
        }
      }
    }
  }
  BOOST_TEST(compiled > 20);
  BOOST_TEST(shown > 5);
}

BOOST_AUTO_TEST_CASE(are_fenced_so_that_their_language_is_known) {
  const std::regex statement("^    .*[;{](\\s*//.*)?$");
  for (const Page& page : pages()) {
    for (std::size_t i = 0; i < page.prose.size(); ++i) {
      BOOST_TEST(!std::regex_match(page.prose[i], statement),
                 page.path << ":" << i + 1 << " looks like code: put it between ```cpp and ```");
    }
  }
}

/// Checks that every block which a test includes exists in a document.
BOOST_AUTO_TEST_CASE(are_not_compiled_in_vain) {
  const std::regex include("#include <document_blocks/([^/]+)/([^.]+)\\.inc>");
  const std::string& text = tests_text();
  for (std::sregex_iterator match(text.begin(), text.end(), include), end; match != end; ++match) {
    const std::string page = ((*match)[1] == "README" ? "" : "docs/") + (*match)[1].str() + ".md";
    BOOST_TEST((content(page).find("<!-- example: " + (*match)[2].str() + " -->") != std::string::npos),
               page << " has no example " << (*match)[2]);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::documents
