#include "linalg/files/matrix_market_writer.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <sstream>

#include "platform/files/atomic_file.hpp"

namespace troupe::linalg {
namespace {

template <class T>
std::string header_text(const DenseMatrix<T>& matrix, const std::string& comment) {
  std::string text = "%%MatrixMarket matrix array real general\n";
  std::istringstream lines(comment);
  for (std::string line; std::getline(lines, line);) text += "% " + line + "\n";
  return text + fmt::format("{} {}\n", matrix.rows, matrix.cols);
}

template <class T>
void append_number(std::string& text, T value) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  text.append(digits.data(), end);
  text += '\n';
}

}  // namespace

template <class T>
Result<void> write_array(const std::string& path, const DenseMatrix<T>& matrix, const std::string& comment) {
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  auto file = platform::AtomicFile::create(path);
  if (!file) return file.failure();
  std::string text = header_text(matrix, comment);
  for (const T value : matrix.values) {
    append_number(text, value);
    if (text.size() < kChunk) continue;
    if (auto written = file.value().write(text); !written) return written;
    text.clear();
  }
  if (auto written = file.value().write(text); !written) return written;
  return file.value().commit();
}

template Result<void> write_array(const std::string&, const DenseMatrix<float>&, const std::string&);
template Result<void> write_array(const std::string&, const DenseMatrix<double>&, const std::string&);

}  // namespace troupe::linalg
