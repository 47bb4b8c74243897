/// A program's build options as the compiler that analyses takes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace troupe::opencl {

struct CompilerOptions {
  /// Macros, folders of headers, the language's version.
  std::vector<std::string> arguments;
  /// Names of the macros.
  std::vector<std::string> defined;
  /// Those that have values, as lines of a source.
  std::string definitions;
  /// Where headers are looked for.
  std::vector<std::string> folders;
};

/// Options for speed and warnings are left out: what is proven without them holds with them. Nothing where the options
/// are not understood.
[[nodiscard]] std::optional<CompilerOptions> compiler_options(const std::string& options);

}  // namespace troupe::opencl
