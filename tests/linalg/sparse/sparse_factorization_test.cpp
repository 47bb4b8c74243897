#include "linalg/sparse/sparse_factorization.hpp"

#include <built_paths.hpp>  // written by the build

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <filesystem>

#include "linalg/sparse/block_lu.hpp"
#include "linalg/sparse/convection_diffusion.hpp"
#include "linalg/sparse/sparse_file.hpp"
#include "proto/random.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::linalg {

BOOST_AUTO_TEST_SUITE(sparse_factorization)

namespace {

RuntimeOptions two_workers_for_sparse() {
  RuntimeOptions options;
  options.cores = 2;
  options.threads.oversubscribe = true;
  return options;
}

std::vector<double> numbers(std::int64_t count) {
  Random random(11);
  std::vector<double> x(static_cast<std::size_t>(count));
  for (double& value : x) value = 1 + static_cast<double>(random.below(1000)) / 1000;
  return x;
}

/// Returns a random matrix without structure, whose largest elements are not on the diagonal and have very different
/// magnitudes. It needs the matching.
CompressedMatrix wild_matrix(int order, std::uint64_t seed) {
  Random random(seed);
  std::vector<SparseEntry> entries;
  const auto below = [&](int bound) {
    return static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(bound)));
  };
  for (int row = 0; row < order; ++row) {
    // The largest element of the row is far from the diagonal.
    const double size = std::pow(10.0, below(7) - 3);
    entries.push_back({row, order - 1 - row, 8 * size});
    for (int k = 0; k < 4; ++k) entries.push_back({row, below(order), size * (below(2001) / 1000.0 - 1)});
  }
  return compressed(order, std::move(entries));
}

/// Solves a system with a known solution, and checks the residual and the solution.
template <class T>
SparseSolution solves(Runtime& runtime, const CompressedMatrix& a, const SparseOptions& options, double tolerance) {
  const std::vector<double> expected = numbers(a.order);
  const SparseFactorization<T> factorization(runtime, a, options);
  SparseSolution solution = factorization.solve(product(a, expected));
  BOOST_TEST(solution.accepted(),
             solution.backward_error << ", " << solution.residual.formula << " = " << solution.residual.value);
  double largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(solution.x[i] - expected[i]));
  }
  BOOST_TEST(largest < tolerance);
  return solution;
}

}  // namespace

BOOST_AUTO_TEST_CASE(solves_with_every_ordering_and_cut) {
  Runtime runtime(two_workers_for_sparse());
  const CompressedMatrix a = convection_diffusion(7, 30);
  for (const Ordering ordering : kOrderings) {
    if (!is_available(ordering)) continue;
    for (const auto& [block, side] : {std::pair{0, 0}, {1, 8}, {13, 3}, {64, 1}, {1000, 2}}) {
      BOOST_TEST_CONTEXT(to_string(ordering) << ", block " << block << ", side " << side) {
        (void)solves<double>(runtime, a, {.ordering = ordering, .block = block, .side = side}, 1e-10);
      }
    }
  }
  (void)solves<float>(runtime, a, {}, 1e-3);
}

BOOST_AUTO_TEST_CASE(solves_what_needs_its_rows_matched) {
  Runtime runtime(two_workers_for_sparse());
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      (void)solves<double>(runtime, wild_matrix(60 + static_cast<int>(seed) * 9, seed), {}, 1e-6);
    }
  }
}

BOOST_AUTO_TEST_CASE(the_automatic_ordering_has_the_least_work_to_do) {
  const CompressedMatrix a = convection_diffusion(9, 10);
  const double least = analyse(a, {.block = 16}).work.flops(16);
  for (const Ordering ordering : {Ordering::natural, Ordering::rcm, Ordering::amd}) {
    if (is_available(ordering))
      BOOST_TEST(least <= 1.2 * analyse(a, {.ordering = ordering, .block = 16}).work.flops(16));
  }
}

