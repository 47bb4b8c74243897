#include "opencl/analysis/compiler_options.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace troupe::opencl {
namespace {

/// One word of the options. `quoted` is true if at least a part of the word was in quotes: vendors treat quotes
/// differently.
struct OptionWord {
  std::string text;
  bool quoted = false;
};

std::optional<std::vector<OptionWord>> words_of(const std::string& options) {
  std::vector<OptionWord> words;
  OptionWord word;
  bool inside = false;
  for (const char c : options) {
    if (c == '\\' || c == '\'') return std::nullopt;
    if (c == '"') {
      inside = !inside;
      word.quoted = true;
    } else if (!inside && (c == ' ' || c == '\t' || c == '\n' || c == '\r')) {
      if (!word.text.empty()) words.push_back(std::exchange(word, {}));
    } else {
      word.text += c;
    }
  }
  if (inside) return std::nullopt;
  if (!word.text.empty()) words.push_back(word);
  return words;
}

/// Returns true if the option changes neither the kernels' memory accesses nor the meaning of the program's text.
/// Options for the target and for the layout of types may change both. So of the options that begin with `-f`, only
/// those in `kOfCode` are accepted.
bool is_without_effect(std::string_view word) {
  constexpr std::array<std::string_view, 5> kBeginnings{"-cl-", "-g", "-O", "-nv-", "-save-temps"};
  constexpr std::array<std::string_view, 4> kOfCode{"-fbin-", "-fno-bin-", "-ffast-math", "-fno-strict-aliasing"};
  const auto begins = [&](std::string_view beginning) { return word.starts_with(beginning); };
  // A -W option with a comma passes further options to another program.
  const bool warns = word == "-w" || (word.starts_with("-W") && word.find(',') == std::string_view::npos);
  return warns || std::ranges::any_of(kBeginnings, begins) || std::ranges::any_of(kOfCode, begins);
}

/// Returns the line `#define NAME VALUE` for `NAME=VALUE`; empty if the macro has no value.
std::string definition_of(const std::string& macro) {
  const std::size_t sign = macro.find('=');
  if (sign == std::string::npos) return {};
  return "#define " + macro.substr(0, sign) + " " + macro.substr(sign + 1) + "\n";
}

}  // namespace

std::optional<CompilerOptions> compiler_options(const std::string& options) {
  const auto words = words_of(options);
  if (!words) return std::nullopt;
  CompilerOptions result;
  bool has_language = false;
  for (std::size_t i = 0; i < words->size(); ++i) {
    const OptionWord& word = (*words)[i];
    const std::string_view start = std::string_view(word.text).substr(0, 2);
    if (start == "-D" || start == "-I" || start == "-U") {
      // The value may be the next word.
      OptionWord value{word.text.substr(2), word.quoted};
      if (value.text.empty()) {
        if (++i == words->size()) return std::nullopt;
        value = (*words)[i];
      }
      if (value.quoted && start != "-I") return std::nullopt;
      result.arguments.push_back(std::string(start) + value.text);
      if (start == "-D") result.definitions += definition_of(value.text);
      if (start == "-I") result.folders.push_back(value.text);
      if (start != "-I") result.defined.push_back(value.text.substr(0, value.text.find_first_of("=(")));
    } else if (word.text.starts_with("-cl-std=") || word.text == "-cl-single-precision-constant") {
      has_language |= word.text.starts_with("-cl-std=");
      result.arguments.push_back(word.text);
    } else if (!is_without_effect(word.text)) {
      return std::nullopt;
    }
  }
  // Troupe passes the same default to the drivers.
  if (!has_language) result.arguments.emplace_back("-cl-std=CL1.2");
  return result;
}

}  // namespace troupe::opencl
