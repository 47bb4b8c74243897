/// The compiler that analyses programs: clang, which runs in a separate process.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace troupe::opencl {

/// Returns the value of the environment variable TROUPE_OPENCL_CLANG; empty if it is not set. Returns "off" if the user
/// makes drivers compile with further options, which the analysis does not know.
[[nodiscard]] std::string compiler_in_environment();

/// Returns the named compiler, or else the first suitable one in PATH. The search in PATH runs once and may take a
/// second. Returns nothing if no compiler is found, if the name is "off", or if the program has more rights than its
/// user.
[[nodiscard]] std::optional<std::string> analysis_compiler(const std::string& named);

struct CompiledCode {
  /// The program in LLVM's intermediate code, as text.
  std::string code;
  /// The files that the source includes, if `list_headers` is set.
  std::vector<std::string> headers;
};

/// Runs the compiler on the source, and waits at most ten seconds. Returns nothing if the compiler refuses the source.
/// `arguments` are further arguments for the compiler.
[[nodiscard]] std::optional<CompiledCode> compile_for_analysis(const std::string& compiler, const std::string& source,
                                                               const std::vector<std::string>& arguments,
                                                               bool list_headers);

}  // namespace troupe::opencl
