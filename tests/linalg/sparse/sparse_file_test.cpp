#include "linalg/sparse/sparse_file.hpp"

#include <boost/test/unit_test.hpp>

#include "linalg/files/matrix_market.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::linalg {

namespace sparse_file {

using tests::contains;

struct SparseFileFixture {
  tests::TemporaryFolder folder;

  void refuses(std::string_view content, std::string_view part, ErrorCode code = ErrorCode::bad_input) {
    const auto matrix = read_sparse(folder.write("a.mtx", content));
    BOOST_TEST_REQUIRE(!matrix.ok());
    BOOST_TEST((matrix.failure().code == code));
    BOOST_TEST_CONTEXT("message: " << matrix.failure().message) {
      BOOST_TEST(contains(matrix.failure().message, part));
      BOOST_TEST(contains(matrix.failure().message, "a.mtx"));
    }
  }
  /// Reads the file as a sparse and as a dense matrix, and checks that the two are equal.
  CompressedMatrix as_dense(std::string_view content) {
    const std::string path = folder.write("a.mtx", content);
    CompressedMatrix sparse = read_sparse(path).value_or_throw();
    const DenseMatrix<double> dense = read_dense<double>(path).value_or_throw();
    DenseMatrix<double> unpacked(sparse.order, sparse.order);
    for (std::int64_t row = 0; row < sparse.order; ++row) {
      for (std::size_t k = 0; k < sparse.cols_of(row).size(); ++k) {
        unpacked(row, sparse.cols_of(row)[k]) = sparse.values_of(row)[k];
      }
    }
    BOOST_TEST(unpacked.values == dense.values, boost::test_tools::per_element());
    return sparse;
  }
};

}  // namespace sparse_file

BOOST_FIXTURE_TEST_SUITE(sparse_file_reader, sparse_file::SparseFileFixture)

BOOST_AUTO_TEST_CASE(reads_what_the_dense_reader_reads) {
  const CompressedMatrix general =
      as_dense("%%MatrixMarket matrix coordinate real general\n3 3 5\n3 1 4\n1 1 2\n1 3 -1.5\n2 2 1\n1 1 0.5\n");
  BOOST_TEST(general.entries() == 4);  // The file names element (1, 1) twice.
  BOOST_TEST(as_dense("%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n1 1 2\n3 1 7\n3 3 1\n").entries() ==
             4);
  BOOST_TEST(as_dense("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 2\n3 2 7\n").entries() == 4);
}

BOOST_AUTO_TEST_CASE(knows_products_and_the_norm) {
  const CompressedMatrix a = compressed(2, {{0, 0, 1}, {0, 1, -5}, {1, 1, 2}});
  const std::vector<double> expected{-9, 4};
  BOOST_TEST(product(a, std::vector<double>{1, 2}) == expected, boost::test_tools::per_element());
  BOOST_TEST(one_norm(a) == 7);
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_sparse_system) {
  refuses("%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 1\n", "gives no values");
  refuses("%%MatrixMarket matrix coordinate complex general\n2 2 1\n1 1 1 0\n", "complex");
  refuses("%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n", "2 x 3");
  refuses("%%MatrixMarket matrix array real general\n1 1\n1\n", "'coordinate' file");
  refuses("%%MatrixMarket matrix coordinate real general\n3000000000 3000000000 1\n1 1 1\n", "too large");
  refuses("%%MatrixMarket matrix coordinate real general\n200000000 200000000 1\n1 1 1\n", "singular: 1 entries");
  refuses("%%MatrixMarket matrix coordinate real symmetric\n3 3 1\n2 1 1\n", "too few for 3 rows");
  refuses("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n", "1 of the 2 entries");
  refuses("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 3 1\n2 2 1\n", "out of range");
  refuses("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 nan\n2 2 1\n", "finite");
  refuses("%%MatrixMarket matrix coordinate real general\n2 2 2\n2 1 1e308\n2 1 1e308\n", "(2, 1) is too large");
  BOOST_TEST((read_sparse(folder.path("none.mtx")).failure().code == ErrorCode::io));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::linalg
