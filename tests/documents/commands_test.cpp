// Tests that the commands and options in the manual exist.
#include <boost/test/unit_test.hpp>
#include <cctype>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/apps/troupe_program.hpp"
#include "tests/documents/manual.hpp"

namespace troupe::documents {

BOOST_AUTO_TEST_SUITE(commands_of_the_manual)

namespace {

using tests::Words;

struct Command {
  std::string where;
  /// The words of the command line after "troupe".
  Words words;
};

/// Returns the words before a comment, a pipe or another part that a shell does not give to the program.
Words words_of(const std::string& text) {
  Words words;
  std::istringstream in(text);
  for (std::string word; in >> word;) {
    if (word == "#" || word == "|" || word == "&" || word == ">" || word.find_first_of(";…") == 0) break;
    words.push_back(word);
  }
  return words;
}

std::vector<Command> commands() {
  const std::regex alone(R"(^ *(\S*/)?troupe +([a-z].*)$)"), quoted("`troupe ([a-z][^`]*)`");
  std::vector<Command> found;
  for (const Page& page : pages()) {
    for (std::size_t i = 0; i < page.lines.size(); ++i) {
      const std::string where = page.path + ":" + std::to_string(i + 1);
      std::string line = page.lines[i];
      for (std::sregex_iterator match(line.begin(), line.end(), quoted), end; match != end; ++match) {
        found.push_back({where, words_of((*match)[1])});
      }
      // Only an indented or fenced line can be a command line of its own.
      if (!line.starts_with("    ") && page.prose[i] != "") continue;
      while (line.ends_with("\\") && i + 1 < page.lines.size()) {
        line.pop_back();
        line += " " + page.lines[++i];
      }
      std::smatch match;
      if (std::regex_match(line, match, alone)) found.push_back({where, words_of(match[2])});
    }
  }
  return found;
}

const std::string& help_of(const Words& command) {
  static std::map<Words, std::string> known;
  auto [at, is_new] = known.try_emplace(command);
  if (is_new) {
    Words asked = command;
    asked.push_back("--help");
    const auto ran = tests::run_program(asked);
    at->second = ran.exit_status == 0 ? ran.output : "";
  }
  return at->second;
}

const std::string& configuration() {
  static const std::string all = tests::succeeds({"serve", "--print-config"});
  return all;
}

bool has_word(const std::string& text, const std::string& word) {
  const auto inside = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || c == '.';
  };
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t after = at + word.size();
    if ((at == 0 || !inside(text[at - 1])) && (after >= text.size() || !inside(text[after]))) return true;
  }
  return false;
}

BOOST_AUTO_TEST_CASE(exist_and_have_the_options_that_they_are_shown_with) {
  int seen = 0;
  for (const Command& command : commands()) {
    const Words& words = command.words;
    // The commands of `troupe bench` only exist if the benchmarks were built.
    if (words.empty() || words[0] == "bench") continue;
    BOOST_TEST_CONTEXT(command.where << ": troupe " << words[0]) {
      BOOST_TEST_REQUIRE(has_word(help_of({}), words[0]));
      std::string help = help_of({words[0]});
      if (help.find("Subcommands:") != std::string::npos && words.size() > 1 && std::islower(words[1][0])) {
        BOOST_TEST(has_word(help, words[1]), "no command '" << words[1] << "'");
        help += help_of({words[0], words[1]});
      }
      for (const std::string& word : words) {
        if (!word.starts_with("--")) continue;
        const std::string option = word.substr(0, word.find_first_of("=,:)"));
        if (const std::size_t dot = option.find('.'); dot != std::string::npos && words[0] == "serve") {
          // This option is a key of the service's configuration.
          BOOST_TEST((has_word(configuration(), "[" + option.substr(2, dot - 2) + "]") &&
                      has_word(configuration(), option.substr(dot + 1))),
                     "no key " << option);
        } else {
          BOOST_TEST(has_word(help, option), "no option " << option);
        }
        ++seen;
      }
    }
  }
  BOOST_TEST(seen > 60);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::documents
