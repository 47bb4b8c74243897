/// The manual as tests read it.
#pragma once

#include <built_paths.hpp>  // written by the build
#include <filesystem>
#include <string>
#include <vector>

namespace troupe::documents {

/// A fenced block of code or output.
struct CodeBlock {
  /// The number of the block's first line of text, counted from 1.
  int line = 0;
  /// The language, such as "cpp", "c" or "sh"; empty if the fence names none.
  std::string language;
  /// The text of the comment on the line before, such as "example: axpy"; empty if there is none.
  std::string marker;
  std::string text;
};

struct Page {
  /// The path relative to the root of the repository, such as "docs/programming.md".
  std::string path;
  std::vector<std::string> lines;
  std::vector<CodeBlock> blocks;
  /// The lines outside of blocks; lines inside of blocks are empty here.
  std::vector<std::string> prose;
};

/// Returns the content of a file of the repository.
[[nodiscard]] std::string content(const std::filesystem::path& path);

/// Reads a document of the repository. Throws if a block is not closed.
[[nodiscard]] Page read_page(const std::string& path);

/// Returns README.md and the manual, docs/*.md, sorted by path.
[[nodiscard]] const std::vector<Page>& pages();

}  // namespace troupe::documents
