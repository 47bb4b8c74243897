#include "opencl/analysis/kept_const.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "opencl/analysis/compiler_options.hpp"
#include "opencl/analysis/source_text.hpp"

namespace troupe::opencl {
namespace {

/// Returns true if the type is a pointer to numbers or vectors. Elements of other types may contain arrays, which
/// become pointers themselves.
bool points_to_numbers(std::string_view type) {
  while (type.ends_with(' ')) type.remove_suffix(1);
  if (!type.ends_with('*')) return false;
  type.remove_suffix(1);
  while (type.ends_with(' ')) type.remove_suffix(1);
  constexpr std::array<std::string_view, 15> kNumbers{
      "char",  "uchar",  "short", "ushort", "int",           "uint",         "long",         "ulong",
      "float", "double", "half",  "size_t", "unsigned char", "unsigned int", "unsigned long"};
  const std::size_t end = type.find_last_not_of("0123456789");
  return end != std::string_view::npos && std::ranges::find(kNumbers, type.substr(0, end + 1)) != kNumbers.end();
}

/// The uses of a name in the code, found in its tokens.
class Uses {
 public:
  Uses(const std::vector<std::string>& code, const std::string& name) : code_(code), name_(name) {}

  /// Returns true if every occurrence of the name is a read of an element or a declaration.
  [[nodiscard]] bool are_harmless() const {
    for (std::size_t i = 0; i < code_.size(); ++i) {
      if (code_[i] == name_ && !is_element(i) && !is_behind_star(i)) return false;
    }
    return true;
  }

 private:
  [[nodiscard]] std::string_view at(std::size_t i) const { return i < code_.size() ? code_[i] : std::string_view(); }

  /// Returns true if the tokens from `i` on are `name[…]` and the code does not take the element's address.
  [[nodiscard]] bool is_element(std::size_t i) const { return at(i + 1) == "[" && !has_address_taken(i); }

  /// Returns true if token `i` ends `*name` at the end of a parameter, an argument or a statement. This is a
  /// declaration, or a read of an element.
  [[nodiscard]] bool is_behind_star(std::size_t i) const {
    if (at(i + 1) != "," && at(i + 1) != ")" && at(i + 1) != ";") return false;
    std::size_t before = i - 1;
    while (is_qualifier(at(before))) --before;
    return at(before) == "*" && !has_address_taken(before);
  }

  [[nodiscard]] static bool is_qualifier(std::string_view word) {
    return word == "const" || word == "restrict" || word == "__restrict" || word == "__const";
  }

  [[nodiscard]] bool has_address_taken(std::size_t i) const {
    std::size_t before = i - 1;
    while (at(before) == "(" || at(before) == "*") --before;
    return at(before) == "&" && at(before - 1) != "&";
  }

  const std::vector<std::string>& code_;
  const std::string& name_;
};

/// Returns the tokens of all lines that are not directives. Returns nothing if macros may hide a use of the name.
std::vector<std::string> code_without_secrets(const std::string& source, const std::string& name) {
  std::vector<std::string> code;
  for (const std::string& line : logical_lines(source)) {
    const Directive directive = directive_of(line);
    if (directive.name.empty()) {
      const auto more = tokens(without_strings(line));
      if (line.find("%:") != std::string::npos) return {};
      code.insert(code.end(), more.begin(), more.end());
    } else if (directive.name.starts_with("include")) {
      return {};
    } else if (directive.name == "define") {
      const auto words = identifiers(directive.rest);
      if (directive.rest.find_first_of("&#") != std::string::npos) return {};
      if (std::ranges::find(words, name) != words.end()) return {};
    }
  }
  return code;
}

}  // namespace

bool keeps_const(const std::string& source, const std::string& options, const ConstParameter& parameter) {
  if (parameter.name.empty() || !points_to_numbers(parameter.type_name)) return false;
  // References in C++ can also remove `const`.
  if (options.find_first_of("&#") != std::string::npos || options.find("CLC++") != std::string::npos) return false;
  const auto understood = compiler_options(options);
  if (!understood) return false;
  auto words = identifiers(understood->definitions);
  words.insert(words.end(), understood->defined.begin(), understood->defined.end());
  if (std::ranges::find(words, parameter.name) != words.end()) return false;
  const std::vector<std::string> code = code_without_secrets(source, parameter.name);
  return std::ranges::find(code, parameter.name) != code.end() && Uses(code, parameter.name).are_harmless();
}

}  // namespace troupe::opencl
