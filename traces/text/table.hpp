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
/// The width of a text is its number of code points of UTF-8. Line breaks within a cell become spaces.
class Table {
 public:
  /// A title such as "worker" makes a column of words, aligned on the left; ">tasks" makes a column of numbers, aligned
  /// on the right.
  explicit Table(std::vector<std::string> titles);

  /// Adds a row. Missing cells on the right are empty; cells beyond the last column are dropped.
  void add_row(std::vector<std::string> cells);

  /// Adds a line across the table, for instance in front of a row of sums.
  void add_rule();

  /// Returns the table. Every line is indented by `indent` spaces, has no trailing spaces, and ends in a line break.
  [[nodiscard]] std::string text(std::size_t indent = 0) const;

 private:
  std::vector<std::string> titles_;
  std::vector<bool> right_;
  /// An empty row stands for a line across the table.
  std::vector<std::vector<std::string>> rows_;
};

/// Returns the width of `text` on a terminal, which is taken to be its number of code points.
std::size_t display_width(std::string_view text);

}  // namespace troupe::traces
