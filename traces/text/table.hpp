/// A table of text with aligned columns, for terminals.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace troupe::traces {

/// Collects rows, then prints them:
///
///     worker   tasks     busy
///     -------  -----  -------
///     core 0     816   99.1 %
///
/// Widths count code points of UTF-8. Line breaks within a cell become spaces.
class Table {
 public:
  /// Titles: "worker" of a column of words, which are aligned on the left, ">tasks" of one of numbers, on the right.
  explicit Table(std::vector<std::string> titles);

  /// Cells that are missing on the right are empty; those beyond the last column are dropped.
  void add_row(std::vector<std::string> cells);

  /// A line across the table, for instance in front of a row of sums.
  void add_rule();

  /// The table, every line indented by `indent` spaces and ended by a line break; nothing trails on the right.
  [[nodiscard]] std::string text(std::size_t indent = 0) const;

 private:
  std::vector<std::string> titles_;
  std::vector<bool> right_;
  /// An empty row is a rule.
  std::vector<std::vector<std::string>> rows_;
};

/// The columns that `text` takes on a terminal: its code points.
std::size_t display_width(std::string_view text);

}  // namespace troupe::traces
