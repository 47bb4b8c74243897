/// Checks a rule for comments in source files: a comment must begin with a sentence that has a subject.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/include_rules.hpp"

namespace troupe::tests {

/// A comment that begins with a fragment.
struct Fragment {
  std::string path;
  int line;  ///< Counted from 1.
  /// The first line of the comment.
  std::string text;

  bool operator==(const Fragment&) const = default;
};

/// Returns the files below `root` that may have comments: those of the kinds that `check_comments` knows, and those
/// whose names have no extension. Folders are left out as in `read_files`.
std::vector<SourceFile> read_commented(const std::filesystem::path& root);

/// Returns the comments that begin with a word that needs something before it, such as "Of" or "Whose", by file and
/// line. The name of a file tells how its comments look: those of C++, C, CUDA, OpenCL, JavaScript and Protobuf
/// (`//` and `/* */`), Fortran (`!`), Python (`#` and docstrings), CMake and settings (`#`). A file that begins with
/// `#!` and is no Python file is a shell script. Consecutive lines with the same mark are one comment. Comments after
/// code are checked, too.
std::vector<Fragment> check_comments(const std::vector<SourceFile>& files);

}  // namespace troupe::tests
