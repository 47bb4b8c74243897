#include "apps/reference/man_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "apps/reference/exit_codes.hpp"

namespace troupe::apps {

namespace {

/// Escapes text so that the formatter of manual pages prints it unchanged. Words that look like options keep their
/// hyphens.
std::string plain(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else {
      result += c;
    }
  }
  const bool like_a_request = !result.empty() && (result.front() == '.' || result.front() == '\'');
  return like_a_request ? "\\&" + result : result;
}

/// Returns the name of a command's page: "troupe-run" for "troupe run".
std::string page_name(const std::string& command) {
  std::string name = command;
  std::ranges::replace(name, ' ', '-');
  return name;
}

/// Returns the description without its full stop, for the section NAME.
std::string summary(const std::string& description) {
  std::string text = description;
  if (text.ends_with('.')) text.pop_back();
  if (text.starts_with("Troupe: ")) text = text.substr(8);
  return text;
}

std::string sentence(const std::string& description) {
  return plain(description) + (description.empty() || description.ends_with('.') ? "" : ".");
}

/// Returns the heading of an option's entry in the man macros: ".TP" and the option with its value.
std::string heading(const OptionEntry& entry) {
  std::string text = ".TP\n";
  for (const std::string& name : entry.names) {
    text += fmt::format("{}\\fB{}\\fR", &name == &entry.names.front() ? "" : ", ", plain(name));
  }
  if (!entry.value.empty() && entry.names.front().starts_with('-')) {
    text += fmt::format(" \\fI{}\\fR", plain(entry.value));
  }
  return text + '\n';
}

std::string details(const OptionEntry& entry) {
  std::string text;
  if (!entry.names.front().starts_with('-') && !entry.value.empty() && entry.value != "TEXT") {
    text += fmt::format(" One of: {}.", entry.value);
  }
  if (!entry.range.empty()) text += fmt::format(" From {}.", entry.range);
  if (!entry.default_value.empty()) text += fmt::format(" Default: {}.", entry.default_value);
  if (entry.repeated) text += " May be repeated.";
  return plain(text);
}

std::string list_of(const std::vector<OptionEntry>& entries) {
  std::string text;
  for (const OptionEntry& entry : entries) {
    text += fmt::format("{}{}{}\n", heading(entry), sentence(entry.description), details(entry));
  }
  return text;
}

/// Returns the groups of options in their order, each under its own title.
std::string options_text(const CommandPage& page, const char* request) {
  std::vector<std::string> groups;
  for (const OptionEntry& entry : page.options) {
    if (std::ranges::find(groups, entry.group) == groups.end()) groups.push_back(entry.group);
  }
  std::string text;
  for (const std::string& group : groups) {
    std::vector<OptionEntry> in_it;
    std::ranges::copy_if(page.options, std::back_inserter(in_it), [&](const auto& one) { return one.group == group; });
    const bool plain_group = group == "Options";
    text += plain_group ? fmt::format("{} OPTIONS\n", request) : fmt::format(".SS \"{}\"\n", plain(group));
    text += list_of(in_it);
  }
  return text;
}

std::string synopsis(const CommandPage& page) {
  std::string text = fmt::format("\\fB{}\\fR", plain(page.name));
  if (!page.options.empty()) text += " [\\fIoptions\\fR]";
  for (const OptionEntry& argument : page.arguments) {
    const std::string name = plain(argument.names.front());
    text += argument.required ? fmt::format(" \\fI{}\\fR", name) : fmt::format(" [\\fI{}\\fR]", name);
    if (argument.repeated) text += " ...";
  }
  return text + '\n';
}

std::string synopses(const CommandPage& page) {
  std::string text;
  for_each_page(page, [&](const CommandPage& one) {
    if (&one == &page && !one.commands.empty() && one.arguments.empty()) return;  // The command needs a subcommand.
    text += (text.empty() ? "" : ".br\n") + synopsis(one);
  });
  return text;
}

std::string header(const std::string& name, const std::string& description) {
  const std::string page = page_name(name);
  std::string upper = page;
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return fmt::format(
      ".\\\" Written by the build from the options of the program.\n"
      ".TH {} 1 \"\" \"Troupe {}\" \"Troupe's manual\"\n.SH NAME\n{} \\- {}\n",
      plain(upper), TROUPE_VERSION, plain(page), plain(summary(description)));
}

std::string exit_status() {
  std::string text = ".SH EXIT STATUS\n";
  for (const ExitCode& code : kExitCodes) text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", code.code, plain(code.meaning));
  return text;
}

std::string see_also(const std::vector<std::string>& pages) {
  std::string text = ".SH SEE ALSO\n";
  for (const std::string& page : pages) {
    text += fmt::format(".BR {} (1){}\n", plain(page), &page == &pages.back() ? "" : ",");
  }
  return text;
}

ManPage page_of_command(const CommandPage& page) {
  std::string text = header(page.name, page.description) + ".SH SYNOPSIS\n" + synopses(page);
  text += fmt::format(".SH DESCRIPTION\n{}\n", sentence(page.description));
  if (page.options.empty() && page.commands.empty()) {
    // This command is a separate program, which need not have been built, so its options are not known here.
    text += fmt::format("What follows the name is for a program of its own: \\fB{} \\-\\-help\\fR lists its options.\n",
                        plain(page.name));
  }
  if (!page.arguments.empty()) text += ".SH ARGUMENTS\n" + list_of(page.arguments);
  text += options_text(page, ".SH");
  for (const CommandPage& command : page.commands) {
    text += fmt::format(".SH \"{}\"\n{}\n", plain(command.name), sentence(command.description));
    if (!command.arguments.empty()) text += ".SS ARGUMENTS\n" + list_of(command.arguments);
    text += options_text(command, ".SS");
  }
  return {page_name(page.name) + ".1", text + exit_status() + see_also({"troupe"})};
}

ManPage page_of_program(const CommandPage& whole) {
  std::string text = header(whole.name, whole.description);
  text += fmt::format(
      ".SH SYNOPSIS\n\\fB{0}\\fR \\fIcommand\\fR [\\fIoptions\\fR]\n.br\n\\fB{0}\\fR [\\fB\\-\\-help\\fR] "
      "[\\fB\\-\\-version\\fR]\n.SH DESCRIPTION\n{1}\n"
      "Each command has a page of its own.\n.SH COMMANDS\n",
      plain(whole.name), sentence(whole.description));
  std::vector<std::string> pages;
  for (const CommandPage& command : whole.commands) {
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", plain(command.last_name()), sentence(command.description));
    pages.push_back(page_name(command.name));
  }
  return {page_name(whole.name) + ".1", text + options_text(whole, ".SH") + exit_status() + see_also(pages)};
}

}  // namespace

std::vector<ManPage> man_pages(const CommandPage& whole) {
  std::vector<ManPage> pages{page_of_program(whole)};
  for (const CommandPage& command : whole.commands) pages.push_back(page_of_command(command));
  return pages;
}

}  // namespace troupe::apps
