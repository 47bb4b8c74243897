// Tests that the links of the manual are valid, and that its index links to every page.
#include <boost/test/unit_test.hpp>
#include <cctype>
#include <filesystem>
#include <regex>
#include <set>
#include <string>

#include "tests/documents/manual.hpp"

namespace troupe::documents {

BOOST_AUTO_TEST_SUITE(links_of_the_manual)

namespace {

namespace fs = std::filesystem;

/// Returns the anchor that GitHub generates for a heading.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_') {
      anchor += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (c == ' ') {
      anchor += '-';
    }
  }
  return anchor;
}

std::set<std::string> anchors_of(const fs::path& path) {
  std::set<std::string> anchors;
  for (const std::string& line : read_page(path.string()).prose) {
    const std::size_t text = line.find_first_not_of('#');
    if (text > 0 && text < line.size() && line[text] == ' ') anchors.insert(anchor_of(line.substr(text + 1)));
  }
  return anchors;
}

BOOST_AUTO_TEST_CASE(lead_to_files_and_headings_that_are_there) {
  const std::regex link("\\]\\(([^)#\\s]*)(#([^)\\s]*))?\\)");
  int followed = 0;
  for (const Page& page : pages()) {
    for (std::size_t i = 0; i < page.prose.size(); ++i) {
      const std::string& line = page.prose[i];
      for (std::sregex_iterator match(line.begin(), line.end(), link), end; match != end; ++match) {
        const std::string target = (*match)[1], anchor = (*match)[3];
        if (target.find(':') != std::string::npos) continue;
        const fs::path path =
            target.empty() ? fs::path(page.path) : (fs::path(page.path).parent_path() / target).lexically_normal();
        ++followed;
        BOOST_TEST_CONTEXT(page.path << ":" << i + 1 << ": " << match->str()) {
          BOOST_TEST(fs::exists(fs::path(TROUPE_SOURCE_DIR) / path));
          if (!anchor.empty()) BOOST_TEST(anchors_of(path).count(anchor) == 1U);
        }
      }
    }
  }
  BOOST_TEST(followed > 100);
}

BOOST_AUTO_TEST_CASE(of_the_index_lead_to_every_page) {
  const std::string index = content("docs/README.md");
  for (const Page& page : pages()) {
    if (!page.path.starts_with("docs/") || page.path == "docs/README.md") continue;
    BOOST_TEST((index.find("(" + fs::path(page.path).filename().string() + ")") != std::string::npos),
               page.path << " is not in docs/README.md");
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::documents
