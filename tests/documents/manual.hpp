/// Reads the manual for tests.
#pragma once

#include <built_paths.hpp>  // written by the build
#include <filesystem>
#include <string>
#include <vector>

namespace troupe::documents {

/// A block of code or output between two ``` lines (fences).
struct CodeBlock {
  /// The number of the block's first line of text, counted from 1.
  int line = 0;
  /// The language that the first fence names, such as "cpp", "c" or "sh"; empty if there is none.
  std::string language;
  /// The text of the comment in the line before the block, such as "example: axpy"; empty if there is none.
  std::string marker;
  std::string text;
};

struct Page {
  /// The path relative to the root of the repository, such as "docs/programming.md".
  std::string path;
  std::vector<std::string> lines;
  std::vector<CodeBlock> blocks;
  /// The lines of the page. Lines inside of blocks are empty here.
  std::vector<std::string> prose;
};

/// Returns the content of a file of the repository.
[[nodiscard]] std::string content(const std::filesystem::path& path);

/// Reads a document of the repository. Throws if a block has no closing fence.
[[nodiscard]] Page read_page(const std::string& path);

/// Returns the pages of the manual: README.md and docs/*.md, sorted by path.
[[nodiscard]] const std::vector<Page>& pages();

}  // namespace troupe::documents
