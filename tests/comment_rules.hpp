/// A rule for comments, as a check over source text: a comment is a sentence with a subject.
#pragma once

#include <string>
#include <vector>

#include "tests/include_rules.hpp"

namespace troupe::tests {

/// A comment that opens with a fragment.
struct Fragment {
  std::string path;
  int line;  ///< counted from 1
  /// The comment's first line.
  std::string text;

  bool operator==(const Fragment&) const = default;
};

/// All comments in these files that open with a word with which a reader cannot begin, such as "Of" or "Whose", by file
/// and line. Lines of `//` or `///` that follow one another are one comment. Comments behind code count, too.
std::vector<Fragment> check_comments(const std::vector<SourceFile>& files);

}  // namespace troupe::tests
