#include "linalg/files/matrix_market_header.hpp"

#include <fmt/format.h>

#include <limits>
#include <string_view>

#include "linalg/files/line_reader.hpp"
#include "proto/tokens.hpp"

namespace troupe::linalg {
namespace {

/// The largest number of elements of a dense matrix. Up to this number, the size in bytes fits into 63 bits for every
/// element type.
constexpr std::int64_t kMostElements = std::int64_t{1} << 59;

constexpr std::string_view kUsable = "use a file whose banner says 'real' or 'integer'";

Failure not_matrix_market(const LineReader& lines, std::string_view first_line) {
  if (first_line.starts_with("\x1f\x8b")) {
    return {ErrorCode::bad_input, fmt::format("'{}' is compressed with gzip; unpack it first", lines.path())};
  }
  return lines.bad_line(
      fmt::format("this is no Matrix Market file: it should begin with '%%MatrixMarket matrix' but begins with {}",
                  quoted(first_line)));
}

/// Reads the next line that is not empty and not a comment. Returns false at the end of the file.
bool next_content(LineReader& lines, std::string_view& line) {
  while (lines.next(line)) {
    std::string_view rest = line;
    const auto word = next_token(rest);
    if (!word.empty() && word[0] != '%') return true;
  }
  return false;
}

Result<MatrixFormat> parse_format(const LineReader& lines, const std::string& word) {
  if (word == "coordinate") return MatrixFormat::coordinate;
  if (word == "array") return MatrixFormat::array;
  return lines.bad_line(fmt::format("the format {} is unknown; known are 'coordinate' and 'array'", quoted(word)));
}

Result<MatrixField> parse_field(const LineReader& lines, const std::string& word) {
  if (word == "real" || word == "double") return MatrixField::real;
  if (word == "integer" || word == "unsigned-integer") return MatrixField::integer;
  if (word == "pattern") {
    return lines.bad_line(
        fmt::format("this is a 'pattern' file: it says where the entries are but gives no values; {}", kUsable));
  }
  if (word == "complex") {
    return lines.bad_line(
        fmt::format("this file holds complex numbers, and only real systems can be solved; {}", kUsable));
  }
  return lines.bad_line(fmt::format("the field {} is unknown; {}", quoted(word), kUsable));
}

Result<MatrixSymmetry> parse_symmetry(const LineReader& lines, const std::string& word) {
  if (word == "general") return MatrixSymmetry::general;
  if (word == "symmetric") return MatrixSymmetry::symmetric;
  if (word == "skew-symmetric") return MatrixSymmetry::skew_symmetric;
  if (word == "hermitian") {
    return lines.bad_line(
        "this file holds a Hermitian matrix, and only real systems can be solved; "
        "use a real matrix that is 'general' or 'symmetric'");
  }
  return lines.bad_line(
      fmt::format("the symmetry {} is unknown; known are 'general', 'symmetric' and 'skew-symmetric'", quoted(word)));
}

/// Reads the first line, such as `%%MatrixMarket matrix coordinate real symmetric`, in upper or lower case.
Result<void> read_banner(LineReader& lines, MatrixMarketHeader& header) {
  std::string_view line;
  if (!lines.next(line)) {
    if (lines.failure()) return *lines.failure();
    return Failure{ErrorCode::bad_input, fmt::format("'{}' is empty", lines.path())};
  }
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
  std::string_view rest = line;
  if (lower_case(next_token(rest)) != "%%matrixmarket") return not_matrix_market(lines, line);
  const auto object = lower_case(next_token(rest));
  if (object != "matrix") {
    return lines.bad_line(fmt::format("the file holds a {}, and only a 'matrix' can be used", quoted(object)));
  }
  const auto format = parse_format(lines, lower_case(next_token(rest)));
  if (!format) return format.failure();
  const auto field = parse_field(lines, lower_case(next_token(rest)));
  if (!field) return field.failure();
  const auto symmetry = parse_symmetry(lines, lower_case(next_token(rest)));
  if (!symmetry) return symmetry.failure();
  header.format = format.value();
  header.field = field.value();
  header.symmetry = symmetry.value();
  return {};
}

/// Returns the largest number of entries in a file for a matrix of this size and symmetry.
std::int64_t most_entries(const MatrixMarketHeader& header) {
  const std::int64_t full = header.rows * header.cols;
  switch (header.symmetry) {
    case MatrixSymmetry::general: return full;
    case MatrixSymmetry::symmetric: return (full - header.rows) / 2 + header.rows;
    case MatrixSymmetry::skew_symmetric: return (full - header.rows) / 2;
  }
  return full;
}

Result<void> check_size(const LineReader& lines, const MatrixMarketHeader& header) {
  if (header.rows < 0 || header.cols < 0 || header.entries < 0) return lines.bad_line("a size is negative");
  const auto shape = fmt::format("{} x {}", header.rows, header.cols);
  if (header.rows == 0 || header.cols == 0) return lines.bad_line(fmt::format("the matrix is empty ({})", shape));
  if (header.rows > kMostElements / header.cols) {
    return lines.bad_line(fmt::format("a matrix of {} is too large", shape));
  }
  if (header.symmetry != MatrixSymmetry::general && !header.square()) {
    return lines.bad_line(fmt::format("the banner says that the matrix is symmetric, but it is {}", shape));
  }
  if (header.format == MatrixFormat::coordinate && header.entries > most_entries(header)) {
    return lines.bad_line(fmt::format("{} entries are declared, but a{} matrix of {} has at most {}", header.entries,
                                      header.symmetry == MatrixSymmetry::general ? "" : " symmetric", shape,
                                      most_entries(header)));
  }
  return {};
}

/// Reads the line `rows columns entries` of a coordinate file, or `rows columns` of an array file.
Result<void> read_size(LineReader& lines, MatrixMarketHeader& header) {
  std::string_view line;
  if (!next_content(lines, line)) {
    if (lines.failure()) return *lines.failure();
    return lines.bad_line("the file ends before the size of the matrix; it seems to be truncated");
  }
  const bool coordinate = header.format == MatrixFormat::coordinate;
  const std::string expected = coordinate ? "rows, columns and entries" : "rows and columns";
  std::string_view rest = line;
  for (std::int64_t* size : {&header.rows, &header.cols, &header.entries}) {
    if (size == &header.entries && !coordinate) break;
    const auto number = parse_integer(next_token(rest));
    if (number.status == NumberStatus::too_large) {
      return lines.bad_line(fmt::format("a size in {} does not fit in 64 bits", quoted(line)));
    }
    if (number.status != NumberStatus::ok) {
      return lines.bad_line(fmt::format("expected the numbers of {}, found {}", expected, quoted(line)));
    }
    *size = number.value;
  }
  if (!next_token(rest).empty()) {
    return lines.bad_line(fmt::format("expected only the numbers of {}, found {}", expected, quoted(line)));
  }
  header.size_line = lines.line_number();
  if (auto checked = check_size(lines, header); !checked) return checked;
  if (!coordinate) header.entries = most_entries(header);
  return {};
}

}  // namespace

Result<MatrixMarketHeader> read_header(LineReader& lines) {
  MatrixMarketHeader header;
  if (auto banner = read_banner(lines, header); !banner) return banner.failure();
  if (auto size = read_size(lines, header); !size) return size.failure();
  return header;
}

Result<MatrixMarketHeader> read_header(const std::string& path) {
  auto lines = LineReader::open(path);
  if (!lines) return lines.failure();
  return read_header(lines.value());
}

}  // namespace troupe::linalg
