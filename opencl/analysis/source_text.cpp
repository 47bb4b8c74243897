#include "opencl/analysis/source_text.hpp"

#include <algorithm>

namespace troupe::opencl {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\f' || c == '\v'; }

/// Returns the text with "\n" as the only line end: compilers accept "\r\n", "\r" and "\n".
std::string with_plain_line_ends(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    plain += text[i] == '\r' ? '\n' : text[i];
  }
  return plain;
}

/// Joins each line that ends in a backslash with the next line; compilers allow blanks behind the backslash.
std::string with_continued_lines_joined(const std::string& text) {
  std::string joined;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::size_t after = i + 1;
    while (after < text.size() && is_space(text[after])) ++after;
    if (text[i] == '\\' && after < text.size() && text[after] == '\n') {
      i = after;
    } else {
      joined += text[i];
    }
  }
  return joined;
}

}  // namespace

std::vector<std::string> logical_lines(const std::string& text) {
  const std::string joined = with_continued_lines_joined(with_plain_line_ends(text));
  std::vector<std::string> lines(1);
  enum class Inside { code, line_comment, comment, string, character } inside = Inside::code;
  for (std::size_t i = 0; i < joined.size(); ++i) {
    const std::string_view rest = std::string_view(joined).substr(i);
    const char c = joined[i];
    if (inside == Inside::comment) {
      // The whole comment counts as one blank. So the line continues behind the comment, even if the comment has
      // several lines.
      if (!rest.starts_with("*/")) continue;
      inside = Inside::code;
      lines.back() += ' ';
      ++i;
    } else if (c == '\n') {
      lines.emplace_back();
      inside = Inside::code;
    } else if (inside == Inside::string || inside == Inside::character) {
      lines.back() += c;
      if (c == '\\' && i + 1 < joined.size()) {
        lines.back() += joined[++i];
      } else if (c == (inside == Inside::string ? '"' : '\'')) {
        inside = Inside::code;
      }
    } else if (inside == Inside::code) {
      if (rest.starts_with("//")) inside = Inside::line_comment;
      if (rest.starts_with("/*")) inside = Inside::comment;
      if (inside == Inside::comment) ++i;
      if (inside != Inside::code) continue;
      if (c == '"') inside = Inside::string;
      if (c == '\'') inside = Inside::character;
      lines.back() += c;
    }
  }
  return lines;
}

std::vector<std::string> identifiers(std::string_view text) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < text.size();) {
    if (!is_letter(text[i]) && !is_digit(text[i])) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && (is_letter(text[i]) || is_digit(text[i]))) ++i;
    if (is_letter(text[begin])) found.emplace_back(text.substr(begin, i - begin));
  }
  return found;
}

std::string without_strings(std::string_view line) {
  std::string kept;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quote == 0) {
      kept += line[i];
      if (line[i] == '"' || line[i] == '\'') quote = line[i];
    } else if (line[i] == '\\') {
      ++i;
    } else if (line[i] == quote) {
      kept += quote;
      quote = 0;
    }
  }
  return kept;
}

std::vector<std::string> tokens(std::string_view text) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t begin = i++;
    if (is_space(text[begin])) continue;
    const bool word = is_letter(text[begin]) || is_digit(text[begin]);
    while (word && i < text.size() && (is_letter(text[i]) || is_digit(text[i]))) ++i;
    found.emplace_back(text.substr(begin, i - begin));
  }
  return found;
}

Directive directive_of(const std::string& line) {
  constexpr std::string_view kBlanks = " \t\f\v";
  const std::size_t sign = line.find_first_not_of(kBlanks);
  if (sign == std::string::npos || line[sign] != '#') return {};
  const std::size_t begin = std::min(line.find_first_not_of(kBlanks, sign + 1), line.size());
  std::size_t end = begin;
  while (end < line.size() && is_letter(line[end])) ++end;
  return {line.substr(begin, end - begin), line.substr(end)};
}

bool is_blank(const std::string& line) {
  return std::ranges::all_of(line, [](char c) { return is_space(c); });
}

bool has_directive(const std::string& text, const std::string& name) {
  return std::ranges::any_of(logical_lines(text),
                             [&](const std::string& line) { return directive_of(line).name == name; });
}

}  // namespace troupe::opencl
