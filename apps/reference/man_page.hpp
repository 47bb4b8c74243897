/// Manual pages in the man macros, from what the command line offers.
#pragma once

#include <string>
#include <vector>

#include "apps/reference/command_pages.hpp"

namespace troupe::apps {

struct ManPage {
  /// "troupe-run.1"
  std::string file;
  std::string text;
};

/// One for `troupe` itself and one for each of its commands, with the commands of a command in it. The same on every
/// machine and every day.
[[nodiscard]] std::vector<ManPage> man_pages(const CommandPage& whole);

}  // namespace troupe::apps
