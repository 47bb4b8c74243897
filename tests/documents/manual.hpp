/// The manual as tests see it.
#pragma once

#include <built_paths.hpp>  // written by the build
#include <filesystem>
#include <string>
#include <vector>

namespace troupe::documents {

/// A fenced block of code or output.
struct CodeBlock {
  /// Of its first line of text, from 1.
  int line = 0;
  /// "cpp", "c", "sh"; empty where the fence names none.
  std::string language;
  /// What a comment on the line before says: "example: axpy". Empty where there is none.
  std::string marker;
  std::string text;
};

struct Page {
  /// Relative to the root of the repository: "docs/programming.md".
  std::string path;
  std::vector<std::string> lines;
  std::vector<CodeBlock> blocks;
  /// Lines that are in none of the blocks, with those that are empty in their place.
  std::vector<std::string> prose;
};

/// A file of the repository.
[[nodiscard]] std::string content(const std::filesystem::path& path);

/// A document of the repository. Throws where a block is not closed.
[[nodiscard]] Page read_page(const std::string& path);

/// README.md and the manual, docs/*.md, sorted.
[[nodiscard]] const std::vector<Page>& pages();

}  // namespace troupe::documents
