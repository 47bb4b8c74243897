/// The tables of the manual that are written from the code: docs/reference.
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

/// Lists every error code and every exit code. The meaning of a code is read from the comments of
/// `include/troupe/errors.hpp` below the folder `source`; fails with `io` if that cannot be read, and with `bad_input`
/// if a code has no comment.
[[nodiscard]] Result<ReferenceDocument> errors_document(const std::string& source);

/// Lists every metric of a service, with its labels.
[[nodiscard]] ReferenceDocument metrics_document();

/// Lists every key of the output of `--json`, with its type and where it stands, from the schema, a JSON text. Fails
/// with `bad_input` if a key has no description.
[[nodiscard]] Result<ReferenceDocument> keys_document(const std::string& schema);

/// Returns the line with which every document begins, after its title: "\n<!-- ... -->\n".
[[nodiscard]] std::string written_by();
/// Returns the text for a cell of a table, without characters that would end the cell.
[[nodiscard]] std::string cell(const std::string& text);

}  // namespace troupe::apps
