/// Checks a rule for comments in source files: a comment must begin with a sentence that has a subject.
#pragma once

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

/// Returns the comments that begin with a word that needs something before it, such as "Of" or "Whose", by file and
/// line. Consecutive lines with `//` or `///` are one comment. Comments after code are checked, too.
std::vector<Fragment> check_comments(const std::vector<SourceFile>& files);

}  // namespace troupe::tests
