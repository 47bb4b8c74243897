/// Manual pages in the man macros, made from the command line's description.
#pragma once

#include <string>
#include <vector>

#include "apps/reference/command_pages.hpp"

namespace troupe::apps {

struct ManPage {
  /// The file's name, such as "troupe-run.1".
  std::string file;
  std::string text;
};

/// Returns a page for `troupe` itself and one page for each of its commands, including its subcommands. The pages are
/// the same on every machine and every day.
[[nodiscard]] std::vector<ManPage> man_pages(const CommandPage& whole);

}  // namespace troupe::apps
