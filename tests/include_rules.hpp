/// The include rules of the tree, as a check over source text. ARCHITECTURE.md states the rules for people.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace troupe::tests {

/// One source file; the path is relative to the root of the repository and has forward slashes.
struct SourceFile {
  std::string path;
  std::string text;
};

/// An include that breaks a rule.
struct Violation {
  std::string path;
  int line;  ///< counted from 1; 0 if the file itself is at fault
  std::string include;
  std::string reason;

  bool operator==(const Violation&) const = default;
};

/// Every C++ or CUDA source below `root`, sorted by path; hidden folders, build/ and docs/ are left out.
std::vector<SourceFile> read_tree(const std::filesystem::path& root);

/// Returns all violations in these files, sorted by file and line. Files that internal includes name must be among
/// them.
///
/// - Folders depend on one another in one direction only; scheduler, memory and workers never meet.
/// - A core never includes a shell, a file named *_actor.*.
/// - CAF appears in shells and directly in actors/, CUDA in files named cuda_*, hwloc in platform/, BLAS and LAPACK in
///   kernels/ and lab/bench/runners/; tests follow the folder that they mirror. No other file brings such a library in
///   indirectly.
/// - Includes start at the root of the repository, and their file exists.
std::vector<Violation> check_includes(const std::vector<SourceFile>& files);

}  // namespace troupe::tests
