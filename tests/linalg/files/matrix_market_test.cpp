#include "linalg/files/matrix_market.hpp"

#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build
#include <fstream>
#include <random>

#include "linalg/files/line_reader.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/tries.hpp"

namespace troupe::linalg {

namespace matrix_market {

using tests::contains;
using tests::TemporaryFolder;

const std::string kGeneral = "%%MatrixMarket matrix coordinate real general\n";
const std::string kSymmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string kSkew = "%%MatrixMarket matrix coordinate real skew-symmetric\n";
const std::string kArray = "%%MatrixMarket matrix array real general\n";

struct ReaderFixture {
  TemporaryFolder folder;

  template <class T = double>
  Result<DenseMatrix<T>> matrix_of(std::string_view content) {
    const auto path = folder.write("a.mtx", content);
    return read_dense<T>(path);
  }

  template <class T = double>
  void reads(std::string_view content, const std::vector<T>& column_major) {
    const auto matrix = matrix_of<T>(content);
    BOOST_TEST_CONTEXT((matrix.ok() ? std::string() : matrix.failure().message)) BOOST_TEST_REQUIRE(matrix.ok());
    BOOST_TEST(matrix.value().values == column_major, boost::test_tools::per_element());
  }

  /// Checks that `content` is refused as bad input. The message must contain all `parts`.
  template <class T = double>
  void refuses(std::string_view content, std::initializer_list<std::string_view> parts) {
    const auto matrix = matrix_of<T>(content);
    BOOST_TEST_REQUIRE(!matrix.ok());
    BOOST_TEST((matrix.failure().code == ErrorCode::bad_input));
    BOOST_TEST_CONTEXT("message: " << matrix.failure().message) {
      BOOST_TEST(contains(matrix.failure().message, "a.mtx"));
      for (const auto part : parts) BOOST_TEST(contains(matrix.failure().message, part));
    }
  }
};

}  // namespace matrix_market

BOOST_FIXTURE_TEST_SUITE(matrix_market, ReaderFixture)

BOOST_AUTO_TEST_CASE(reads_a_general_coordinate_file) {
  reads(kGeneral + "2 3 3\n2 1 1.5\n1 3 -2e-1\n2 2 7\n", {0, 1.5, 0, 7, -0.2, 0});
}

BOOST_AUTO_TEST_CASE(fills_both_triangles_of_a_symmetric_matrix) {
  reads(kSymmetric + "2 2 2\n1 1 4\n2 1 3\n", {4, 3, 3, 0});
}

BOOST_AUTO_TEST_CASE(negates_the_upper_triangle_of_a_skew_symmetric_matrix) {
  reads(kSkew + "2 2 1\n2 1 3\n", {0, 3, -3, 0});
  reads("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n", {0, 1, 2, -1, 0, 3, -2, -3, 0});
  refuses(kSkew + "2 2 1\n1 1 3\n", {"line 3", "diagonal"});
}

BOOST_AUTO_TEST_CASE(reads_arrays_column_by_column) {
  reads(kArray + "2 3\n1\n2\n3\n4\n5\n6\n", {1, 2, 3, 4, 5, 6});
  reads("%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n", {1, 2, 2, 3});
}

BOOST_AUTO_TEST_CASE(understands_several_values_a_line_in_an_array) { reads(kArray + "2 2\n1 2\n3 4", {1, 2, 3, 4}); }

BOOST_AUTO_TEST_CASE(skips_blank_lines_comments_and_carriage_returns) {
  reads(kGeneral + "% c\r\n\r\n2 1 2\r\n\r\n% c\r\n1 1 1\r\n \t\r\n2  1\t2 \r\n\r\n", {1, 2});
}

BOOST_AUTO_TEST_CASE(adds_up_entries_of_the_same_element) {
  reads(kSymmetric + "2 2 3\n2 1 1\n2 1 2\n2 2 5\n", {0, 3, 3, 5});
}

BOOST_AUTO_TEST_CASE(understands_plus_signs_fortran_exponents_and_tiny_numbers) {
  reads(kArray + "6 1\n+1.5\n1.5D+01\n-2d-1\n1e-400\n+.5E0\n-1E-999\n", {1.5, 15, -0.2, 0, 0.5, 0});
}

BOOST_AUTO_TEST_CASE(reads_single_precision) {
  reads<float>(kArray + "2 1\n0.1\n1e-60\n", {0.1F, 0.0F});
  refuses<float>(kArray + "1 1\n1e39\n", {"line 3", "single precision"});
}

BOOST_AUTO_TEST_CASE(refuses_indices_out_of_range) {
  refuses(kGeneral + "2 2 1\n3 1 1\n", {"line 3", "row 3 is out of range", "1 to 2"});
  refuses(kGeneral + "2 2 1\n1 0 1\n", {"line 3", "column 0 is out of range"});
  refuses(kGeneral + "2 2 1\n-1 1 1\n", {"row -1"});
  refuses(kGeneral + "2 2 1\n99999999999999999999 1 1\n", {"row 99999999999999999999"});
  refuses(kGeneral + "2 2 1\n1.5 1 1\n", {"expected the number of a row, found '1.5'"});
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_finite_number) {
  refuses(kArray + "2 1\n1\nnan\n", {"line 4", "'nan'", "finite"});
  refuses(kArray + "1 1\n-Inf\n", {"line 3", "'-Inf'"});
  refuses(kArray + "1 1\n1e400\n", {"line 3", "too large for double precision"});
  refuses(kArray + "1 1\n0x10\n", {"expected a number, found '0x10'"});
  refuses(kArray + "1 1\n1,5\n", {"expected a number, found '1,5'"});
  refuses(kArray + "1 1\n1.5Dx\n", {"'1.5Dx'"});
  refuses(kArray + "1 1\n\x1b[2J\n", {"'?[2J'"});
  refuses(kArray + "1 1\n--1\n", {"'--1'"});
  refuses(kArray + "1 1\n+-1\n", {"'+-1'"});
  refuses(kGeneral + "1 2 2\n1 1 1e308\n1 1 1e308\n", {"line 4", "sum"});
  refuses("%%MatrixMarket matrix array integer general\n1 1\n1.5\n", {"integers", "'1.5'"});
}

BOOST_AUTO_TEST_CASE(refuses_lines_of_another_shape) {
  refuses(kGeneral + "2 2 2\n1 1\n2 2 1\n", {"line 3", "row, column and value", "'1 1'"});
  refuses(kGeneral + "2 2 2\n1 1 1 1\n2 2 1\n", {"line 3", "row, column and value"});
}

BOOST_AUTO_TEST_CASE(refuses_entries_above_the_diagonal_of_a_symmetric_matrix) {
  refuses(kSymmetric + "2 2 2\n1 1 4\n1 2 3\n", {"line 4", "(1, 2)", "above the diagonal", "'general'"});
}

BOOST_AUTO_TEST_CASE(refuses_a_truncated_file_and_says_how_much_is_missing) {
  refuses(kGeneral + "3 3 3\n1 1 1\n2 2 2\n", {"line 4", "2 of the 3 entries", "line 2 declares", "truncated"});
  refuses(kGeneral + "3 3 3\n1 1 1\n2 2", {"line 4", "1 of the 3 entries", "truncated"});
  refuses(kGeneral + "3 3 3\n1 1 1\n2", {"line 4", "1 of the 3 entries", "truncated"});
  refuses(kArray + "2 2\n1\n2\n3\n", {"line 5", "3 of the 4 entries", "truncated"});
  refuses(kArray + "2 2\n1\n2\n-", {"line 5", "2 of the 4 entries", "truncated"});
}

BOOST_AUTO_TEST_CASE(blames_the_value_where_only_the_last_line_has_no_end) {
  refuses(kArray + "2 1\n1\nnan", {"line 4", "finite"});
}

BOOST_AUTO_TEST_CASE(refuses_more_entries_than_declared) {
  refuses(kGeneral + "2 2 1\n1 1 1\n2 2 2\n", {"line 4", "more entries than the 1"});
  refuses(kArray + "1 1\n1 2\n", {"line 3", "more entries than the 1"});
}

BOOST_AUTO_TEST_CASE(refuses_a_file_that_changed_since_its_header_was_read) {
  const auto path = folder.write("a.mtx", kArray + "1 1\n1\n");
  const auto header = read_header(path);
  folder.write("a.mtx", kArray + "2 1\n1\n2\n");
  const auto matrix = read_dense<double>(path, header.value());
  BOOST_TEST_REQUIRE(!matrix.ok());
  BOOST_TEST(contains(matrix.failure().message, "changed"));
}

BOOST_AUTO_TEST_CASE(reports_a_matrix_for_which_there_is_no_memory) {
  if (tests::kSanitized) return tests::skip("the sanitizer ends the program where an allocation is too large");
  const auto matrix = matrix_of(kGeneral + "500000000 500000000 0\n");
  BOOST_TEST_REQUIRE(!matrix.ok());
  BOOST_TEST((matrix.failure().code == ErrorCode::out_of_memory));
  BOOST_TEST(contains(matrix.failure().message, "2000000000000000000 bytes"));
}

BOOST_AUTO_TEST_CASE(reads_lines_across_the_ends_of_its_buffer) {
  std::string content = kArray + "% " + std::string(1000, 'x') + "\n400000 1\n";
  std::vector<double> values(400'000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(i) / 7;
    content += std::to_string(i) + "." + std::to_string(i % 10) + "\n";
    values[i] = std::stod(std::to_string(i) + "." + std::to_string(i % 10));
  }
  BOOST_TEST_REQUIRE(content.size() > 3 * LineReader::kLongestLine);
  const auto matrix = matrix_of(content);
  BOOST_TEST_REQUIRE(matrix.ok());
  BOOST_TEST((matrix.value().values == values));
}

/// Changes random places of a valid file. The file must then be read or refused, without a crash.
BOOST_AUTO_TEST_CASE(survives_random_damage) {
  const std::string good = kSymmetric + "% comment\n3 3 4\n1 1 4.25\n2 1 -1e-3\n2 2 5\n3 3 6.5E+2\n";
  std::mt19937 random(17);
  int refused = 0;
  for (int round = 0; round < 500; ++round) {
    std::string damaged = good;
    for (unsigned changes = 1 + random() % 3; changes > 0; --changes) {
      const auto at = random() % damaged.size();
      switch (random() % 3) {
        case 0: damaged[at] = static_cast<char>(random()); break;
        case 1: damaged.erase(at, 1 + random() % 4); break;
        default: damaged.insert(at, 1 + random() % 4, "0123456789 \n-.e%"[random() % 16]); break;
      }
    }
    const auto path = folder.write("a.mtx", damaged);
    const auto header = read_header(path);
    // An additional digit may give a valid file with a huge matrix, which only the caller can refuse.
    if (header.ok() && header.value().dense_bytes(sizeof(double)).count > 1'000'000) continue;
    if (!header.ok() || !read_dense<double>(path, header.value()).ok()) ++refused;
  }
  BOOST_TEST(refused > 250);
}

/// Returns the path of a matrix that the manual tells users to try. These matrices are in a folder beside the source
/// folder, if it exists.
std::string shared_matrix(const std::string& name) {
  const auto path = std::filesystem::path(TROUPE_SOURCE_DIR) / "../shared/data" / name;
  if (std::filesystem::exists(path)) return path.string();
  tests::skip(name + " is not in shared/data beside the source folder");
  return {};
}

BOOST_AUTO_TEST_CASE(reads_the_symmetric_matrix_bcsstk13) {
  const auto path = shared_matrix("bcsstk13.mtx");
  if (path.empty()) return;
  const auto header = read_header(path);
  BOOST_TEST_REQUIRE(header.ok());
  BOOST_TEST(header.value().entries == 42'943);
  BOOST_TEST((header.value().symmetry == MatrixSymmetry::symmetric));
  const auto matrix = read_dense<double>(path, header.value());
  BOOST_TEST_REQUIRE(matrix.ok());
  BOOST_TEST(matrix.value().rows == 2003);
  BOOST_TEST(matrix.value()(1, 0) == 3101923.80092);
  BOOST_TEST(matrix.value()(0, 1) == 3101923.80092);
  BOOST_TEST(matrix.value()(2002, 2002) == 5552681.3139);
}

BOOST_AUTO_TEST_CASE(reads_the_general_matrix_watt_2) {
  const auto path = shared_matrix("watt_2.mtx");
  if (path.empty()) return;
  const auto header = read_header(path);
  BOOST_TEST_REQUIRE(header.ok());
  const auto matrix = read_dense<double>(path, header.value());
  BOOST_TEST_REQUIRE(matrix.ok());
  BOOST_TEST(matrix.value().cols == 1856);
  BOOST_TEST(matrix.value()(0, 0) == 5.89504e-8);
  BOOST_TEST(matrix.value()(1, 0) == -1.0);
}

BOOST_AUTO_TEST_CASE(refuses_the_pattern_matrix_rajat01) {
  const auto path = shared_matrix("rajat01.mtx");
  if (path.empty()) return;
  const auto header = read_header(path);
  BOOST_TEST_REQUIRE(!header.ok());
  BOOST_TEST(contains(header.failure().message, "pattern"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::linalg
