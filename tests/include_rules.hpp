/// Checks the include rules of the tree. ARCHITECTURE.md explains the rules.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::tests {

/// A source file. Its path is relative to the root of the repository and has forward slashes.
struct SourceFile {
  std::string path;
  std::string text;
};

/// An include that breaks a rule.
struct Violation {
  std::string path;
  int line;  ///< Counted from 1; 0 if the whole file breaks a rule.
  std::string include;
  std::string reason;

  bool operator==(const Violation&) const = default;
};

/// Returns the files below `root` whose paths `wanted` accepts, sorted by path. The folder build/ and hidden folders
/// other than .ci/ are left out.
std::vector<SourceFile> read_files(const std::filesystem::path& root, bool (*wanted)(std::string_view path));

/// Returns all C++ and CUDA source files below `root`, sorted by path. Hidden folders, build/, docs/ and packaging/ are
/// left out.
std::vector<SourceFile> read_tree(const std::filesystem::path& root);

/// Returns all violations in these files, sorted by file and line. `files` must contain all files that internal
/// includes name.
///
/// - Folders depend on one another in one direction only. Scheduler, memory and workers never include one another.
/// - A core never includes a shell, which is a file named *_actor.*.
/// - CAF is only used in shells and directly in actors/, CUDA in files named cuda_*, hwloc in platform/, BLAS and
///   LAPACK in kernels/ and lab/bench/runners/. Tests follow the folder that they mirror. No other file may include
///   such a library indirectly.
/// - Includes begin at the root of the repository, and the included file exists.
std::vector<Violation> check_includes(const std::vector<SourceFile>& files);

/// Returns the headers of the tree that a program gets by including this one, itself included, sorted.
std::vector<std::string> headers_behind(const std::vector<SourceFile>& files, const std::string& header);

}  // namespace troupe::tests
