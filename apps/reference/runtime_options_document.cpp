#include <fmt/format.h>

#include "actors/options/option_table.hpp"
#include "apps/reference/reference_documents.hpp"
#include "client/environment/variables.hpp"
#ifdef TROUPE_HAS_SERVICE
#include "service/configuration/configuration.hpp"
#endif

namespace troupe::apps {

namespace {

std::string code(std::string_view text) { return text.empty() ? "" : "`" + std::string(text) + "`"; }

std::string row(std::initializer_list<std::string> cells) {
  std::string text = "|";
  for (const std::string& one : cells) text += " " + one + " |";
  return text + "\n";
}

std::string variables_table() {
  std::string table = row({"variable", "values", "meaning", "sets", "virtual time"}) + "|---|---|---|---|---|\n";
  for (const client::Variable& one : client::variables()) {
    table += row({code(one.name), cell(one.values), cell(one.meaning), code(one.option), one.watches ? "yes" : ""});
  }
  return table;
}

std::string others_table() {
  std::string table = row({"variable", "meaning"}) + "|---|---|\n";
  for (const client::OtherVariable& one : client::other_variables()) {
    table += row({code(one.name), std::string(one.meaning)});
  }
  return table;
}

/// Returns the parameters of Python's `Runtime`, except `trace`, for which Python also accepts a path.
std::string python_parameters() {
  std::string text;
  for (const RuntimeOption& option : runtime_options()) {
    if (option.word == "trace") continue;
    std::string type(option.python_type());
    if (const std::size_t other = type.find(" or "); other != std::string::npos) type.replace(other, 4, " | ");
    if (type == "path") type = "_Path";
    text += fmt::format("        {}: {} | None = ...,\n", option.word, type);
  }
  return text;
}

}  // namespace

ReferenceDocument runtime_options_document() {
  std::string text =
      "# Every option of a runtime\n" + written_by() +
      "\nEach option has one range, one default and one text wherever it is given, and a value that cannot be used is "
      "refused by the same sentence. The first column is the field of `RuntimeOptions` in C++, the second the keyword "
      "of `troupe.Runtime` in Python. `troupe run` and `troupe solve` have the options of the command line, `troupe "
      "serve` has the keys (also as options: `--lookahead`). In C, `troupe_options` has fields for the options that "
      "are used most, and takes every option by Python's name in `more`: `\"lookahead=2\"`.\n\n" +
      row({"C++", "Python and C", "environment", "command line", "service", "values", "default", "meaning"}) +
      "|---|---|---|---|---|---|---|---|\n";
  for (const RuntimeOption& option : runtime_options()) {
    std::string meaning = cell(std::string(option.meaning));
    if (!option.page.empty()) meaning += fmt::format(" ([{0}](../{0}))", option.page);
    std::string usual = code(option.default_text());
    if (!option.usual.empty()) {
      usual += fmt::format("{}`{}` on the command line and of a service", usual.empty() ? "" : "; ", option.usual);
    }
    text +=
        row({code(option.field), code(option.word), option.has(OptionDoor::environment) ? code(option.variable()) : "",
             option.has(OptionDoor::command) ? code(option.flag()) : "",
             option.has(OptionDoor::service) ? code(option.key()) : "", cell(option.values()), usual, meaning});
  }
  return {"runtime-options.md", std::move(text)};
}

std::vector<GeneratedSection> option_sections() {
  const std::string end = "<!-- end -->";
  std::vector<GeneratedSection> sections{
      {"docs/environment.md", "<!-- table: variables -->\n", end, variables_table()},
      {"docs/environment.md", "<!-- table: others -->\n", end, others_table()},
      {"python/troupe/__init__.pyi", "        # Written by `cmake --build BUILD --target reference_documents`:\n",
       "        # Python's own:\n", python_parameters()}};
#ifdef TROUPE_HAS_SERVICE
  sections.push_back({"docs/service.md", "<!-- configuration: begin -->\n```toml\n", "```\n<!-- configuration: end -->",
                      service::to_toml({})});
#endif
  return sections;
}

Result<std::string> with_section(const std::string& whole, const GeneratedSection& section) {
  const std::size_t begin = whole.find(section.begin);
  const std::size_t from = begin + section.begin.size();
  const std::size_t to = begin == std::string::npos ? begin : whole.find(section.end, from);
  if (to == std::string::npos) {
    return Failure{ErrorCode::bad_input,
                   fmt::format("{} has no section that begins with '{}'", section.file, section.begin)};
  }
  return whole.substr(0, from) + section.text + whole.substr(to);
}

}  // namespace troupe::apps
