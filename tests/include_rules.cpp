#include "tests/include_rules.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>

namespace troupe::tests {
namespace {

namespace fs = std::filesystem;

/// A folder, and the other folders whose files its files may include.
struct Folder {
  std::string_view name;
  std::vector<std::string_view> may_include;
  /// The subfolders ("rooms") of the folder, in an order in which no room includes a later one. The folder's own files
  /// are its face: they may include the rooms, and the rooms may include them.
  std::vector<std::string_view> rooms{};
};

/// Returns the folders, in an order in which each folder only includes folders before it. The entry of actors/ does not
/// cover the subfolders of actors/ that have an entry of their own.
const std::vector<Folder>& folders() {
  static const std::vector<std::string_view> runtime{
      "proto",         "graph",          "platform", "actors/observation", "actors/scheduler",
      "actors/memory", "actors/workers", "actors"};
  const auto with = [](std::vector<std::string_view> all, std::initializer_list<std::string_view> more) {
    all.insert(all.end(), more);
    return all;
  };
  static const auto with_client = with(runtime, {"client"});
  static const auto with_traces = with(with_client, {"traces"});
  static const auto everything = with(with_client, {"kernels"});
  static const auto with_remote = with(everything, {"client/remote"});
  static const auto with_installed = with(with_remote, {"linalg", "traces"});
  static const auto with_service = with(with_installed, {"service"});
  static const auto with_applications = with(with_service, {"apps"});
  static const auto with_experiments = with(with_applications, {"lab/experiments", "apps/reference"});
  static const std::vector<Folder> table{
      {"include/troupe", {}},
      {"proto", {}, {"json", "wire"}},
      {"graph", {"proto"}, {"codelets", "tasks", "data", "recording", "state", "holds", "nesting"}},
      {"platform", {"proto"}, {"files", "machine", "memory", "described", "virtual", "accelerators", "cuda", "opencl"}},
      {"actors/observation", {"proto", "graph", "platform"}},
      {"actors/scheduler", {"proto", "graph", "platform", "actors/observation"}, {"models", "policies"}},
      {"actors/memory", {"proto", "graph", "platform"}, {"eviction"}},
      {"actors/workers", {"proto", "graph", "platform", "actors/observation"}, {"queues", "deciding", "devices"}},
      {"actors", runtime, {"options", "simulating", "running"}},
      {"client", runtime, {"environment"}},
      {"client/remote", with_client, {"connection", "memory"}},
      {"c", with_installed},
      {"kernels", {"proto", "graph", "platform"}, {"loops", "checks", "tiles", "sparse", "cuda"}},
      {"linalg", everything, {"files", "sparse"}},
      {"traces", with_client, {"analysis", "text", "files", "picture"}},
      {"opencl", with_traces, {"commands", "objects", "analysis", "programs", "splitting", "execution", "entries"}},
      {"service",
       with_remote,
       {"views", "configuration", "budgets", "connections", "memory", "codelets", "nesting", "sessions", "http"}},
      {"python/module", with_installed, {"linalg", "kernels", "bindings"}},
      {"lab/experiments", with_applications, {"claims", "clusters", "multigrain", "opencl"}},
      {"apps/reference", with_experiments},
      {"apps",
       with_service,
       {"terminal", "arguments", "bounds", "run", "simulate", "models", "service", "serving", "commands"}},
      {"lab/bench", with_experiments, {"instructions", "sparse", "recursion", "runners", "driver", "service", "gpu"}},
  };
  return table;
}

bool is_below(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

/// The public headers, which only include one another. Every folder may include those public headers that declare
/// things of the folders below it.
constexpr std::string_view kFace = "include/troupe";

/// Returns true if client/ defines what the header declares.
bool is_declared_for_client(std::string_view path) {
  constexpr std::array<std::string_view, 4> of_client{"troupe", "runtime", "tiled_matrix", "plugin"};
  return std::ranges::find(of_client, fs::path(path).stem().string()) != of_client.end();
}

bool is_test(std::string_view path) { return is_below(path, "tests"); }

/// Returns the folder of the table to which a file belongs: the folder with the longest matching name.
const Folder* folder_of(std::string_view path) {
  const Folder* found = nullptr;
  for (const Folder& folder : folders()) {
    if (is_below(path, folder.name) && (!found || folder.name.size() > found->name.size())) found = &folder;
  }
  return found;
}

/// Returns the room (the subfolder) in which a file of the folder is; empty for the folder's own files.
std::string room_of(const Folder& folder, std::string_view path) {
  const auto rest = path.substr(folder.name.size() + 1);
  const auto end = rest.find('/');
  return end == std::string_view::npos ? "" : std::string(rest.substr(0, end));
}

bool may_enter(const Folder& folder, std::string_view from, std::string_view to) {
  if (from == to || from.empty() || to.empty()) return true;
  const auto place = [&](std::string_view room) { return std::ranges::find(folder.rooms, room); };
  return place(to) < place(from) && place(from) != folder.rooms.end();
}

std::string stem_of(std::string_view path) { return fs::path(path).stem().string(); }

bool lies_directly_in(std::string_view path, std::string_view folder) {
  return fs::path(path).parent_path() == fs::path(folder);
}

bool is_named_shell(std::string_view path) { return stem_of(path).ends_with("_actor"); }

/// Returns true if CAF may appear in the file.
bool is_shell(std::string_view path) {
  return is_named_shell(path) || lies_directly_in(path, "actors") || is_below(path, "actors/running") ||
         is_below(path, "actors/simulating");
}

/// An external library that only some files may use.
struct External {
  std::string_view name;
  std::regex header;
  std::string_view place;
  bool (*allowed)(std::string_view path);
  std::string_view declared_in{};  ///< One of our headers that declares the library's functions.
};

bool caf_allowed(std::string_view path) {
  if (!is_test(path)) return is_shell(path);
  const auto stem = stem_of(path);
  return stem.ends_with("_actor_test") || stem.ends_with("_actor") || lies_directly_in(path, "tests/actors") ||
         is_below(path, "tests/actors/running") || is_below(path, "tests/actors/simulating") ||
         is_below(path, "tests/actors/options") || is_below(path, "tests/linalg") || is_below(path, "tests/traces") ||
         is_below(path, "tests/client") || is_below(path, "tests/apps") || is_below(path, "tests/soak");
}

bool cuda_allowed(std::string_view path) { return stem_of(path).starts_with("cuda_"); }

bool opencl_allowed(std::string_view path) {
  return stem_of(path).starts_with("opencl_") || is_below(path, "opencl") || is_below(path, "tests/opencl");
}

bool hwloc_allowed(std::string_view path) { return is_below(path, "platform") || is_below(path, "tests/platform"); }

/// BLAS is allowed in kernels/, and in the runners, which compare Troupe with BLAS libraries.
bool blas_allowed(std::string_view path) {
  return is_below(path, "kernels") || is_below(path, "tests/kernels") || is_below(path, "lab/bench/runners");
}

/// SuiteSparse is allowed in the file that orders sparse matrices, and in the runners, which compare Troupe with it.
bool suitesparse_allowed(std::string_view path) {
  return path == "linalg/sparse/ordering.cpp" || is_below(path, "lab/bench/runners");
}

bool glpk_allowed(std::string_view path) { return path == "apps/bounds/linear_program.cpp"; }

bool python_allowed(std::string_view path) { return is_below(path, "python"); }

/// The header of nlohmann's library takes the compiler seconds, so all other files use our type `Json`. Tests may read
/// outputs with the library itself.
bool nlohmann_allowed(std::string_view path) {
  return is_below(path, "proto/json") || path == "platform/files/json_place.cpp" || is_test(path);
}

/// Protobuf is only allowed in these files, because programs without a service must not need it.
bool wire_allowed(std::string_view path) {
  return is_below(path, "client/remote") || is_below(path, "service") || is_below(path, "apps") || is_test(path);
}

const std::vector<External>& externals() {
  static const std::vector<External> table{
      {"CAF", std::regex("caf/.*"), "shells (*_actor.*, actors/*)", caf_allowed},
      {"CUDA", std::regex("(cuda|cublas|cusolver|cusparse|curand|nvml|nvtx|nvToolsExt|cub/|thrust/).*"),
       "files named cuda_*", cuda_allowed},
      {"OpenCL", std::regex("(CL/.*|OpenCL/.*)"), "opencl/ and files named opencl_*", opencl_allowed},
      {"hwloc", std::regex("hwloc([./].*)?"), "platform/", hwloc_allowed},
      {"BLAS", std::regex("(.*/)?(cblas|f77blas|blas|lapack|lapacke|clapack|openblas|mkl|blis|flame)[_a-z]*[.]h(pp)?"),
       "kernels/ and lab/bench/runners/", blas_allowed, "kernels/fortran.hpp"},
      {"SuiteSparse", std::regex("(.*/)?(amd|umfpack|cholmod|SuiteSparse_config)[.]h"),
       "linalg/sparse/ordering.cpp and lab/bench/runners/", suitesparse_allowed},
      {"GLPK", std::regex("(.*/)?glpk[.]h"), "apps/bounds/linear_program.cpp", glpk_allowed},
      {"Python", std::regex("(pybind11/.*|Python[.]h|numpy/.*)"), "python/", python_allowed},
      {"nlohmann's JSON", std::regex("nlohmann/.*"), "proto/json/", nlohmann_allowed},
      {"gRPC", std::regex("(grpc|grpcpp|google/protobuf|troupe/v1)/.*"), "client/remote/, service/ and apps/",
       wire_allowed},
  };
  return table;
}

struct Include {
  int line;
  std::string name;  ///< The name as it is written; empty if a macro gives it.
  bool quoted;
};

std::vector<Include> includes_of(const std::string& text) {
  static const std::regex directive(R"re(^\s*#\s*(include|include_next|import)\b\s*(?:"([^"]+)"|<([^>]+)>)?)re");
  std::vector<Include> found;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    // A line without '#' cannot match. Skip it here, because the regular expression is slow.
    if (line.find('#') == std::string::npos) continue;
    std::smatch match;
    if (!std::regex_search(line, match, directive)) continue;
    found.push_back({number, match[2].matched ? match[2].str() : match[3].str(), match[2].matched});
  }
  return found;
}

class Checker {
 public:
  explicit Checker(const std::vector<SourceFile>& files) : files_(files) {
    for (const SourceFile& file : files) includes_.emplace(file.path, includes_of(file.text));
    for (const External& external : externals()) bringers_.push_back(bringers_of(external));
  }

  std::vector<Violation> run() {
    for (const SourceFile& file : files_) check(file.path);
    return std::move(violations_);
  }

  /// Returns the header and all that it includes, directly or not.
  [[nodiscard]] std::vector<std::string> behind(const std::string& header) const {
    std::set<std::string> seen{header};
    std::vector<std::string> open{header};
    while (!open.empty()) {
      const std::string path = open.back();
      open.pop_back();
      for (const Include& include : includes_.at(path)) {
        const auto target = resolve(include.name);
        if (target && seen.insert(*target).second) open.push_back(*target);
      }
    }
    return {seen.begin(), seen.end()};
  }

 private:
  void check(const std::string& path) {
    if (!folder_of(path) && !is_test(path)) report(path, {0, "", false}, "lies in a folder that the rules do not know");
    if (const Folder* folder = folder_of(path)) {
      const auto room = room_of(*folder, path);
      if (!room.empty() && !folder->rooms.empty() && std::ranges::find(folder->rooms, room) == folder->rooms.end()) {
        report(path, {0, "", false}, "lies in a room that the rules do not know");
      }
    }
    if ((path.ends_with(".cu") || path.ends_with(".cuh")) && !cuda_allowed(path)) {
      report(path, {0, "", false}, "device code lies in files named cuda_*");
    }
    for (const Include& include : includes_.at(path)) {
      if (include.name.empty()) {
        report(path, include, "includes by a macro, which cannot be checked");
      } else if (const auto target = resolve(include.name)) {
        check_internal(path, include, *target);
      } else if (include.quoted) {
        report(path, include, "includes start at the root of the repository, and this file is not there");
      } else {
        check_external(path, include);
      }
    }
  }

  void check_internal(const std::string& path, const Include& include, const std::string& target) {
    const Folder* from = folder_of(path);
    const Folder* to = folder_of(target);
    if (!is_test(path) && is_test(target)) {
      report(path, include, "only tests include tests");
    } else if (from && to && from != to && !may_include(*from, *to, target)) {
      report(path, include, std::string(from->name) + "/ must not include " + std::string(to->name) + "/");
    } else if (from && from == to && !may_enter(*from, room_of(*from, path), room_of(*from, target))) {
      report(path, include, room_of(*from, path) + "/ must not include " + room_of(*from, target) + "/");
    } else if (!is_test(path) && !is_shell(path) && is_named_shell(target)) {
      report(path, include, "a core never includes a shell");
    } else {
      check_what_comes_with(path, include, target);
    }
  }

  [[nodiscard]] static bool may_include(const Folder& from, const Folder& to, const std::string& target) {
    const auto allows = [&](std::string_view folder) {
      return from.name == folder || std::ranges::find(from.may_include, folder) != from.may_include.end();
    };
    if (to.name != kFace) return allows(to.name);
    return !is_declared_for_client(target) || allows("client");
  }

  void check_what_comes_with(const std::string& path, const Include& include, const std::string& target) {
    for (std::size_t i = 0; i < externals().size(); ++i) {
      const External& external = externals()[i];
      if (!external.allowed(path) && bringers_[i].contains(target)) {
        report(path, include,
               "brings in " + std::string(external.name) + ", which is for " + std::string(external.place));
      }
    }
  }

  void check_external(const std::string& path, const Include& include) {
    for (const External& external : externals()) {
      if (std::regex_match(include.name, external.header) && !external.allowed(path)) {
        report(path, include, std::string(external.name) + " is for " + std::string(external.place));
      }
    }
  }

  /// Returns the files that include the library directly or through other files.
  std::set<std::string> bringers_of(const External& external) const {
    std::set<std::string> found{std::string(external.declared_in)};
    const auto brings = [&](const Include& include) {
      const auto target = resolve(include.name);
      return target ? found.contains(*target) : std::regex_match(include.name, external.header);
    };
    for (std::size_t before = 0; before != found.size();) {
      before = found.size();
      for (const auto& [path, includes] : includes_) {
        if (!found.contains(path) && std::ranges::any_of(includes, brings)) found.insert(path);
      }
    }
    return found;
  }

  /// Returns the file of the tree that an include names. Includes in the form for users, <troupe/...>, are also
  /// understood.
  std::optional<std::string> resolve(const std::string& name) const {
    if (includes_.contains(name)) return name;
    if (const std::string of_face = "include/" + name; includes_.contains(of_face)) return of_face;
    for (const char* umbrella : {"linalg/linalg.hpp", "traces/traces.hpp"}) {
      if (includes_.contains(umbrella) && name == "troupe/" + fs::path(umbrella).filename().string()) return umbrella;
    }
    constexpr std::string_view prefix = "troupe/";
    if (name.starts_with(prefix) && includes_.contains(name.substr(prefix.size()))) return name.substr(prefix.size());
    return std::nullopt;
  }

  void report(const std::string& path, const Include& include, std::string reason) {
    violations_.push_back({path, include.line, include.name, std::move(reason)});
  }

  const std::vector<SourceFile>& files_;
  std::map<std::string, std::vector<Include>> includes_;
  std::vector<std::set<std::string>> bringers_;  ///< The result of `bringers_of` for each library of `externals()`.
  std::vector<Violation> violations_;
};

bool is_source(std::string_view path) {
  static constexpr std::array<std::string_view, 9> extensions{".hpp", ".cpp", ".h",   ".hh", ".cc",
                                                              ".cu",  ".cuh", ".ipp", ".inl"};
  return std::ranges::find(extensions, fs::path(path).extension().string()) != extensions.end();
}

}  // namespace

std::vector<SourceFile> read_files(const fs::path& root, bool (*wanted)(std::string_view path)) {
  std::vector<SourceFile> files;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::recursive_directory_iterator(); ++entry) {
    const auto name = entry->path().filename().string();
    const auto path = entry->path().lexically_relative(root).generic_string();
    if (entry->is_directory()) {
      if (path == "build" || (name.starts_with(".") && path != ".ci")) entry.disable_recursion_pending();
    } else if (entry->is_regular_file() && wanted(path)) {
      std::ifstream in(entry->path(), std::ios::binary);
      files.push_back({path, std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>())});
    }
  }
  std::ranges::sort(files, {}, &SourceFile::path);
  return files;
}

std::vector<SourceFile> read_tree(const fs::path& root) {
  return read_files(root, [](std::string_view path) {
    return is_source(path) && !is_below(path, "docs") && !is_below(path, "packaging");
  });
}

std::vector<Violation> check_includes(const std::vector<SourceFile>& files) { return Checker(files).run(); }

std::vector<std::string> headers_behind(const std::vector<SourceFile>& files, const std::string& header) {
  return Checker(files).behind(header);
}

}  // namespace troupe::tests
