#include "linalg/factorization.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <fstream>
#include <set>

#include "kernels/factor.hpp"
#include "kernels/reflectors.hpp"
#include "tests/client/fixture.hpp"
#include "tests/support/random/factorization_case_actor.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/tries.hpp"

namespace troupe::linalg {
namespace {

using tests::contains;
using tests::drawn_case;
using tests::FactorizationCase;

template <class T>
MatrixView<T> view_of(DenseMatrix<T>& a) {
  return {a.values.data(), a.rows, a.cols, a.rows};
}

void check(const FactorizationCase& one) {
  for (const Residual& residual : tests::residuals_of(one)) {
    BOOST_TEST(residual.accepted(), tests::describe(one) << ", seed " << one.runtime.seed << ": " << residual.formula
                                                         << " = " << residual.value);
  }
}

/// Tests many combinations of matrix size and tile size. Everything else is random, with the same seeds in each run of
/// the test.
void sweep(FactorizationOptions options) {
  constexpr double kMostTasks = 12000;
  std::uint64_t seed = 1;
  for (const std::int64_t n : {1, 2, 3, 7, 16, 33, 64, 100, 129, 250}) {
    for (const std::int64_t tile : std::set<std::int64_t>{1, 2, 5, 16, 25, 48, 64, n - 1, n, n + 1, 3 * n, 1 << 30}) {
      if (tile < 1) continue;
      options.tile = tile;
      const FactorizationCase one = drawn_case(options, seed % 2 == 0, n, seed);
      ++seed;
      if (task_count(one) <= kMostTasks) check(one);
    }
  }
}

BOOST_AUTO_TEST_SUITE(factorization)

BOOST_AUTO_TEST_CASE(cholesky_is_accurate_for_all_sizes_and_tiles) { sweep({Application::cholesky}); }

BOOST_AUTO_TEST_CASE(lu_with_pivoting_is_accurate_for_all_sizes_and_tiles) { sweep({Application::lu}); }

BOOST_AUTO_TEST_CASE(lu_without_pivoting_is_accurate_for_all_sizes_and_tiles) {
  sweep({.application = Application::lu, .pivoting = Pivoting::none});
}

BOOST_AUTO_TEST_CASE(lu_with_incremental_pivoting_is_accurate_for_all_sizes_and_tiles) {
  sweep({.application = Application::lu, .pivoting = Pivoting::incremental});
}

BOOST_AUTO_TEST_CASE(qr_is_accurate_for_all_sizes_and_tiles) { sweep({Application::qr}); }

BOOST_AUTO_TEST_CASE(tiles_that_are_spread_over_numa_nodes_are_as_accurate) {
  RuntimeOptions runtime_options;
  runtime_options.threads.synthetic_topology = "package:3 [numa(memory=8GB)] core:2 pu:1";
  Runtime runtime(runtime_options);
  for (FactorizationOptions options :
       {FactorizationOptions{Application::cholesky}, FactorizationOptions{Application::lu},
        FactorizationOptions{.application = Application::lu, .pivoting = Pivoting::none},
        FactorizationOptions{.application = Application::lu, .pivoting = Pivoting::incremental},
        FactorizationOptions{Application::qr}}) {
    options.tile = 16;
    options.spread = true;
    DenseMatrix<double> a(100, 100);
    for (std::int64_t j = 0; j < 100; ++j) {
      for (std::int64_t i = 0; i < 100; ++i) a(i, j) = i == j ? 2000.0 : static_cast<double>((i * j) % 7);
    }
    const DenseMatrix<double> original = a;
    Factorization<double> factorization(runtime, a, options);
    for (const Residual& residual : factorization.residuals(original)) BOOST_TEST(residual.accepted());
    DenseMatrix<double> b(100, 1);
    std::fill(b.values.begin(), b.values.end(), 1.0);
    factorization.solve(b);
    double worst = 0;
    for (std::int64_t i = 0; i < 100; ++i) {
      double sum = -1;
      for (std::int64_t j = 0; j < 100; ++j) sum += original(i, j) * b(j, 0);
      worst = std::max(worst, std::abs(sum));
    }
    BOOST_TEST(worst < 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(tall_tiles_are_as_accurate) {
  std::uint64_t seed = 1;
  for (FactorizationOptions options :
       {FactorizationOptions{Application::cholesky}, FactorizationOptions{Application::lu},
        FactorizationOptions{.application = Application::lu, .pivoting = Pivoting::none},
        FactorizationOptions{.application = Application::lu, .pivoting = Pivoting::incremental},
        FactorizationOptions{Application::qr}}) {
    for (const std::int64_t n : {1, 7, 50, 129}) {
      for (const std::int64_t tile : {3, 16, 25, 60}) {
        if (tests::kSanitized && n > 40 * tile) continue;
        for (const std::int64_t tall : {2, 3, 7, 100}) {
          options.tile = tile;
          options.tile_rows = tall * tile;
          check(drawn_case(options, seed % 2 == 0, n, seed));
          ++seed;
        }
        options.tile_rows = n + tile + 1;  // With a single row of tiles, the tile may have any height.
        check(drawn_case(options, seed % 2 == 0, n, seed));
        ++seed;
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(qr_is_accurate_for_more_rows_than_columns) {
  std::uint64_t seed = 1;
  for (const std::int64_t rows : {2, 5, 33, 100, 129}) {
    for (const std::int64_t cols : std::set<std::int64_t>{1, 2, 17, 32, 99, rows - 1}) {
      if (cols > rows || cols < 1) continue;
      for (const std::int64_t tile : {1, 8, 20, 33, 200}) {
        const std::int64_t tall = 1 + static_cast<std::int64_t>(seed % 3);
        FactorizationCase one = drawn_case({.application = Application::qr, .tile = tile, .tile_rows = tall * tile},
                                           seed % 2 == 0, rows, seed);
        one.cols = cols;
        one.problem = ProblemKind::random;
        ++seed;
        if (task_count(one) <= 10000) check(one);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_hundred_thousand_tiny_tasks_are_accurate) {
  for (const Application application : {Application::cholesky, Application::lu}) {
    FactorizationCase one = drawn_case({.application = application, .tile = 1}, false, 60, 7);
    one.storage = tests::Storage::automatic;
    one.runtime.threads.deterministic = false;
    one.runtime.cores = 2;
    check(one);
  }
}

BOOST_AUTO_TEST_CASE(every_policy_storage_and_number_of_workers_is_accurate) {
  std::uint64_t seed = 1;
  for (const Application application : {Application::cholesky, Application::lu, Application::qr}) {
    for (const char* policy : {"eager", "ws", "lws"}) {
      for (const int workers : {1, 2, 3, 4}) {
        FactorizationCase one = drawn_case({.application = application, .tile = 24}, false, 150, ++seed);
        one.runtime.policy = policy;
        one.runtime.cores = workers;
        for (const bool deterministic : {false, true}) {
          one.runtime.threads.deterministic = deterministic;
          check(one);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(a_right_hand_side_wider_than_a_tile_is_solved) {
  for (const Application application : {Application::cholesky, Application::lu, Application::qr}) {
    FactorizationCase one = drawn_case({.application = application, .tile = 16}, false, 70, 3);
    for (const std::int64_t columns : {1, 15, 16, 17, 100}) {
      one.right_hand_sides = columns;
      for (const tests::Storage storage : {tests::Storage::automatic, tests::Storage::columns}) {
        one.storage = storage;
        check(one);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(an_empty_matrix_has_an_empty_factorization) {
  Runtime runtime(tests::with_workers(2));
  for (const Application application : {Application::cholesky, Application::lu, Application::qr}) {
    DenseMatrix<double> a(0, 0);
    Factorization<double> factorization(runtime, a, {.application = application, .tile = 8});
    DenseMatrix<double> b(0, 0);
    factorization.solve(b);
  }
}

BOOST_AUTO_TEST_CASE(the_same_seed_gives_the_same_matrix_on_any_number_of_workers) {
  for (const ProblemKind kind : {ProblemKind::random, ProblemKind::random_definite, ProblemKind::covariance}) {
    RuntimeOptions options = tests::with_workers(2);
    Runtime two(options);
    options.cores = 1;
    Runtime one(options);
    const DenseMatrix<double> first = assemble<double>(two, {kind, 150, 150, 9});
    BOOST_TEST((first.values == assemble<double>(one, {kind, 150, 150, 9}).values));
    BOOST_TEST((first.values != assemble<double>(one, {kind, 150, 150, 10}).values));
  }
}

BOOST_AUTO_TEST_CASE(options_that_do_not_fit_are_refused) {
  const auto refused = [](std::int64_t rows, std::int64_t cols, const FactorizationOptions& options) {
    Runtime runtime(tests::with_workers(2));
    DenseMatrix<double> a(rows, cols);
    BOOST_CHECK_EXCEPTION(Factorization<double>(runtime, a, options), Error,
                          [](const Error& error) { return error.code() == ErrorCode::invalid_argument; });
  };
  refused(5, 4, {.application = Application::cholesky, .tile = 2});
  refused(5, 4, {.application = Application::lu, .tile = 2});
  refused(4, 5, {.application = Application::qr, .tile = 2});
  refused(4, 4, {.application = Application::qr, .tile = -3});
  refused(4, 4, {.application = Application::qr, .tile = 2, .inner = -1});
  refused(8, 8, {.application = Application::qr, .tile = 2, .tile_rows = 3});
  refused(8, 8, {.application = Application::cholesky, .tile = 2, .tile_rows = 3});
  refused(8, 8, {.application = Application::lu, .tile = 2, .tile_rows = 1});
}

BOOST_AUTO_TEST_CASE(only_random_matrices_need_not_be_square) {
  Runtime runtime(tests::with_workers(2));
  BOOST_TEST(assemble<double>(runtime, {ProblemKind::random, 3, 2}).values.size() == 6U);
  for (const ProblemKind kind : {ProblemKind::random_definite, ProblemKind::covariance, ProblemKind::poisson}) {
    BOOST_CHECK_EXCEPTION((void)assemble<double>(runtime, {kind, 3, 2}), Error, [](const Error& error) {
      return error.code() == ErrorCode::invalid_argument && contains(error.what(), "square");
    });
  }
}

BOOST_AUTO_TEST_CASE(residuals_are_of_a_matrix_of_the_same_size) {
  Runtime runtime(tests::with_workers(2));
  DenseMatrix<double> a = assemble<double>(runtime, {ProblemKind::random, 9, 9, 1});
  for (const Application application : {Application::lu, Application::qr}) {
    Factorization<double> factorization(runtime, a, {.application = application});
    BOOST_CHECK_EXCEPTION((void)factorization.residuals(DenseMatrix<double>(9, 8)), Error,
                          [](const Error& error) { return error.code() == ErrorCode::invalid_argument; });
  }
}

BOOST_AUTO_TEST_CASE(the_tile_need_not_be_chosen) {
  Runtime runtime(tests::with_workers(2));
  const DenseMatrix<double> a = assemble<double>(runtime, {ProblemKind::random_definite, 150, 150, 1});
  for (const Application application : {Application::cholesky, Application::lu, Application::qr}) {
    DenseMatrix<double> chosen = a;
    DenseMatrix<double> given = a;
    const Factorization<double> one(runtime, chosen, {.application = application});
    const Factorization<double> other(runtime, given,
                                      {.application = application, .tile = default_tile(application, 150)});
    BOOST_TEST((chosen.values == given.values));
  }
}

BOOST_AUTO_TEST_CASE(a_right_hand_side_that_does_not_fit_is_refused) {
  Runtime runtime(tests::with_workers(2));
  DenseMatrix<double> a = assemble<double>(runtime, {ProblemKind::random, 9, 9, 1});
  Factorization<double> factorization(runtime, a, {.application = Application::lu, .tile = 4});
  DenseMatrix<double> b(8, 1);
  BOOST_CHECK_EXCEPTION(factorization.solve(b), Error, [](const Error& error) {
    return error.code() == ErrorCode::invalid_argument && contains(error.what(), "8 rows");
  });
}

BOOST_AUTO_TEST_SUITE_END()

// Compares factors with the results of our kernels on the whole matrix. The tests in tests/kernels compare these
// kernels with LAPACK.
BOOST_AUTO_TEST_SUITE(factorization_like_lapack)

/// The elements are about 1 and result from about a hundred operations. The tolerance covers their rounding errors.
constexpr double kTolerance = 1e-11;

template <class Same>
void compare(const DenseMatrix<double>& a, const DenseMatrix<double>& b, const Same& same) {
  for (std::int64_t j = 0; j < a.cols; ++j) {
    for (std::int64_t i = 0; i < a.rows; ++i) {
      if (same(i, j)) BOOST_TEST(std::abs(a(i, j) - b(i, j)) <= kTolerance * (1 + std::abs(b(i, j))));
    }
  }
}

BOOST_AUTO_TEST_CASE(cholesky_leaves_what_potrf_leaves) {
  Runtime runtime(tests::with_workers(2));
  for (const std::int64_t tile : {1, 7, 16, 50, 64}) {
    DenseMatrix<double> a = assemble<double>(runtime, {ProblemKind::covariance, 50, 50, 4});
    DenseMatrix<double> lapack = a;
    const Factorization<double> factorization(runtime, a, {.application = Application::cholesky, .tile = tile});
    BOOST_TEST(kernels::potrf(view_of(lapack)) == 0);
    compare(a, lapack, [](auto i, auto j) { return i >= j; });
  }
}

BOOST_AUTO_TEST_CASE(lu_leaves_what_getrf_leaves_with_the_same_pivots) {
  Runtime runtime(tests::with_workers(2));
  for (const std::int64_t tile : {1, 7, 16, 50, 64}) {
    const DenseMatrix<double> a = assemble<double>(runtime, {ProblemKind::random, 50, 50, 4});
    DenseMatrix<double> lapack = a;
    std::vector<int> lapack_pivots(50);
    BOOST_TEST(kernels::factor_panel(view_of(lapack), std::span(lapack_pivots)) == 0);
    TiledMatrix<double> tiles(runtime, 50, 50, tile, TileStorage::columns);
    tiles.gather_from(a.values.data(), 50);
    const Pivots pivots(runtime, 50, tile);
    lu(runtime, tiles, pivots);
    DenseMatrix<double> factors(50, 50);
    tiles.scatter_to(factors.values.data(), 50);
    runtime.wait();
    for (std::size_t i = 0; i < 50; ++i) BOOST_TEST(pivots.rows()[i] == lapack_pivots[i]);
    compare(factors, lapack, [](auto, auto) { return true; });
  }
}

BOOST_AUTO_TEST_CASE(qr_leaves_the_same_r_up_to_the_signs_of_its_rows) {
  Runtime runtime(tests::with_workers(2));
  for (const std::int64_t tile : {1, 7, 16, 50, 64}) {
    for (const std::int64_t rows : {40, 73}) {
      DenseMatrix<double> a = assemble<double>(runtime, {ProblemKind::random, rows, 40, 4});
      DenseMatrix<double> lapack = a;
      DenseMatrix<double> t(40, 40);
      LoneTeam alone;
      kernels::geqrt(alone, view_of(lapack), view_of(t));
      const Factorization<double> factorization(runtime, a, {.application = Application::qr, .tile = tile, .inner = 5});
      for (DenseMatrix<double>* r : {&a, &lapack}) {
        for (std::int64_t j = 39; j >= 0; --j) {
          for (std::int64_t i = 0; i <= j; ++i) (*r)(i, j) *= (*r)(i, i) < 0 ? -1 : 1;
        }
      }
      compare(a, lapack, [](auto i, auto j) { return i < j; });
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(factorization_breakdown)

/// Returns the error message of the factorization; empty if it succeeds.
template <class T>
std::string breakdown(Runtime& runtime, DenseMatrix<T> a, const FactorizationOptions& options) {
  try {
    const Factorization<T> factorization(runtime, a, options);
  } catch (const Error& error) {
    BOOST_TEST((error.code() == ErrorCode::numerical), error.what());
    return error.what();
  }
  return {};
}

void check_is_usable(Runtime& runtime, const FactorizationOptions& options) {
  const auto kind = options.application == Application::qr ? ProblemKind::random : ProblemKind::random_definite;
  const DenseMatrix<double> original = assemble<double>(runtime, {kind, 30, 30, 2});
  DenseMatrix<double> a = original;
  Factorization<double> factorization(runtime, a, options);
  for (const Residual& residual : factorization.residuals(original)) BOOST_TEST(residual.accepted());
}

BOOST_AUTO_TEST_CASE(cholesky_names_the_leading_minor_in_any_tile) {
  constexpr int kOrder = 23;
  Runtime runtime(tests::with_workers(2));
  const DenseMatrix<double> definite = assemble<double>(runtime, {ProblemKind::random_definite, kOrder, kOrder, 1});
  for (const std::int64_t tile : {1, 5, 8, 23, 40}) {
    const FactorizationOptions options{.application = Application::cholesky, .tile = tile};
    for (int p = 0; p < kOrder; ++p) {
      DenseMatrix<double> a = definite;
      a(p, p) = -1;
      const std::string expected = "the matrix is not positive definite: its leading minor of order " +
                                   std::to_string(p + 1) + " is not positive";
      BOOST_TEST(breakdown(runtime, a, options) == expected);
      BOOST_TEST(kernels::potrf(view_of(a)) == p + 1);
    }
    check_is_usable(runtime, options);
  }
}

BOOST_AUTO_TEST_CASE(lu_names_the_pivot_in_any_tile) {
  constexpr int kOrder = 23;
  Runtime runtime(tests::with_workers(2));
  const DenseMatrix<double> regular = assemble<double>(runtime, {ProblemKind::random_definite, kOrder, kOrder, 1});
  for (const Pivoting pivoting : {Pivoting::partial, Pivoting::incremental, Pivoting::none}) {
    for (const std::int64_t tile : {1, 5, 8, 23, 40}) {
      const FactorizationOptions options{.application = Application::lu, .tile = tile, .pivoting = pivoting};
      for (int p = 0; p < kOrder; ++p) {
        DenseMatrix<double> a = regular;
        for (int i = 0; i < kOrder; ++i) a(i, p) = 0;  // Column p stays zero during the elimination.
        BOOST_TEST(breakdown(runtime, a, options) ==
                   "the matrix is singular: pivot " + std::to_string(p + 1) + " is exactly zero");
        std::vector<int> pivots(kOrder);
        BOOST_TEST(kernels::factor_panel(view_of(a), std::span(pivots)) == p + 1);
      }
      check_is_usable(runtime, options);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_first_of_several_breakdowns_is_named) {
  Runtime runtime(tests::with_workers(2));
  DenseMatrix<double> a = assemble<double>(runtime, {ProblemKind::random_definite, 40, 40, 1});
  a(13, 13) = -1;
  a(35, 35) = -1;
  BOOST_TEST(contains(breakdown(runtime, a, {.application = Application::cholesky, .tile = 6}), "order 14 "));
  for (const int p : {11, 12, 30}) {
    for (int i = 0; i < 40; ++i) a(i, p) = 0;
  }
  BOOST_TEST(contains(breakdown(runtime, a, {.application = Application::lu, .tile = 6}), "pivot 12 "));
}

BOOST_AUTO_TEST_CASE(a_matrix_of_zeros_breaks_down_at_once) {
  Runtime runtime(tests::with_workers(2));
  const DenseMatrix<float> zeros(20, 20);
  BOOST_TEST(contains(breakdown(runtime, zeros, {.application = Application::cholesky, .tile = 6}), "order 1 "));
  BOOST_TEST(contains(breakdown(runtime, zeros, {.application = Application::lu, .tile = 6}), "pivot 1 "));
  DenseMatrix<float> a = zeros;
  Factorization<float> qr(runtime, a, {.application = Application::qr, .tile = 6});
  DenseMatrix<float> b(20, 1);
  BOOST_CHECK_EXCEPTION(qr.solve(b), Error, [](const Error& error) {
    return error.code() == ErrorCode::numerical && contains(error.what(), "element 1 on the diagonal of R");
  });
}

BOOST_AUTO_TEST_CASE(is_reported_in_deterministic_runs_too) {
  RuntimeOptions options = tests::with_workers(2);
  options.threads.deterministic = true;
  Runtime runtime(options);
  DenseMatrix<double> a = assemble<double>(runtime, {ProblemKind::random_definite, 30, 30, 1});
  a(17, 17) = -1;
  BOOST_TEST(contains(breakdown(runtime, a, {.application = Application::cholesky, .tile = 4}), "order 18 "));
  check_is_usable(runtime, {.application = Application::cholesky, .tile = 4});
}

/// Returns the number of this process's bytes that are in main memory.
std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t pages = 0;
  file >> pages >> pages;
  return pages * 4096;
}

BOOST_AUTO_TEST_CASE(gives_its_memory_back) {
  constexpr std::int64_t kOrder = 700;
  constexpr std::int64_t kMatrix = kOrder * kOrder * 8;
  Runtime runtime(tests::with_workers(2));
  DenseMatrix<double> a = assemble<double>(runtime, {ProblemKind::random_definite, kOrder, kOrder, 1});
  a(kOrder - 1, kOrder - 1) = -1;
  const auto breaks_down = [&](Application application) {
    BOOST_TEST(!breakdown(runtime, a, {.application = application, .tile = 100}).empty());
  };
  breaks_down(Application::cholesky);
  const std::int64_t before = resident_bytes();
  constexpr int kRuns = 20;
  for (int i = 0; i < kRuns; ++i) breaks_down(Application::cholesky);
  if (tests::kSanitized) return tests::skip("the address sanitizer keeps freed memory; it looks for leaks itself");
  BOOST_TEST(resident_bytes() - before < kRuns * kMatrix / 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::linalg
