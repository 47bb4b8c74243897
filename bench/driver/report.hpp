/// What was measured, for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/driver/measurement.hpp"

namespace troupe::bench {

/// A line per row and contestant: medians with their intervals, and Troupe over the peer.
struct ReportCells {
  std::vector<std::string> titles;
  /// How many columns from the left are words.
  std::size_t words = 0;
  std::vector<std::vector<std::string>> lines;
  /// What was skipped or failed, and why; one sentence each.
  std::vector<std::string> notes;
};
[[nodiscard]] ReportCells report_cells(const Results& results);

[[nodiscard]] std::string as_terminal_text(const Results& results);
[[nodiscard]] std::string as_markdown(const Results& results);
[[nodiscard]] nlohmann::json as_json(const Results& results);

}  // namespace troupe::bench
