#include "traces/text/table.hpp"

#include <algorithm>
#include <cassert>

#include "proto/utf8.hpp"

namespace troupe::traces {
namespace {

constexpr std::size_t kGap = 2;

std::string on_one_line(std::string cell) {
  std::replace_if(
      cell.begin(), cell.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return cell;
}

void append_cell(std::string& line, std::string_view cell, std::size_t width, bool right) {
  const std::string padding(width - display_width(cell), ' ');
  if (right) line += padding;
  line += cell;
  if (!right) line += padding;
}

void end_line(std::string& text) {
  text.erase(text.find_last_not_of(' ') + 1);
  text += '\n';
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return text.size() - static_cast<std::size_t>(std::count_if(text.begin(), text.end(), continues_character));
}

Table::Table(std::vector<std::string> titles) : titles_(std::move(titles)) {
  assert(!titles_.empty() && "a table needs a column");
  for (std::string& title : titles_) {
    right_.push_back(title.starts_with('>'));
    if (right_.back()) title.erase(0, 1);
  }
}

void Table::add_row(std::vector<std::string> cells) {
  cells.resize(titles_.size());
  std::transform(cells.begin(), cells.end(), cells.begin(), on_one_line);
  rows_.push_back(std::move(cells));
}

void Table::add_rule() { rows_.emplace_back(); }

std::string Table::text(std::size_t indent) const {
  std::vector<std::size_t> widths;
  for (const auto& title : titles_) widths.push_back(display_width(title));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i]));
  }
  std::string text;
  const auto append = [&](const auto& cell_of) {
    text.append(indent, ' ');
    for (std::size_t i = 0; i < titles_.size(); ++i) {
      if (i > 0) text.append(kGap, ' ');
      append_cell(text, cell_of(i), widths[i], right_[i]);
    }
    end_line(text);
  };
  const auto append_rule = [&] { append([&](std::size_t i) { return std::string(widths[i], '-'); }); };
  append([&](std::size_t i) { return titles_[i]; });
  append_rule();
  for (const auto& row : rows_) {
    if (row.empty()) {
      append_rule();
    } else {
      append([&](std::size_t i) { return row[i]; });
    }
  }
  return text;
}

}  // namespace troupe::traces
