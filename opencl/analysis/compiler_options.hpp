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
  /// The macros that have values, as `#define` lines.
  std::string definitions;
  /// The folders that are searched for headers.
  std::vector<std::string> folders;
};

/// Converts build options. Options for speed and for warnings are left out, because facts that are proven without them
/// also hold with them. Returns nothing if an option is not understood.
[[nodiscard]] std::optional<CompilerOptions> compiler_options(const std::string& options);

}  // namespace troupe::opencl