BOOST_AUTO_TEST_CASE(replaced_pivots_are_counted_named_and_refined) {
  Runtime runtime(two_workers_for_sparse());
  // The four elements in rows and columns 20 and 21 are equal. After row 20 is eliminated, the pivot of row 21 is zero.
  std::vector<SparseEntry> entries;
  for (int i = 0; i < 40; ++i) {
    entries.push_back({i, i, 4});
    if (i > 0) entries.push_back({i, i - 1, 1});
  }
  entries.push_back({0, 1, 1});
  for (const auto& [row, col] : {std::pair{20, 21}, {21, 20}}) entries.push_back({row, col, row == 20 ? 4.0 : 3.0});
  entries.push_back({20, 39, 1});
  entries.push_back({39, 21, 1});
  entries.push_back({21, 39, -1});
  const CompressedMatrix a = compressed(40, std::move(entries));
  const SparseFactorization<double> factorization(runtime, a, {.ordering = Ordering::natural, .block = 8, .side = 2});
  BOOST_TEST(factorization.replaced().count == 1);
  BOOST_TEST(factorization.replaced().first == 21);
  const SparseSolution solution = factorization.solve(product(a, numbers(40)));
  BOOST_TEST(solution.residual.accepted());
  BOOST_TEST(solution.refinements > 0);
}

BOOST_AUTO_TEST_CASE(a_full_column_replaces_no_pivots) {
  Runtime runtime(two_workers_for_sparse());
  // The matrix has ones on its diagonal and in its last column. Pivots below the largest element times the square root
  // of eps are replaced. If the sum of the column, 3000, were used in place of the largest element, the limit would be
  // about 1, and the pivots would be replaced.
  std::vector<SparseEntry> entries;
  for (int i = 0; i < 3000; ++i) {
    entries.push_back({i, i, 1});
    if (i < 2999) entries.push_back({i, 2999, 1});
  }
  const CompressedMatrix a = compressed(3000, std::move(entries));
  const SparseFactorization<float> factorization(runtime, a, {.ordering = Ordering::natural, .block = 64});
  BOOST_TEST(factorization.replaced().count == 0);
  const SparseSolution solution = factorization.solve(product(a, std::vector<double>(3000, 1)));
  BOOST_TEST(solution.accepted());
  BOOST_TEST(std::ranges::all_of(solution.x, [](double value) { return std::abs(value - 1) < 1e-3; }));
}

BOOST_AUTO_TEST_CASE(the_largest_and_the_smallest_numbers_are_scaled) {
  Runtime runtime(two_workers_for_sparse());
  const CompressedMatrix a = compressed(2, {{0, 0, 1e300}, {1, 1, 1e-300}});
  const SparseFactorization<double> factorization(runtime, a, {.block = 4});
  BOOST_TEST(factorization.replaced().count == 0);
  const SparseSolution solution = factorization.solve({3e300, 2e-300});
  BOOST_TEST(solution.accepted());
  BOOST_TEST(std::abs(solution.x[0] - 3) < 1e-12);
  BOOST_TEST(std::abs(solution.x[1] - 2) < 1e-12);
  BOOST_CHECK_THROW((void)factorization.analysis().row_at(2), Error);
}

BOOST_AUTO_TEST_CASE(small_rows_are_as_accurate_as_large_ones_or_refused) {
  Runtime runtime(two_workers_for_sparse());
  const CompressedMatrix a = compressed(3, {{0, 0, 1e12}, {1, 1, 1}, {1, 2, 1}, {2, 1, 1}, {2, 2, 1 + 1e-9}});
  const SparseFactorization<double> factorization(runtime, a);
  const SparseSolution solution = factorization.solve(product(a, std::vector<double>(3, 1)));
  const bool right = std::ranges::all_of(solution.x, [](double value) { return std::abs(value - 1) < 1e-5; });
  BOOST_TEST((right || !solution.accepted()), solution.x[1] << ", backward error " << solution.backward_error);
}

