#include "tests/field_rules.hpp"

#include <algorithm>
#include <cctype>
#include <regex>
#include <string_view>

namespace troupe::tests {

namespace {

/// Returns the text without comments, preprocessor lines, and the content of literals.
std::string code_of(const std::string& text) {
  std::string code;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins_line = i == 0 || text[i - 1] == '\n';
    if (text.compare(i, 2, "//") == 0 || (begins_line && text[i] == '#')) {
      while (i < text.size() && text[i] != '\n') i += text[i] == '\\' ? 2 : 1;
      code += '\n';
    } else if (text[i] == '"' ||
               (text[i] == '\'' && (i == 0 || std::isalnum(static_cast<unsigned char>(text[i - 1])) == 0))) {
      const char quote = text[i];
      for (++i; i < text.size() && text[i] != quote; ++i) i += text[i] == '\\' ? 1 : 0;
      code += "0";
    } else {
      code += text[i];
    }
  }
  return code;
}

/// Returns the text without what stands between pairs of these brackets. Pairs inside of pairs go, too.
std::string without(std::string text, char open, char close) {
  std::string rest;
  int depth = 0;
  for (const char c : text) {
    if (c == open) ++depth;
    if (depth == 0) rest += c;
    if (c == close && depth > 0) --depth;
  }
  return rest;
}

/// Returns the place behind the bracket that closes the one at `open`.
std::size_t behind(const std::string& code, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < code.size(); ++i) {
    if (code[i] == '{') ++depth;
    if (code[i] == '}' && --depth == 0) return i + 1;
  }
  return code.size();
}

/// Returns the number of fields that a declaration in a type declares. Braces of the declaration are empty.
std::size_t fields_in(std::string declaration) {
  static const std::regex attributes(R"(\b(TROUPE_\w+|alignas|explicit|requires)\s*\([^()]*\)|\[\[[^\]]*\]\])");
  static const std::regex no_field(R"(^\s*(using|typedef|friend|static|template|operator|enum)\b)");
  static const std::regex type_alone(R"(^\s*(struct|class|union)\s[^{};]*(\{\})?\s*$)");
  static const std::regex access(R"(^\s*(public|private|protected)\s*:)");
  declaration = std::regex_replace(declaration, attributes, "");
  while (std::regex_search(declaration, access)) declaration = std::regex_replace(declaration, access, "");
  if (std::regex_search(declaration, no_field) || std::regex_search(declaration, type_alone)) return 0;
  std::string name = without(declaration, '<', '>');
  name = name.substr(0, name.find('='));
  const bool is_function = name.find('(') != std::string::npos && name.find("(*") == std::string::npos;
  const bool is_empty = std::ranges::all_of(name, [](unsigned char c) { return std::isspace(c) != 0; });
  if (is_function || is_empty || name.find("operator") != std::string::npos) return 0;
  const std::string all = without(without(without(declaration, '(', ')'), '<', '>'), '[', ']');
  return 1 + static_cast<std::size_t>(std::ranges::count(all, ','));
}

class Counter {
 public:
  Counter(const std::string& path, std::string code) : path_(path), code_(std::move(code)) {}

  std::vector<CountedType> count() {
    static const std::regex type(
        R"(\b(struct|class|union)\s+(alignas\(\w+\)\s*|TROUPE_\w+(\([^()]*\))?\s*)*(\w[\w:]*)?[^;{}()=]*\{)");
    auto from = code_.cbegin();
    for (std::smatch found; std::regex_search(from, code_.cend(), found, type);) {
      const auto begin = static_cast<std::size_t>(found[0].first - code_.cbegin());
      // `enum class` has no fields, and what begins in a template's parameters is no type.
      const bool is_enum = begin >= 5 && code_.compare(begin - 5, 5, "enum ") == 0;
      const bool is_parameter = found[0].str().find('>') < found[0].str().find('<');
      from = is_parameter ? found[0].first + 1 : found[0].second;
      if (is_enum || is_parameter) continue;
      const auto open = static_cast<std::size_t>(found[0].second - code_.cbegin()) - 1;
      types_.push_back({path_, found[4].str(), fields_of(open)});
    }
    return types_;
  }

 private:
  std::size_t fields_of(std::size_t open) {
    const std::size_t end = behind(code_, open) - 1;
    std::size_t fields = 0;
    std::string declaration;
    for (std::size_t i = open + 1; i < end; ++i) {
      if (code_[i] == '{') {
        i = behind(code_, i) - 1;
        // The body of a constructor comes after the braces of its members.
        if (declaration.find_first_not_of(" \n") == std::string::npos) continue;
        declaration += "{}";
        const std::size_t next = code_.find_first_not_of(" \n", i + 1);
        const std::string head = without(without(declaration.substr(0, declaration.find('{')), '<', '>'), '[', ']');
        const bool is_body = head.find('(') != std::string::npos && head.find('=') == std::string::npos;
        if (is_body && next != std::string::npos && code_[next] != ';' && code_[next] != ',') declaration.clear();
      } else if (code_[i] == ';') {
        fields += fields_in(declaration);
        declaration.clear();
      } else {
        declaration += code_[i];
      }
    }
    return fields;
  }

  const std::string path_;
  const std::string code_;
  std::vector<CountedType> types_;
};

}  // namespace

std::vector<CountedType> count_fields(const SourceFile& file) { return Counter(file.path, code_of(file.text)).count(); }

}  // namespace troupe::tests
