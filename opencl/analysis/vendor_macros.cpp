#include "opencl/analysis/vendor_macros.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "opencl/analysis/source_text.hpp"

namespace troupe::opencl {
namespace {

/// The macros that have the same meaning for all vendors. For the first three, `kProgramPreface` or the language's
/// version makes sure of that.
constexpr std::array<std::string_view, 9> kCommonMacros{
    "__OPENCL_VERSION__", "__OPENCL_C_VERSION__", "__IMAGE_SUPPORT__",
    "__ENDIAN_LITTLE__",  "__OPENCL__",           "CL_VERSION_1_0",
    "CL_VERSION_1_1",     "CL_VERSION_1_2",       "defined"};

/// Returns true if the directive cannot change what a kernel accesses.
bool is_harmless(const Directive& directive) {
  if (directive.name == "error" || directive.name == "warning" || directive.name == "line") return true;
  const auto words = identifiers(directive.rest);
  return directive.name == "pragma" && words.size() >= 2 && words[0] == "OPENCL" && words[1] == "EXTENSION";
}

/// Returns true for names that are reserved for vendors and the language. Names that look like include guards do not
/// count.
bool is_reserved(const std::string& name) {
  constexpr std::array<std::string_view, 7> kGuards{"_H", "_H_", "_H__", "_CL", "_CL_", "_CL__", "_HPP"};
  if (std::ranges::any_of(kGuards, [&](std::string_view end) { return name.ends_with(end); })) return false;
  constexpr std::array<std::string_view, 7> kBeginnings{"__", "cl_", "CL_", "NV_", "FP_", "POCL_", "SOCL_"};
  const bool capital = name.size() > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z';
  return capital || std::ranges::any_of(kBeginnings, [&](std::string_view begin) { return name.starts_with(begin); });
}

/// Returns true for reserved names of the language that are not macros: keywords, and names of attributes.
bool is_of_language(const std::string& name) {
  static const std::set<std::string_view> kWords{"__kernel",
                                                 "__global",
                                                 "__local",
                                                 "__constant",
                                                 "__private",
                                                 "__generic",
                                                 "__read_only",
                                                 "__write_only",
                                                 "__read_write",
                                                 "__attribute",
                                                 "__attribute__",
                                                 "__const",
                                                 "__const__",
                                                 "__volatile",
                                                 "__volatile__",
                                                 "__restrict",
                                                 "__restrict__",
                                                 "__inline",
                                                 "__inline__",
                                                 "__signed",
                                                 "__signed__",
                                                 "__alignof",
                                                 "__alignof__",
                                                 "__typeof",
                                                 "__typeof__",
                                                 "__extension__",
                                                 "__func__",
                                                 "__FUNCTION__",
                                                 "__FILE__",
                                                 "__LINE__",
                                                 "__VA_ARGS__",
                                                 "_Bool",
                                                 "_Pragma",
                                                 "_Static_assert",
                                                 "__aligned__",
                                                 "__packed__",
                                                 "__always_inline__",
                                                 "__noinline__",
                                                 "__unused__",
                                                 "__overloadable__",
                                                 "__pure__",
                                                 "__may_alias__",
                                                 "__endian__",
                                                 "__nosvm__",
                                                 "__ext_vector_type__",
                                                 "__reqd_work_group_size__",
                                                 "__work_group_size_hint__",
                                                 "__vec_type_hint__",
                                                 "__opencl_unroll_hint__",
                                                 "cl_mem_fence_flags"};
  return kWords.contains(name) || name.starts_with("__builtin_");
}

/// All macros that the program itself defines.
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

  /// Returns true if every word of the text has the same meaning for all vendors.
  [[nodiscard]] bool are_common(const std::string& text) const {
    std::set<std::string> seen;
    return are_common(identifiers(text), seen);
  }

  /// Returns true if the code contains no name that a vendor may define as a macro.
  [[nodiscard]] bool is_plain_code(const std::string& code) const {
    return std::ranges::all_of(identifiers(without_strings(code)), [this](const std::string& word) {
      return !is_reserved(word) || is_of_language(word) || is_common(word) || bodies_.contains(word);
    });
  }

 private:
  /// Returns true if the macro is the same for all vendors.
  [[nodiscard]] bool is_common(const std::string& word) const {
    return std::ranges::find(kCommonMacros, word) != kCommonMacros.end() || given_.contains(word);
  }

  /// Adds the macro of a definition `NAME(parameters) words`.
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
      if (is_common(word)) return true;
      const auto body = bodies_.find(word);
      if (body == bodies_.end() || is_reserved(word)) return false;
      return !seen.insert(word).second || are_common(body->second, seen);
    });
  }

  std::set<std::string> given_;
  std::map<std::string, std::vector<std::string>> bodies_;
};

/// One conditional of the preprocessor, from `#if` to `#endif`.
struct ConditionalGroup {
  bool doubtful = false;
  /// True if the conditional contains lines that can change a kernel's accesses.
  bool decides = false;
};

/// Returns true if a word of the line may have another meaning for another vendor. The words of code and of macro
/// bodies are checked.
bool names_vendor_macro(const std::string& line, const Directive& directive, const Macros& macros) {
  if (directive.name.empty()) return !macros.is_plain_code(line);
  return directive.name == "define" && !macros.is_plain_code(directive.rest);
}

/// Returns true if the line writes `#` in another way (as a digraph or trigraph), so that this code would miss a
/// directive.
bool spells_directives_otherwise(const std::string& line) {
  return line.find("%:") != std::string::npos || line.find("?\?=") != std::string::npos;
}

bool depends_on_vendor(const std::vector<std::string>& lines, const Macros& macros) {
  std::vector<ConditionalGroup> open(1);
  for (const std::string& line : lines) {
    if (is_blank(line)) continue;
    const Directive directive = directive_of(line);
    const std::string& name = directive.name;
    if (spells_directives_otherwise(line) || names_vendor_macro(line, directive, macros)) return true;
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

}  // namespace troupe::opencl
