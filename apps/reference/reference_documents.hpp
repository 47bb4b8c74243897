/// The manual's tables that are written from the code: docs/reference.
#pragma once

#include <string>
#include <vector>

#include "apps/reference/command_pages.hpp"
#include "proto/errors.hpp"

namespace troupe::apps {

struct ReferenceDocument {
  /// "options.md"
  std::string file;
  std::string text;
};

/// The options of every command: "options.md" of `troupe`, "bench.md" of `troupe bench`.
[[nodiscard]] ReferenceDocument options_document(const CommandPage& whole);

/// Every error code and every exit code. What a code means is read from the comments of `proto/errors.hpp` below the
/// folder `source`; fails with `io` where that cannot be read, and with `bad_input` where a code has no comment.
[[nodiscard]] Result<ReferenceDocument> errors_document(const std::string& source);

/// Every metric of a service, with its labels.
[[nodiscard]] ReferenceDocument metrics_document();

/// Every key of what `--json` prints, with its type and where it stands, from the schema, a JSON text. Fails with
/// `bad_input` where a key has no description.
[[nodiscard]] Result<ReferenceDocument> keys_document(const std::string& schema);

/// "\n<!-- ... -->\n": what every document begins with, after its title.
[[nodiscard]] std::string written_by();
/// In a cell of a table: without what would end it.
[[nodiscard]] std::string cell(const std::string& text);

}  // namespace troupe::apps
