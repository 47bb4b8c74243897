/// The results as text for people and as JSON.
#pragma once

#include <string>
#include <vector>

#include "lab/bench/driver/measurement.hpp"
#include "proto/json/json.hpp"

namespace troupe::bench {

/// The cells of a table with one line for each row and contestant: the medians with their intervals, and the ratio of
/// Troupe to the peer.
struct ReportCells {
  std::vector<std::string> titles;
  /// The number of columns with words, counted from the left.
  std::size_t words = 0;
  std::vector<std::vector<std::string>> lines;
  /// One sentence for each contestant that was skipped or failed, with the reason.
  std::vector<std::string> notes;
};
[[nodiscard]] ReportCells report_cells(const Results& results);

[[nodiscard]] std::string as_terminal_text(const Results& results);
[[nodiscard]] std::string as_markdown(const Results& results);
[[nodiscard]] Json as_json(const Results& results);

}  // namespace troupe::bench
