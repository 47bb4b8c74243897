// Tests of matrices and options that cannot be factorized, and of whom that is told.
#include <boost/test/unit_test.hpp>
#include <string>
#include <thread>
#include <vector>

#include "linalg/cholesky.hpp"
#include "linalg/factorization.hpp"
#include "linalg/incremental_lu.hpp"
#include "linalg/lu.hpp"
#include "linalg/qr.hpp"
#include "tests/client/fixture.hpp"

namespace troupe::linalg {
namespace {

using tests::contains;

BOOST_AUTO_TEST_SUITE(factorization_misuse)

/// Returns a diagonal matrix, of which one element is given.
DenseMatrix<double> diagonal(std::int64_t order, std::int64_t at, double value) {
  DenseMatrix<double> a(order, order);
  for (std::int64_t i = 0; i < order; ++i) a(i, i) = i == at ? value : 2;
  return a;
}

BOOST_AUTO_TEST_CASE(each_of_two_threads_is_told_of_its_own_matrix) {
  Runtime runtime(tests::with_workers(2));
  constexpr int kTimes = 100;
  const auto count_failures = [&](double value) {
    int failures = 0;
    for (int i = 0; i < kTimes; ++i) {
      DenseMatrix<double> a = diagonal(40, 30, value);
      try {
        Factorization<double> factors(runtime, a, {.tile = 8});
        DenseMatrix<double> b(40, 1);
        factors.solve(b);
      } catch (const Error& error) {
        ++failures;
        if (!contains(error.what(), "the matrix is not positive definite")) failures += kTimes;
      }
    }
    return failures;
  };
  int of_bad = 0;
  std::thread other([&] { of_bad = count_failures(-1); });
  const int of_good = count_failures(1);
  other.join();
  BOOST_TEST(of_bad == kTimes);
  BOOST_TEST(of_good == 0);
  BOOST_CHECK_NO_THROW(runtime.wait());
}

BOOST_AUTO_TEST_CASE(a_failed_factorization_leaves_nothing_to_report) {
  Runtime runtime(tests::with_workers(2));
  DenseMatrix<double> bad = diagonal(40, 30, -1);
  const auto refused = tests::failure(ErrorCode::numerical, "the matrix is not positive definite");
  BOOST_CHECK_EXCEPTION(Factorization<double>(runtime, bad, {.tile = 8}), Error, refused);
  BOOST_CHECK_NO_THROW(runtime.wait());
}

BOOST_AUTO_TEST_CASE(matrices_that_do_not_fit_are_refused) {
  Runtime runtime(tests::with_workers(1));
  TiledMatrix<double> wide(runtime, 8, 12, 4), square(runtime, 8, 8, 4), small(runtime, 4, 1, 4),
      fine(runtime, 8, 1, 2);
  std::vector<double> values(96, 1.0);
  const auto refused = [](const std::string& what) { return tests::failure(ErrorCode::invalid_argument, what); };
  const Pivots pivots(runtime, 8, 4), others(runtime, 4, 4);
  BOOST_CHECK_EXCEPTION(cholesky(runtime, wide), Error, refused("has to be square"));
  BOOST_CHECK_EXCEPTION(lu(runtime, wide, pivots), Error, refused("has to be square"));
  BOOST_CHECK_EXCEPTION(lu_without_pivoting(runtime, wide), Error, refused("has to be square"));
  BOOST_CHECK_EXCEPTION(IncrementalFactors<double>(runtime, wide, 2), Error, refused("has to be square"));
  BOOST_CHECK_EXCEPTION(QrFactors<double>(runtime, wide, 2), Error, refused("at least as many rows"));
  BOOST_CHECK_EXCEPTION(lu(runtime, square, others), Error, refused("4 pivots in 1 panels do not fit"));
  BOOST_CHECK_EXCEPTION(square.gather_from(values.data(), 4), Error, refused("4 elements apart"));
  BOOST_CHECK_EXCEPTION(square.scatter_to(values.data(), 7), Error, refused("7 elements apart"));
  square.gather_from(values.data(), 8);
  fine.gather_from(values.data(), 8);
  small.gather_from(values.data(), 4);
  for (TiledMatrix<double>* b : {&small, &fine}) {
    BOOST_CHECK_EXCEPTION(cholesky_solve(runtime, square, *b), Error, refused("does not fit a 8 x 8 matrix"));
    BOOST_CHECK_EXCEPTION(lu_solve(runtime, square, pivots, *b), Error, refused("does not fit"));
    BOOST_CHECK_EXCEPTION(lu_solve_without_pivoting(runtime, square, *b), Error, refused("does not fit"));
  }
  runtime.wait();
}

BOOST_AUTO_TEST_CASE(negative_sizes_of_tiles_are_refused) {
  Runtime runtime(tests::with_workers(1));
  DenseMatrix<double> a = diagonal(4, 0, 2);
  const auto refused = tests::failure(ErrorCode::invalid_argument, "must not be negative");
  for (const FactorizationOptions& options :
       {FactorizationOptions{.tile = -3}, FactorizationOptions{.tile_rows = -3}, FactorizationOptions{.inner = -1}}) {
    BOOST_CHECK_EXCEPTION(Factorization<double>(runtime, a, options), Error, refused);
  }
}

BOOST_AUTO_TEST_CASE(a_matrix_without_elements_is_factorized_and_solved) {
  Runtime runtime(tests::with_workers(1));
  for (const Application application : {Application::cholesky, Application::lu, Application::qr}) {
    DenseMatrix<double> a(0, 0), b(0, 1);
    Factorization<double> factors(runtime, a, {.application = application});
    BOOST_CHECK_NO_THROW(factors.solve(b));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::linalg
