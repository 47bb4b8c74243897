/// The tables of the manual that are generated from the code: docs/reference.
#pragma once

#include <string>
#include <vector>

#include "apps/reference/command_pages.hpp"
#include "troupe/errors.hpp"

namespace troupe::apps {

struct ReferenceDocument {
  /// The file's name, such as "options.md".
  std::string file;
  std::string text;
};

/// Lists the options of every command: "options.md" for `troupe`, "bench.md" for `troupe bench`.
[[nodiscard]] ReferenceDocument options_document(const CommandPage& whole);

/// Lists every error code and every exit code. The meanings of the codes are the comments in
/// `include/troupe/errors.hpp` below the folder `source`. Fails with `io` if that file cannot be read, and with
/// `bad_input` if a code has no comment.
[[nodiscard]] Result<ReferenceDocument> errors_document(const std::string& source);

/// Lists every metric of a service, with its labels.
[[nodiscard]] ReferenceDocument metrics_document();

/// Lists every key of the output of `--json`, with its type and its place, from the schema, a JSON text. Fails with
/// `bad_input` if a key has no description.
[[nodiscard]] Result<ReferenceDocument> keys_document(const std::string& schema);

/// Lists every option of a runtime with its names on the command line, in the environment and elsewhere:
/// "runtime-options.md".
[[nodiscard]] ReferenceDocument runtime_options_document();

/// A generated section of a file. It stands between two fixed texts, the marks `begin` and `end`.
struct GeneratedSection {
  /// The path below the source folder.
  std::string file;
  std::string begin;
  std::string end;
  std::string text;
};

/// Returns the generated lists of options: in the manual, and in the stub file for Python's type checkers.
[[nodiscard]] std::vector<GeneratedSection> option_sections();

/// Returns `whole` with the section's text between its marks. Fails with `bad_input` if a mark is missing.
[[nodiscard]] Result<std::string> with_section(const std::string& whole, const GeneratedSection& section);

/// Returns the note that follows the title of every generated document: "\n<!-- ... -->\n".
[[nodiscard]] std::string written_by();
/// Returns the text for a cell of a table, without characters that would end the cell.
[[nodiscard]] std::string cell(const std::string& text);

}  // namespace troupe::apps