BOOST_AUTO_TEST_CASE(a_system_without_a_solution_is_refused) {
  Runtime runtime(two_workers_for_sparse());
  std::vector<SparseEntry> entries{{0, 1, 1}, {1, 0, 1}};
  for (int i = 0; i < 200; ++i) entries.push_back({i, i, 1});
  const CompressedMatrix a = compressed(200, std::move(entries));
  std::vector<double> b(200);
  b[0] = 1;
  BOOST_TEST(!SparseFactorization<float>(runtime, a).solve(b).accepted());
  BOOST_TEST(!SparseFactorization<double>(runtime, a).solve(b).accepted());
}

BOOST_AUTO_TEST_CASE(what_is_not_finite_is_refused) {
  Runtime runtime(two_workers_for_sparse());
  const CompressedMatrix a = compressed(1, {{0, 0, 1e-10}});
  const SparseFactorization<double> factorization(runtime, a);
  BOOST_TEST(!factorization.solve({1e300}).accepted());
  const SparseSolution solution = factorization.solve({1});
  BOOST_TEST(solution.accepted());
  BOOST_TEST(std::abs(solution.x[0] - 1e10) < 1);
}

BOOST_AUTO_TEST_CASE(right_hand_sides_of_all_sizes_are_solved_alike) {
  Runtime runtime(two_workers_for_sparse());
  const CompressedMatrix a = convection_diffusion(4, 1);
  const SparseFactorization<float> factorization(runtime, a);
  const std::vector<double> b = numbers(a.order);
  const SparseSolution solution = factorization.solve(b);
  BOOST_TEST(solution.accepted());
  for (const double size : {0x1p-800, 0x1p-200, 0x1p200, 0x1p800}) {
    std::vector<double> other = b;
    for (double& value : other) value *= size;
    const SparseSolution scaled = factorization.solve(other);
    BOOST_TEST(scaled.accepted(), "size " << size << ", backward error " << scaled.backward_error);
    for (std::size_t i = 0; i < b.size(); ++i) BOOST_TEST(scaled.x[i] == solution.x[i] * size);
  }
}

BOOST_AUTO_TEST_CASE(the_row_with_what_a_double_does_not_hold_is_named) {
  Runtime runtime(two_workers_for_sparse());
  const CompressedMatrix a = compressed(3, {{0, 0, 1}, {1, 1, 1}, {2, 2, 1e-200}});
  const SparseFactorization<double> factorization(runtime, a);
  const SparseSolution solution = factorization.solve({1, 1, 1e200});
  BOOST_TEST(!solution.accepted());
  BOOST_TEST(std::isinf(solution.backward_error));
  BOOST_TEST(solution.out_of_range);
  BOOST_TEST(solution.worst_row == 2);
  BOOST_TEST(solution.refinements == 0);
  BOOST_TEST(std::isfinite(factorization.smallest_pivot().size));
  // The solution 1e-400 is below the range of a double, so it becomes zero.
  const CompressedMatrix large = compressed(2, {{0, 0, 1}, {1, 1, 1e200}});
  const SparseSolution tiny = SparseFactorization<double>(runtime, large).solve({1, 1e-200});
  BOOST_TEST(!tiny.accepted());
  BOOST_TEST(tiny.out_of_range);
  BOOST_TEST(tiny.worst_row == 1);
}

BOOST_AUTO_TEST_CASE(large_norms_do_not_hide_a_residual) {
  Runtime runtime(two_workers_for_sparse());
  // The product of the norms is above the range of a double, but no product of two elements is.
  std::vector<SparseEntry> entries;
  for (std::int32_t i = 0; i < 40; ++i) {
    entries.push_back({i, i, 4e200});
    if (i > 0) entries.push_back({i, 0, 1e200});
  }
  const CompressedMatrix a = compressed(40, std::move(entries));
  std::vector<double> x = numbers(a.order);
  for (double& value : x) value *= 1e106;
  const SparseSolution solution = SparseFactorization<float>(runtime, a).solve(product(a, x));
  BOOST_TEST(solution.accepted());
  BOOST_TEST(solution.backward_error > 0);
  BOOST_TEST(solution.residual.value > 0);
}

