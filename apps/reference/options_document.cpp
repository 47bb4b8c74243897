#include <fmt/format.h>
#include <fmt/ranges.h>

#include "apps/reference/reference_documents.hpp"

namespace troupe::apps {

namespace {

std::string details_of(const OptionEntry& entry) {
  std::string text = cell(entry.description);
  if (!entry.range.empty()) text += fmt::format(" ({})", entry.range);
  if (!entry.default_value.empty()) text += fmt::format("; default: `{}`", cell(entry.default_value));
  if (entry.repeated) text += "; may be repeated";
  return text;
}

std::string rows_of(const std::vector<OptionEntry>& entries) {
  std::string text;
  for (const OptionEntry& entry : entries) {
    const bool named = entry.names.front().starts_with('-');
    const std::string value = entry.value.empty() || (!named && entry.choices.empty()) ? "" : ' ' + cell(entry.value);
    text += fmt::format("| `{}{}` | {} |\n", fmt::join(entry.names, "`, `"), value, details_of(entry));
  }
  return text;
}

}  // namespace

std::string written_by() {
  return "\n<!-- Written by `cmake --build BUILD --target reference_documents` from the code: do not edit. -->\n";
}

std::string cell(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    if (c == '<') {
      result += "&lt;";
    } else {
      result += c == '\n' ? ' ' : c;
    }
  }
  return result;
}

ReferenceDocument options_document(const CommandPage& whole) {
  const bool all = whole.name == whole.last_name();
  std::string text = fmt::format("# Every option of {}\n", all ? "every command" : whole.name) + written_by() +
                     "\n`troupe COMMAND --help` prints the same; `man troupe-COMMAND`, too, where Troupe is installed. "
                     "What the commands do: [command-line.md](../command-line.md).\n";
  for_each_page(whole, [&](const CommandPage& page) {
    text += fmt::format("\n## {}\n\n{}\n", page.name, page.description);
    if (page.options.empty() && page.arguments.empty()) {
      text += fmt::format("\nA program of its own: [{0}.md]({0}.md).\n", page.last_name());
      return;
    }
    text += "\n| option | what it does |\n|---|---|\n" + rows_of(page.arguments) + rows_of(page.options);
  });
  return {all ? "options.md" : whole.last_name() + ".md", std::move(text)};
}

}  // namespace troupe::apps
