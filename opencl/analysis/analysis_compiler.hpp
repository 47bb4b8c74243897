/// The compiler that programs are analysed with: clang, as its own process.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace troupe::opencl {

/// What TROUPE_OPENCL_CLANG says; empty without it. "off" where the user has drivers compile with options of his own.
[[nodiscard]] std::string compiler_in_environment();

/// The one that is named, else the first of those in PATH that can do what is needed, which is found once and may take
/// a second. Nothing where there is none, the name is "off", or the process has more rights than its user.
[[nodiscard]] std::optional<std::string> analysis_compiler(const std::string& named);

struct CompiledCode {
  /// LLVM's intermediate code, as text.
  std::string code;
  /// Files that the source includes, if that was asked.
  std::vector<std::string> headers;
};

/// Runs it on the source, and waits at most ten seconds. Nothing where it refuses. `arguments`: more of them.
[[nodiscard]] std::optional<CompiledCode> compile_for_analysis(const std::string& compiler, const std::string& source,
                                                               const std::vector<std::string>& arguments,
                                                               bool list_headers);

}  // namespace troupe::opencl
