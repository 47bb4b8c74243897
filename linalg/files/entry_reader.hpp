/// Reads the entries of a Matrix Market file, one after the other.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "linalg/files/line_reader.hpp"
#include "linalg/files/matrix_market_header.hpp"
#include "proto/tokens.hpp"

namespace troupe::linalg {

/// Reads the entries that follow a header, as numbers of type `T`, float or double. For each element, including both
/// triangles of a symmetric or skew-symmetric matrix, calls `elements.add(row, col, value)`, with indices from zero.
/// `add` must add the value to the element and return true if the sum is finite. The functions here return the failure,
/// if there is one.
template <class T, class Elements>
class EntryReader {
 public:
  EntryReader(LineReader& lines, const MatrixMarketHeader& header, Elements& elements)
      : lines_(lines), header_(header), elements_(elements) {}

  std::optional<Failure> read() {
    std::string_view line;
    while (lines_.next(line)) {
      std::string_view rest = line;
      std::string_view word = next_token(rest);
      if (word.empty() || word[0] == '%') continue;
      auto failure =
          header_.format == MatrixFormat::coordinate ? read_coordinate(word, rest, line) : read_array(word, rest);
      // The file ends inside this line although more entries should follow, so report that the file is truncated.
      if (failure && lines_.cut_off() && found_ < header_.entries) return truncated(found_ - 1);
      if (failure) return failure;
    }
    if (lines_.failure()) return lines_.failure();
    if (found_ < header_.entries) return truncated(found_);
    return std::nullopt;
  }

 private:
  std::optional<Failure> read_coordinate(std::string_view word, std::string_view rest, std::string_view line) {
    if (auto failure = check_count()) return failure;
    std::int64_t row = 0;
    std::int64_t col = 0;
    if (auto failure = read_index(word, "row", header_.rows, row)) return failure;
    if (auto failure = read_index(next_token(rest), "column", header_.cols, col)) return failure;
    const auto value_word = next_token(rest);
    if (value_word.empty() || !next_token(rest).empty()) {
      return lines_.bad_line(fmt::format("expected row, column and value, found {}", quoted(line)));
    }
    T value{};
    if (auto failure = read_value(value_word, value)) return failure;
    return store(row, col, value);
  }

  /// Reads a line of an array file. A line should have one value, but several are accepted, too.
  std::optional<Failure> read_array(std::string_view word, std::string_view rest) {
    for (; !word.empty(); word = next_token(rest)) {
      if (auto failure = check_count()) return failure;
      T value{};
      if (auto failure = read_value(word, value)) return failure;
      if (auto failure = store(next_row_, next_col_, value)) return failure;
      advance();
    }
    return std::nullopt;
  }

  [[nodiscard]] Failure truncated(std::int64_t found) const {
    return lines_.bad_line(
        fmt::format("the file ends here with {} of the {} entries that line {} declares; it seems to be "
                    "truncated: get it again, or correct the number",
                    found, header_.entries, header_.size_line));
  }

  std::optional<Failure> check_count() {
    if (++found_ <= header_.entries) return std::nullopt;
    return lines_.bad_line(
        fmt::format("there are more entries than the {} that line {} declares; correct the number, or "
                    "remove what does not belong here",
                    header_.entries, header_.size_line));
  }

  std::optional<Failure> read_index(std::string_view word, std::string_view what, std::int64_t count,
                                    std::int64_t& index) {
    const auto number = parse_integer(word);
    if (number.status == NumberStatus::garbage) {
      return lines_.bad_line(fmt::format("expected the number of a {}, found {}", what, quoted(word)));
    }
    if (number.status != NumberStatus::ok || number.value < 1 || number.value > count) {
      return lines_.bad_line(
          fmt::format("{} {} is out of range: {}s are numbered from 1 to {}", what, word, what, count));
    }
    index = number.value - 1;
    return std::nullopt;
  }

  std::optional<Failure> read_value(std::string_view word, T& value) {
    const auto number = parse_real(word);
    if (number.status == NumberStatus::garbage) {
      return lines_.bad_line(fmt::format("expected a number, found {}", quoted(word)));
    }
    if (number.status == NumberStatus::not_finite) {
      return lines_.bad_line(fmt::format("the value is {}; every entry has to be a finite number", quoted(word)));
    }
    if (number.status == NumberStatus::too_large || std::abs(number.value) > std::numeric_limits<T>::max()) {
      return lines_.bad_line(fmt::format("{} is too large for {} precision", quoted(word),
                                         sizeof(T) == sizeof(float) ? "single" : "double"));
    }
    if (header_.field == MatrixField::integer && std::trunc(number.value) != number.value) {
      return lines_.bad_line(
          fmt::format("the banner says that all values are integers, but this one is {}", quoted(word)));
    }
    value = static_cast<T>(number.value);
    return std::nullopt;
  }

  std::optional<Failure> store(std::int64_t row, std::int64_t col, T value) {
    if (header_.symmetry != MatrixSymmetry::general && row < col) {
      return lines_.bad_line(
          fmt::format("entry ({}, {}) lies above the diagonal, but a symmetric file stores the lower "
                      "triangle only; remove the upper one, or declare the matrix 'general'",
                      row + 1, col + 1));
    }
    if (header_.symmetry == MatrixSymmetry::skew_symmetric && row == col && value != T{}) {
      return lines_.bad_line(
          fmt::format("entry ({0}, {0}) is on the diagonal of a skew-symmetric matrix but is not zero", row + 1));
    }
    if (!elements_.add(row, col, value)) {
      return lines_.bad_line(fmt::format("the sum of all entries ({}, {}) is too large", row + 1, col + 1));
    }
    if (row == col || header_.symmetry == MatrixSymmetry::general) return std::nullopt;
    (void)elements_.add(col, row, header_.symmetry == MatrixSymmetry::symmetric ? value : -value);
    return std::nullopt;
  }

  /// Moves to the next element of an array, column by column. In a symmetric matrix, visits only the lower triangle.
  void advance() {
    if (++next_row_ < header_.rows) return;
    ++next_col_;
    next_row_ = first_row();
  }

  [[nodiscard]] std::int64_t first_row() const {
    switch (header_.symmetry) {
      case MatrixSymmetry::general: return 0;
      case MatrixSymmetry::symmetric: return next_col_;
      case MatrixSymmetry::skew_symmetric: return next_col_ + 1;
    }
    return 0;
  }

  LineReader& lines_;
  const MatrixMarketHeader& header_;
  Elements& elements_;
  std::int64_t found_ = 0;
  std::int64_t next_col_ = 0;
  std::int64_t next_row_ = first_row();
};

}  // namespace troupe::linalg
