#include "apps/reference/reference_documents.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build
#include <cctype>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "apps/command_line.hpp"
#include "apps/reference/command_pages.hpp"
#include "lab/experiments/experiment_commands.hpp"
#include "proto/json/json.hpp"
#include "tests/apps/troupe_program.hpp"

namespace troupe::apps {

namespace reference_documents {

const std::string kSource = TROUPE_SOURCE_DIR;

std::string text_of(const std::string& file) {
  std::ifstream in(kSource + '/' + file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Returns the first line in which the two texts differ, so that the message of a failing test is readable.
std::string difference(const std::string& kept, const std::string& written) {
  const auto [a, b] = std::mismatch(kept.begin(), kept.end(), written.begin(), written.end());
  const auto line = [](const std::string& text, std::string::const_iterator at) {
    const auto place = static_cast<std::size_t>(at - text.begin());
    const std::size_t begin = place == 0 ? 0 : text.rfind('\n', place - 1) + 1;
    return text.substr(begin, text.find('\n', place) - begin);
  };
  return "kept: " + line(kept, a) + "\nthe code says: " + line(written, b) +
         "\nrun: cmake --build BUILD --target reference_documents";
}

void is_kept(const ReferenceDocument& document) {
  const std::string kept = text_of("docs/reference/" + document.file);
  if (kept != document.text) {
    BOOST_ERROR("docs/reference/" + document.file + " is not what the code says\n" + difference(kept, document.text));
  }
}

/// Returns the names of all options of the command and its groups, such as "--n" and "--no-noise". Hidden options are
/// left out.
std::set<std::string> options_of(const CLI::App& command) {
  std::set<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) names.insert("--" + name);
  }
  for (const CLI::App* group : command.get_subcommands([](const CLI::App* one) { return one->get_name().empty(); }))
    names.merge(options_of(*group));
  return names;
}

/// Checks that the page and its subpages list all options of the command.
void has_all_options(const CommandPage& page, const CLI::App& command) {
  std::set<std::string> names;
  for (const OptionEntry& option : page.options) {
    for (const std::string& name : option.names) {
      if (name.starts_with("--")) names.insert(name);
    }
  }
  BOOST_TEST(names == options_of(command), boost::test_tools::per_element());
  for (const CommandPage& below : page.commands) has_all_options(below, *command.get_subcommand(below.last_name()));
}

/// Texts by name: the meanings of keys, objects or metrics.
using Meanings = std::map<std::string, std::string>;

/// Returns true if the text begins with a word that only makes sense after other words.
bool is_fragment(const std::string& text) {
  constexpr std::array<std::string_view, 15> kOpenings{"As",    "How",      "If",    "Nor",  "Of",
                                                       "That",  "The same", "Those", "What", "When",
                                                       "Where", "Whether",  "Which", "Who",  "Whose"};
  return std::ranges::any_of(kOpenings, [&text](std::string_view words) {
    const bool ends_there =
        text.size() <= words.size() || std::isalpha(static_cast<unsigned char>(text[words.size()])) == 0;
    return text.starts_with(words) && ends_there;
  });
}

/// Returns the names whose text is a fragment, or is the text of an earlier name: "parks share".
std::string without_meaning(const Meanings& meanings) {
  std::string names;
  std::set<std::string> seen;
  for (const auto& [name, text] : meanings) {
    if (!seen.insert(text).second || is_fragment(text)) names += (names.empty() ? "" : " ") + name;
  }
  return names;
}

/// Returns the texts in a schema's definitions whose names begin with `prefix`, such as "key.".
Meanings meanings_in_schema(const Json& schema, std::string_view prefix) {
  Meanings meanings;
  for (const auto& [name, definition] : schema["$defs"].items()) {
    if (name.starts_with(prefix)) meanings[name] = definition.value("description", "");
  }
  return meanings;
}

/// Returns the texts in the last column of a document's table, by the name in the first.
Meanings meanings_in_table(const std::string& document) {
  constexpr std::string_view kBetween = " | ";
  Meanings meanings;
  std::istringstream lines(document);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| `")) continue;
    const std::string row = line.substr(0, line.rfind(" |"));
    meanings[row.substr(0, row.find(kBetween))] = row.substr(row.rfind(kBetween) + kBetween.size());
  }
  return meanings;
}

}  // namespace reference_documents

BOOST_AUTO_TEST_SUITE(reference_documents_of_the_manual)

using namespace reference_documents;

BOOST_AUTO_TEST_CASE(options_of_runtimes_are_what_the_code_says) {
  is_kept(runtime_options_document());
  for (const GeneratedSection& section : option_sections()) {
    const std::string kept = text_of(section.file);
    const std::string written = with_section(kept, section).value_or_throw();
    if (kept != written) BOOST_ERROR(section.file + " is not what the code says\n" + difference(kept, written));
  }
  BOOST_TEST(!with_section("a text without marks", option_sections().front()).ok());
}

BOOST_AUTO_TEST_CASE(errors_and_keys_are_what_the_code_says) {
  is_kept(errors_document(kSource).value_or_throw());
  is_kept(keys_document(text_of("apps/reference/output.schema.json")).value_or_throw());
}

BOOST_AUTO_TEST_CASE(every_key_has_a_meaning_of_its_own) {
  const Json schema = Json::parse(text_of("apps/reference/output.schema.json"));
  BOOST_TEST(without_meaning(meanings_in_schema(schema, "key.")) == "");
  BOOST_TEST(without_meaning(meanings_in_schema(schema, "object.")) == "");
}

BOOST_AUTO_TEST_CASE(fragments_and_texts_that_occur_twice_are_found) {
  const Meanings meanings{{"copies", "Number of copies."},  {"parks", "Number of copies."},
                          {"ratio", "As share."},           {"share", "Whether it is shared."},
                          {"tasks", "Asynchronous tasks."}, {"text", "The same in words."}};
  BOOST_TEST(without_meaning(meanings) == "parks ratio share text");
}

#ifdef TROUPE_SYSTEMD_FOLDER  // The macro is only defined in builds with the service.
BOOST_AUTO_TEST_CASE(options_and_metrics_are_what_the_code_says) {
  is_kept(options_document(whole_command_line()));
  is_kept(metrics_document());
}

BOOST_AUTO_TEST_CASE(metrics_have_types_labels_and_meanings) {
  const std::string text = metrics_document().text;
  BOOST_TEST(tests::contains(text, "| `troupe_client_weight` | gauge | `session` `name` `user` |"), text);
  BOOST_TEST(tests::contains(text, "| `troupe_mailbox_waiting_seconds` | summary | `actor` `quantile` |"), text);
  const Meanings meanings = meanings_in_table(text);
  BOOST_TEST(meanings.at("| `troupe_worker_idle`") == "1 while the worker has nothing to do.");
  BOOST_TEST(without_meaning(meanings) == "");
}
#endif

BOOST_AUTO_TEST_CASE(options_of_groups_are_on_the_pages) {
  Command unused;
  const auto application = make_application(unused);
  has_all_options(page_of(*application), *application);
  const auto experiments = make_experiments(unused);
  has_all_options(page_of(*experiments), *experiments);
  const std::string text = options_document(whole_command_line()).text;
  for (const char* option : {"`--real`", "`--emulated OPTIONS`", "`--platform NAME\\|FILE`"})
    BOOST_TEST(tests::contains(text.substr(text.find("## troupe experiment scaling")), option), option);
}

BOOST_AUTO_TEST_CASE(every_option_is_in_the_table) {
  const CommandPage whole = whole_command_line();
  const std::string text = options_document(whole).text;
  for_each_page(whole, [&](const CommandPage& page) {
    const std::size_t begin = text.find("\n## " + page.name + "\n");
    BOOST_TEST_REQUIRE(begin != std::string::npos, page.name);
    const std::string section = text.substr(begin, text.find("\n## ", begin + 1) - begin);
    for (const OptionEntry& option : page.options) {
      for (const std::string& name : option.names) BOOST_TEST(tests::contains(section, '`' + name), page.name << name);
    }
  });
}

