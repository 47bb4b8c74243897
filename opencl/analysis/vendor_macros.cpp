#include "opencl/analysis/vendor_macros.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

namespace troupe::opencl {
namespace {

/// The same at all vendors: the first of them since our preface or the language's version says so.
constexpr std::array<std::string_view, 9> kCommonMacros{
    "__OPENCL_VERSION__", "__OPENCL_C_VERSION__", "__IMAGE_SUPPORT__",
    "__ENDIAN_LITTLE__",  "__OPENCL__",           "CL_VERSION_1_0",
    "CL_VERSION_1_1",     "CL_VERSION_1_2",       "defined"};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Lines without comments; those that a backslash continues are one.
std::vector<std::string> logical_lines(const std::string& text) {
  std::string joined;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r') continue;
    const std::size_t after = i + 1 < text.size() && text[i + 1] == '\r' ? i + 2 : i + 1;
    if (text[i] == '\\' && after < text.size() && text[after] == '\n') {
      i = after;
    } else {
      joined += text[i];
    }
  }
  std::vector<std::string> lines(1);
  enum class Inside { code, line_comment, comment, string, character } inside = Inside::code;
  for (std::size_t i = 0; i < joined.size(); ++i) {
    const std::string_view rest = std::string_view(joined).substr(i);
    const char c = joined[i];
    if (c == '\n') {
      lines.emplace_back();
      if (inside != Inside::comment) inside = Inside::code;
    } else if (inside == Inside::comment) {
      if (!rest.starts_with("*/")) continue;
      inside = Inside::code;
      lines.back() += ' ';
      ++i;
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

/// Identifiers in order; those in numbers are none.
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

/// A line of the preprocessor. Empty: the line is none.
struct Directive {
  std::string name;
  std::string rest;
};

Directive directive_of(const std::string& line) {
  const std::size_t sign = line.find_first_not_of(" \t");
  if (sign == std::string::npos || line[sign] != '#') return {};
  const std::size_t begin = std::min(line.find_first_not_of(" \t", sign + 1), line.size());
  std::size_t end = begin;
  while (end < line.size() && is_letter(line[end])) ++end;
  return {line.substr(begin, end - begin), line.substr(end)};
}

bool is_blank(const std::string& line) { return line.find_first_not_of(" \t\f\v") == std::string::npos; }

/// Decides on nothing that a kernel accesses.
bool is_harmless(const Directive& directive) {
  if (directive.name == "error" || directive.name == "warning" || directive.name == "line") return true;
  const auto words = identifiers(directive.rest);
  return directive.name == "pragma" && words.size() >= 2 && words[0] == "OPENCL" && words[1] == "EXTENSION";
}

/// Names that belong to vendors and the language, but for guards of headers.
bool is_reserved(const std::string& name) {
  constexpr std::array<std::string_view, 7> kGuards{"_H", "_H_", "_H__", "_CL", "_CL_", "_CL__", "_HPP"};
  if (std::ranges::any_of(kGuards, [&](std::string_view end) { return name.ends_with(end); })) return false;
  constexpr std::array<std::string_view, 6> kBeginnings{"__", "cl_", "CL_", "NV_", "FP_", "POCL_"};
  return std::ranges::any_of(kBeginnings, [&](std::string_view begin) { return name.starts_with(begin); });
}

/// All macros that the program defines itself.
class Macros {
 public:
  Macros(const std::vector<std::vector<std::string>>& texts, const std::vector<std::string>& defined)
      : given_(defined.begin(), defined.end()) {
    for (const auto& lines : texts) {
      for (const std::string& line : lines) {
        const Directive directive = directive_of(line);
        if (directive.name == "define" || directive.name == "undef") add(directive.rest);
      }
    }
  }

  /// All that the text consists of means the same everywhere.
  [[nodiscard]] bool are_common(const std::string& text) const {
    std::set<std::string> seen;
    return are_common(identifiers(text), seen);
  }

 private:
  /// `NAME(parameters) words`.
  void add(const std::string& definition) {
    auto words = identifiers(definition);
    if (words.empty()) return;
    const std::string name = words[0];
    words.erase(words.begin());
    const std::size_t behind = definition.find(name) + name.size();
    if (behind < definition.size() && definition[behind] == '(') {
      const std::size_t end = definition.find(')', behind);
      const auto parameters = identifiers(definition.substr(behind, end - behind));
      std::erase_if(words,
                    [&](const std::string& word) { return std::ranges::find(parameters, word) != parameters.end(); });
    }
    auto& body = bodies_[name];
    body.insert(body.end(), words.begin(), words.end());
  }

  [[nodiscard]] bool are_common(const std::vector<std::string>& words, std::set<std::string>& seen) const {
    return std::ranges::all_of(words, [&](const std::string& word) {
      if (std::ranges::find(kCommonMacros, word) != kCommonMacros.end() || given_.contains(word)) return true;
      const auto body = bodies_.find(word);
      if (body == bodies_.end() || is_reserved(word)) return false;
      return !seen.insert(word).second || are_common(body->second, seen);
    });
  }

  std::set<std::string> given_;
  std::map<std::string, std::vector<std::string>> bodies_;
};

/// One conditional, from `#if` to `#endif`.
struct ConditionalGroup {
  bool doubtful = false;
  /// Between its lines is something that matters.
  bool decides = false;
};

bool depends_on_vendor(const std::vector<std::string>& lines, const Macros& macros) {
  std::vector<ConditionalGroup> open(1);
  for (const std::string& line : lines) {
    if (is_blank(line)) continue;
    const Directive directive = directive_of(line);
    const std::string& name = directive.name;
    if (name == "if" || name == "ifdef" || name == "ifndef") {
      open.push_back({!macros.are_common(directive.rest), false});
    } else if (name.starts_with("elif")) {
      open.back().doubtful |= !macros.are_common(directive.rest);
    } else if (name == "endif") {
      if (open.size() == 1 || (open.back().doubtful && open.back().decides)) return true;
      open[open.size() - 2].decides |= open.back().decides;
      open.pop_back();
    } else if (name != "else" && !is_harmless(directive)) {
      open.back().decides = true;
    }
  }
  return open.size() != 1;
}

}  // namespace

bool depends_on_vendor(const std::vector<std::string>& texts, const std::vector<std::string>& defined) {
  std::vector<std::vector<std::string>> all;
  for (const std::string& text : texts) all.push_back(logical_lines(text));
  const Macros macros(all, defined);
  return std::ranges::any_of(all, [&](const auto& lines) { return depends_on_vendor(lines, macros); });
}

bool has_directive(const std::string& text, const std::string& name) {
  return std::ranges::any_of(logical_lines(text),
                             [&](const std::string& line) { return directive_of(line).name == name; });
}

}  // namespace troupe::opencl