BOOST_AUTO_TEST_CASE(says_what_is_singular) {
  Runtime runtime(two_workers_for_sparse());
  BOOST_CHECK_EXCEPTION(SparseFactorization<double>(runtime, compressed(2, {{0, 0, 1}, {1, 0, 1}})), Error,
                        [](const Error& error) { return error.code() == ErrorCode::numerical; });
  // The matrix is singular, although its pattern is not. If the system has no solution, the residual must say so. If
  // the system has many solutions, the result is one of them.
  const CompressedMatrix singular = compressed(2, {{0, 0, 1}, {0, 1, 1}, {1, 0, 1}, {1, 1, 1}});
  const SparseFactorization<double> factorization(runtime, singular);
  BOOST_TEST(factorization.replaced().count == 1);
  BOOST_TEST(!factorization.solve({1, 2}).residual.accepted());
  BOOST_TEST((factorization.smallest_pivot().row == factorization.replaced().first));
  BOOST_CHECK_THROW((void)factorization.solve({1, 2, 3}), Error);
}

BOOST_AUTO_TEST_CASE(refuses_cuts_that_cannot_be) {
  const CompressedMatrix a = convection_diffusion(3, 1);
  BOOST_CHECK_THROW((void)analyse(a, {.block = -1}), Error);
  BOOST_CHECK_THROW((void)analyse(a, {.block = 4, .side = 9}), Error);
  // Even the pattern would not fit into memory if it were stored densely.
  std::vector<SparseEntry> diagonal;
  for (std::int32_t i = 0; i < 1'000'000; ++i) diagonal.push_back({i, i, 1});
  const CompressedMatrix large = compressed(1'000'000, std::move(diagonal));
  const auto names_the_least = [](const Error& error) {
    return error.code() == ErrorCode::invalid_argument &&
           std::string(error.what()).find("give 62 rows") != std::string::npos;
  };
  BOOST_CHECK_EXCEPTION((void)analyse(large, {.block = 61}), Error, names_the_least);
}

BOOST_AUTO_TEST_CASE(is_never_dense) {
  Runtime runtime(two_workers_for_sparse());
  // A band matrix with 20,000 rows. As a dense matrix it would need 3 GB.
  std::vector<SparseEntry> entries;
  for (int i = 0; i < 20000; ++i) {
    for (int j = std::max(0, i - 2); j <= std::min(19999, i + 2); ++j) entries.push_back({i, j, i == j ? 5.0 : -1.0});
  }
  const CompressedMatrix a = compressed(20000, std::move(entries));
  const SparseFactorization<double> factorization(runtime, a);
  BOOST_TEST(factorization.factors().bytes().count < 50'000'000U);
  BOOST_TEST(factorization.solve(product(a, numbers(20000))).residual.accepted());
}

BOOST_AUTO_TEST_CASE(real_matrices_are_solved) {
  Runtime runtime(two_workers_for_sparse());
  for (const char* name : {"bcsstk13", "watt_2"}) {
    const std::string path = TROUPE_SOURCE_DIR "/../shared/data/" + std::string(name) + ".mtx";
    if (!std::filesystem::exists(path)) {
      tests::skip(path + " is not there");
      return;
    }
    BOOST_TEST_CONTEXT(name) {
      const CompressedMatrix a = read_sparse(path).value_or_throw();
      const SparseFactorization<double> factorization(runtime, a);
      const SparseSolution solution =
          factorization.solve(product(a, std::vector<double>(static_cast<std::size_t>(a.order), 1)));
      BOOST_TEST(solution.residual.accepted(), solution.residual.value);
      BOOST_TEST_MESSAGE(name << ": " << to_string(factorization.analysis().ordering) << ", block "
                              << factorization.analysis().cut.block << ", " << factorization.factors().bytes().count
                              << " bytes, replaced " << factorization.replaced().count << ", " << solution.refinements
                              << " refinements, residual " << solution.residual.value);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::linalg