BOOST_AUTO_TEST_CASE(what_a_users_home_is_does_not_matter) {
  const std::string before = std::getenv("HOME") == nullptr ? "" : std::getenv("HOME");
  const std::string text = options_document(whole_command_line()).text;
  BOOST_TEST(tests::contains(text, "~/.cache/troupe"));
  BOOST_TEST(!tests::contains(text, "/the-home-of-any-user"));
  BOOST_TEST((std::getenv("HOME") == nullptr ? "" : std::getenv("HOME")) == before);
}

BOOST_AUTO_TEST_CASE(what_cannot_be_read_is_said) {
  const auto no_folder = errors_document("/no/such/folder");
  BOOST_REQUIRE(!no_folder);
  BOOST_TEST(tests::contains(no_folder.failure().message, "/no/such/folder/include/troupe/errors.hpp"));
  BOOST_TEST(!keys_document("no JSON"));
  BOOST_TEST(!keys_document(R"({"$defs": {"key.n": {"type": "integer"}}})"));
  const std::string object =
      R"("object.team": {"description": "A team.", "properties": {"team": {"$ref": "#/$defs/object.team"}}})";
  const auto no_key = keys_document(R"({"$defs": {)" + object + "}}");
  BOOST_REQUIRE(!no_key);
  BOOST_TEST(tests::contains(no_key.failure().message, "key.team"));
  auto with_key = keys_document(R"({"$defs": {"key.team": {"description": "Its team."}, )" + object + "}}");
  BOOST_TEST(tests::contains(std::move(with_key).value_or_throw().text, "| `team` | [team](#team) | Its team. |"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
