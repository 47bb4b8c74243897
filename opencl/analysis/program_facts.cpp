#include "opencl/analysis/program_facts.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>

#include "opencl/analysis/analysis_compiler.hpp"
#include "opencl/analysis/compiler_options.hpp"
#include "opencl/analysis/kernel_reader.hpp"
#include "opencl/analysis/source_text.hpp"
#include "opencl/analysis/vendor_macros.hpp"
#include "proto/mutex.hpp"

namespace troupe::opencl {
namespace {

using SharedFacts = std::shared_ptr<const ProgramFacts>;

/// The results of earlier analyses. The key of a result contains all that the result depends on.
class FactsCache {
 public:
  [[nodiscard]] SharedFacts find(const std::string& key) TROUPE_EXCLUDES(mutex_) {
    const LockGuard lock(mutex_);
    const auto found = facts_.find(key);
    return found == facts_.end() ? nullptr : found->second;
  }
  void keep(const std::string& key, const SharedFacts& facts) TROUPE_EXCLUDES(mutex_) {
    constexpr std::size_t kMost = 64;
    const LockGuard lock(mutex_);
    if (facts_.size() == kMost) facts_.clear();
    facts_[key] = facts;
  }
  /// The cache is never destroyed: builds may be analysed while the program ends.
  [[nodiscard]] static FactsCache& get() {
    static auto& cache = *new FactsCache;
    return cache;
  }

 private:
  Mutex mutex_;
  std::map<std::string, SharedFacts> facts_ TROUPE_GUARDED_BY(mutex_);
};

std::optional<std::string> content_of(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  if (!file || !content) return std::nullopt;
  return content.str();
}

/// Returns true if the compilers of all vendors find the same file. This holds for a header in a folder that the
/// options name. It also holds for a header in the working folder (the compiler then writes "./" before it), unless
/// another named folder could contain a header of this name.
bool is_found_by_all(const std::string& header, const std::vector<std::string>& folders) {
  const auto is_here = [](const std::string& folder) { return folder == "." || folder == "./"; };
  if (header.starts_with("./") && std::ranges::all_of(folders, is_here)) return true;
  return std::ranges::any_of(folders, [&](const std::string& folder) {
    return !is_here(folder) && header.starts_with(folder.ends_with('/') ? folder : folder + '/');
  });
}

ProgramFacts analyse(const std::string& compiler, const std::string& source, const CompilerOptions& options,
                     bool includes) {
  std::vector<std::string> texts{source, options.definitions};
  // A source without headers is checked first: if it depends on the vendor, the compiler does not have to run at all.
  if (!includes && depends_on_vendor(texts, options.defined)) return {};
  const auto compiled = compile_for_analysis(compiler, source, options.arguments, includes);
  if (!compiled) return {};
  for (const std::string& header : compiled->headers) {
    auto text = is_found_by_all(header, options.folders) ? content_of(header) : std::nullopt;
    if (!text) return {};
    texts.push_back(std::move(*text));
  }
  if (includes && depends_on_vendor(texts, options.defined)) return {};
  return facts_of_code(compiled->code);
}

}  // namespace

ProgramFacts facts_of_code(std::string_view code) {
  ProgramFacts facts;
  const CodeModule module(code);
  for (const CodeFunction& function : module.functions()) {
    if (!function.is_kernel) continue;
    try {
      facts.emplace(function.name, KernelReader(module, function).read());
    } catch (const CodeNotUnderstood&) {  // Nothing is known about this kernel.
    }
  }
  return facts;
}

std::shared_ptr<const ProgramFacts> facts_of(const std::string& source, const std::string& options,
                                             const std::string& compiler_name) {
  static const auto& nothing = *new SharedFacts(std::make_shared<const ProgramFacts>());
  const auto compiler = analysis_compiler(compiler_name);
  if (!compiler) return nothing;
  const auto arguments = compiler_options(options);
  if (!arguments) return nothing;
  // Headers may change between builds, so results with headers are not kept.
  const bool includes = has_directive(source, "include");
  const std::string key = *compiler + '\n' + options + '\n' + source;
  if (SharedFacts known = includes ? nullptr : FactsCache::get().find(key)) return known;
  SharedFacts facts = nothing;
  try {
    facts = std::make_shared<const ProgramFacts>(analyse(*compiler, source, *arguments, includes));
  } catch (const std::exception&) {  // If Troupe does not understand the code, that is no mistake of the program.
  }
  if (!includes) FactsCache::get().keep(key, facts);
  return facts;
}

FutureFacts facts_in_background(const std::string& source, const std::string& options) {
  try {
    // The environment is read in the calling thread, because the program may change it later.
    return std::async(std::launch::async,
                      [=, compiler = compiler_in_environment()] { return facts_of(source, options, compiler); })
        .share();
  } catch (const std::system_error&) {  // The system has no more threads.
    return {};
  }
}

}  // namespace troupe::opencl
