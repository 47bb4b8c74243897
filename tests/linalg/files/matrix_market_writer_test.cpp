#include "linalg/files/matrix_market_writer.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>

#include "linalg/files/matrix_market.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::linalg {

BOOST_AUTO_TEST_SUITE(matrix_market_writer)

namespace {

using tests::contains;
using tests::TemporaryFolder;

BOOST_AUTO_TEST_CASE(writes_an_array_with_comments) {
  const TemporaryFolder folder;
  DenseMatrix<double> matrix(2, 1);
  matrix.values = {0.1, -3};
  BOOST_TEST_REQUIRE(write_array(folder.path("x.mtx"), matrix, "one\ntwo").ok());
  BOOST_TEST(folder.read("x.mtx") == "%%MatrixMarket matrix array real general\n% one\n% two\n2 1\n0.1\n-3\n");
}

BOOST_AUTO_TEST_CASE(writes_what_reads_back_the_same) {
  const TemporaryFolder folder;
  DenseMatrix<double> matrix(300, 400);
  for (std::size_t i = 0; i < matrix.values.size(); ++i) matrix.values[i] = 1e-300 / static_cast<double>(i + 1);
  matrix(7, 7) = std::numeric_limits<double>::max();
  matrix(8, 8) = std::numeric_limits<double>::denorm_min();
  const auto path = folder.path("x.mtx");
  BOOST_TEST_REQUIRE(write_array(path, matrix).ok());
  const auto header = read_header(path);
  BOOST_TEST_REQUIRE(header.ok());
  const auto copy = read_dense<double>(path, header.value());
  BOOST_TEST_REQUIRE(copy.ok());
  BOOST_TEST(copy.value().rows == 300);
  BOOST_TEST((copy.value().values == matrix.values));
}

BOOST_AUTO_TEST_CASE(says_so_where_the_disk_is_full) {
  const auto written = write_array("/dev/full", DenseMatrix<float>(3, 3));
  BOOST_TEST_REQUIRE(!written.ok());
  BOOST_TEST((written.failure().code == ErrorCode::io));
  BOOST_TEST(contains(written.failure().message, "No space left"));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::linalg
