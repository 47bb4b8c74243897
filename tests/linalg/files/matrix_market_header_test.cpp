#include "linalg/files/matrix_market_header.hpp"

#include <boost/test/unit_test.hpp>

#include "linalg/files/line_reader.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::linalg {

namespace matrix_market_header {

using tests::contains;
using tests::TemporaryFolder;

struct HeaderFixture {
  TemporaryFolder folder;

  Result<MatrixMarketHeader> header_of(std::string_view content) { return read_header(folder.write("a.mtx", content)); }

  /// Checks that `content` is refused as bad input. The message must contain `part` and the name of the file.
  void refuses(std::string_view content, std::string_view part) {
    const auto header = header_of(content);
    BOOST_TEST_REQUIRE(!header.ok());
    BOOST_TEST((header.failure().code == ErrorCode::bad_input));
    BOOST_TEST_CONTEXT("message: " << header.failure().message) {
      BOOST_TEST(contains(header.failure().message, part));
      BOOST_TEST(contains(header.failure().message, "a.mtx"));
    }
  }
};

}  // namespace matrix_market_header

BOOST_FIXTURE_TEST_SUITE(matrix_market_header, HeaderFixture)

BOOST_AUTO_TEST_CASE(tells_size_format_field_and_symmetry) {
  const auto header = header_of("%%MatrixMarket matrix coordinate real symmetric\n% text\n\n  %more\n3 3 4\n");
  BOOST_TEST_REQUIRE(header.ok());
  BOOST_TEST(header.value().rows == 3);
  BOOST_TEST(header.value().cols == 3);
  BOOST_TEST(header.value().entries == 4);
  BOOST_TEST(header.value().size_line == 5);
  BOOST_TEST((header.value().format == MatrixFormat::coordinate));
  BOOST_TEST((header.value().field == MatrixField::real));
  BOOST_TEST((header.value().symmetry == MatrixSymmetry::symmetric));
  BOOST_TEST(header.value().square());
  BOOST_TEST(header.value().dense_bytes(sizeof(double)).count == 72U);
}

BOOST_AUTO_TEST_CASE(understands_upper_case_crlf_and_a_byte_order_mark) {
  const auto header = header_of("\xef\xbb\xbf%%MATRIXMARKET MATRIX ARRAY INTEGER GENERAL\r\n2\t5\r\n");
  BOOST_TEST_REQUIRE(header.ok());
  BOOST_TEST(header.value().rows == 2);
  BOOST_TEST(header.value().cols == 5);
  BOOST_TEST(header.value().entries == 10);
  BOOST_TEST((header.value().field == MatrixField::integer));
}

BOOST_AUTO_TEST_CASE(counts_the_entries_of_symmetric_arrays) {
  const auto symmetric = header_of("%%MatrixMarket matrix array real symmetric\n4 4\n");
  BOOST_TEST_REQUIRE(symmetric.ok());
  BOOST_TEST(symmetric.value().entries == 10);
  const auto skew = header_of("%%MatrixMarket matrix array real skew-symmetric\n4 4\n");
  BOOST_TEST_REQUIRE(skew.ok());
  BOOST_TEST(skew.value().entries == 6);
}

BOOST_AUTO_TEST_CASE(refuses_fields_and_symmetries_that_cannot_be_solved) {
  refuses("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1\n", "'pattern' file");
  refuses("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 1\n", "complex numbers");
  refuses("%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 1 1\n", "complex numbers");
  refuses("%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 1\n", "Hermitian");
  refuses("%%MatrixMarket matrix coordinate pattern general\n", "'real' or 'integer'");
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_matrix_market_file) {
  refuses("", "is empty");
  refuses("\n", "no Matrix Market file");
  refuses("1 2 3\n", "no Matrix Market file");
  refuses("\x1f\x8b\x08\x01\x02", "unpack it first");
  refuses(std::string("\x7f"
                      "ELF\x02\0\0",
                      7),
          "no Matrix Market file");
  refuses("%%MatrixMarket", "only a 'matrix'");
  refuses("%%MatrixMarket vector coordinate real general\n", "'vector'");
  refuses("%%MatrixMarket matrix elemental real general\n", "'elemental'");
  refuses("%%MatrixMarket matrix array real\n", "the symmetry ''");
  refuses("%%MatrixMarket matrix array quaternion general\n", "'quaternion'");
  refuses(std::string(LineReader::kLongestLine + 1, 'x'), "not a text file");
}

BOOST_AUTO_TEST_CASE(refuses_sizes_that_make_no_sense) {
  const std::string general = "%%MatrixMarket matrix coordinate real general\n";
  refuses(general, "line 1: the file ends before the size");
  refuses(general + "% only\n% comments", "line 3: the file ends before the size");
  refuses(general + "3 3\n", "rows, columns and entries");
  refuses(general + "3 3 3 3\n", "rows, columns and entries");
  refuses(general + "3 three 3\n", "'3 three 3'");
  refuses(general + "3 3.0 3\n", "line 2");
  refuses(general + "-1 3 3\n", "negative");
  refuses(general + "0 3 0\n", "empty (0 x 3)");
  refuses(general + "3 3 10\n", "at most 9");
  refuses(general + "99999999999999999999 3 3\n", "64 bits");
  refuses(general + "4000000000 4000000000 3\n", "is too large");
  refuses(general + "9223372036854775807 9223372036854775807 9223372036854775807\n", "too large");
  refuses("%%MatrixMarket matrix coordinate real symmetric\n3 4 1\n", "symmetric, but it is 3 x 4");
  refuses("%%MatrixMarket matrix coordinate real symmetric\n3 3 7\n", "at most 6");
  refuses("%%MatrixMarket matrix array real general\n3 3 9\n", "rows and columns");
}

BOOST_AUTO_TEST_CASE(names_the_cause_where_the_file_cannot_be_read) {
  const auto missing = read_header(folder.path("none.mtx"));
  BOOST_TEST_REQUIRE(!missing.ok());
  BOOST_TEST((missing.failure().code == ErrorCode::io));
  BOOST_TEST(contains(missing.failure().message, "No such file"));

  const auto directory = read_header(folder.path());
  BOOST_TEST_REQUIRE(!directory.ok());
  BOOST_TEST((directory.failure().code == ErrorCode::io));
  BOOST_TEST(contains(directory.failure().message, "Is a directory"));

  const auto device = read_header("/dev/zero");
  BOOST_TEST_REQUIRE(!device.ok());
  BOOST_TEST((device.failure().code == ErrorCode::io));
}

BOOST_AUTO_TEST_CASE(names_the_cause_where_permission_is_missing) {
  if (::geteuid() == 0) {
    tests::skip("root may read everything");
    return;
  }
  const auto path = folder.write("a.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  const auto header = read_header(path);
  BOOST_TEST_REQUIRE(!header.ok());
  BOOST_TEST((header.failure().code == ErrorCode::io));
  BOOST_TEST(contains(header.failure().message, "Permission denied"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::linalg
