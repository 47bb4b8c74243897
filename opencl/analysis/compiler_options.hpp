/// A program's build options, converted for the compiler that analyses it.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace troupe::opencl {

struct CompilerOptions {
  /// The options for macros, folders of headers, and the language's version.
  std::vector<std::string> arguments;
  /// The names of the macros.
  std::vector<std::string> defined;
  /// The macros that have values, as lines of a source.
  std::string definitions;
  /// The folders in which headers are looked for.
  std::vector<std::string> folders;
};

/// Converts build options. Options for speed and warnings are left out: facts that are proven without them also hold
/// with them. Returns nothing if the options are not understood.
[[nodiscard]] std::optional<CompilerOptions> compiler_options(const std::string& options);

}  // namespace troupe::opencl
