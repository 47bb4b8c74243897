#include "opencl/analysis/analysis_compiler.hpp"

#include <sys/auxv.h>

#include <chrono>
#include <string_view>

#include "platform/environment_value.hpp"
#include "platform/files/child_process.hpp"

namespace troupe::opencl {
namespace {

/// The oldest and the newest version of clang that the search accepts. It accepts no other compiler.
constexpr int kOldest = 14;
constexpr int kNewest = 25;
/// The version that is tried first: the driver pocl comes with this version, and this analysis was developed with it.
constexpr int kFirst = 15;

bool can_analyse(const std::string& compiler) {
  const auto compiled = compile_for_analysis(
      compiler, "kernel void k(global float4* x) { x[get_global_id(0)] = exp(x[0]); }", {"-cl-std=CL1.2"}, false);
  return compiled && compiled->code.find("spir_kernel") != std::string::npos;
}

std::optional<std::string> find_compiler() {
  std::vector<std::string> names{"clang-" + std::to_string(kFirst)};
  for (int version = kNewest; version >= kOldest; --version) names.push_back("clang-" + std::to_string(version));
  names.emplace_back("clang");
  for (const std::string& name : names) {
    if (can_analyse(name)) return name;
  }
  return std::nullopt;
}

/// Returns the headers that the compiler lists in lines such as `. ./header.h`: one line for each header, with one dot
/// for each level of inclusion. The compiler's own header, which declares OpenCL's functions, is left out.
std::vector<std::string> listed_headers(std::string_view errors) {
  std::vector<std::string> headers;
  while (!errors.empty()) {
    const std::string_view line = errors.substr(0, errors.find('\n'));
    errors.remove_prefix(std::min(line.size() + 1, errors.size()));
    const std::size_t path = line.find_first_not_of('.');
    if (path == std::string_view::npos || path == 0 || line[path] != ' ') continue;
    const std::string_view name = line.substr(path + 1);
    if (name.ends_with("/opencl-c.h") || name.ends_with("/opencl-c-base.h")) continue;
    headers.emplace_back(name);
  }
  return headers;
}

}  // namespace

std::string compiler_in_environment() {
  // Users set these variables to make the drivers of pocl and of AMD compile with further options, which this analysis
  // does not know.
  for (const char* name : {"POCL_EXTRA_BUILD_FLAGS", "AMD_OCL_BUILD_OPTIONS", "AMD_OCL_BUILD_OPTIONS_APPEND"}) {
    if (!platform::environment_value(name).empty()) return "off";
  }
  return platform::environment_value("TROUPE_OPENCL_CLANG");
}

std::optional<std::string> analysis_compiler(const std::string& named) {
  if (::getauxval(AT_SECURE) != 0 || named == "off") return std::nullopt;
  if (!named.empty()) return named;
  // The object is never destroyed: builds may be analysed while the program ends.
  static const auto& found = *new std::optional<std::string>(find_compiler());
  return found;
}

std::optional<CompiledCode> compile_for_analysis(const std::string& compiler, const std::string& source,
                                                 const std::vector<std::string>& arguments, bool list_headers) {
  // The options have these reasons. Vectors of three elements keep their size: otherwise each store of such a vector
  // would seem to write four elements. Functions are inlined into their kernels, because the analysis does not follow
  // calls. Violations of strict aliasing are tolerated.
  std::vector<std::string> command{compiler,
                                   "-x",
                                   "cl",
                                   "-target",
                                   "spir64-unknown-unknown",
                                   "-O2",
                                   "-w",
                                   "-Xclang",
                                   "-finclude-default-header",
                                   "-Xclang",
                                   "-fdeclare-opencl-builtins",
                                   "-Xclang",
                                   "-fpreserve-vec3-type",
                                   "-fno-strict-aliasing",
                                   "-fno-vectorize",
                                   "-fno-slp-vectorize",
                                   "-mllvm",
                                   "-inline-threshold=10000",
                                   "-emit-llvm",
                                   "-S",
                                   "-o",
                                   "-"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  if (list_headers) command.emplace_back("-H");
  command.emplace_back("-");
  const auto ran = platform::run_child(command, source, std::chrono::seconds(10));
  if (!ran.ok() || ran.value().exit_status != 0) return std::nullopt;
  return CompiledCode{ran.value().output, listed_headers(ran.value().errors)};
}

}  // namespace troupe::opencl
