#include "apps/reference/man_page.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <fstream>

#include "tests/apps/troupe_program.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::apps {

namespace man_pages_cases {

using tests::contains;

/// Returns the text as it stands in a manual page, where "\-" stands for a hyphen.
std::string in_roff(std::string text) {
  for (std::size_t at = text.find('-'); at != std::string::npos; at = text.find('-', at + 2)) text.insert(at, "\\");
  return text;
}

const ManPage& page_named(const std::vector<ManPage>& pages, const std::string& file) {
  const auto found = std::ranges::find(pages, file, &ManPage::file);
  BOOST_REQUIRE_MESSAGE(found != pages.end(), file);
  return *found;
}

/// Checks that the program has no complaints about any manual page, except lines that contain `but_for`.
void finds_nothing(const tests::Words& program, const std::string& but_for = "") {
  const tests::TemporaryFolder folder;
  for (const ManPage& page : man_pages(whole_command_line())) {
    const std::string path = folder.path(page.file);
    std::ofstream(path) << page.text;
    tests::Words words = program;
    words.push_back(path);
    const auto ran = tests::run_child(words, "", std::chrono::seconds(60)).value_or_throw();
    std::string said = ran.errors.empty() && program.front() == "mandoc" ? ran.output : ran.errors;
    std::string rest;
    for (std::size_t at = 0; at < said.size();) {
      const std::size_t end = std::min(said.find('\n', at), said.size());
      const std::string line = said.substr(at, end - at);
      if (but_for.empty() || !contains(line, but_for)) rest += line + '\n';
      at = end + 1;
    }
    BOOST_TEST(rest == "", page.file << ": " << rest);
  }
}

}  // namespace man_pages_cases

BOOST_AUTO_TEST_SUITE(manual_pages)

using namespace man_pages_cases;

BOOST_AUTO_TEST_CASE(every_command_has_a_page_with_all_its_options) {
  const CommandPage whole = whole_command_line();
  const std::vector<ManPage> pages = man_pages(whole);
  BOOST_TEST(pages.size() == whole.commands.size() + 1);
  for (const CommandPage& command : whole.commands) {
    const std::string& text = page_named(pages, "troupe-" + command.last_name() + ".1").text;
    for_each_page(command, [&](const CommandPage& part) {
      BOOST_TEST(contains(text, in_roff(part.name)), part.name);
      for (const OptionEntry& option : part.options) {
        for (const std::string& name : option.names) {
          BOOST_TEST(contains(text, "\\fB" + in_roff(name) + "\\fR"), part.name << ' ' << name);
        }
      }
    });
    BOOST_TEST(contains(page_named(pages, "troupe.1").text, "\\fB" + in_roff(command.last_name()) + "\\fR"));
  }
}

BOOST_AUTO_TEST_CASE(what_would_be_a_request_is_text) {
  CommandPage page{"troupe", "First", {}, {}, {}};
  page.commands.push_back({"troupe odd", ".TH is no request, nor is \\n", {}, {}, {}});
  const std::vector<ManPage> pages = man_pages(page);
  BOOST_TEST(contains(page_named(pages, "troupe-odd.1").text, "\n\\&.TH is no request, nor is \\en.\n"));
}

BOOST_AUTO_TEST_CASE(man_shows_them_without_a_warning) {
  if (tests::absent({"man", "--version"}, "man is not installed")) return;
  finds_nothing({"man", "--warnings", "-E", "UTF-8", "-Tutf8", "-Z", "-l"});
}

BOOST_AUTO_TEST_CASE(mandoc_shows_them_without_a_warning) {
  const auto there = tests::run_child({"mandoc", "-T", "lint", "/dev/null"}, "", std::chrono::seconds(60));
  if (!there) return tests::skip("mandoc is not installed");
  // Pages have no date, because two builds from the same source must be equal.
  finds_nothing({"mandoc", "-T", "lint", "-W", "warning"}, "missing date");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
