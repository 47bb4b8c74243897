// Tests codelets on teams of cores. A team of any size must compute the same result as one core, except for rounding.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "kernels/blas_threads.hpp"
#include "kernels/codelets.hpp"
#include "tests/kernels/tile_matrix.hpp"
#include "tests/support/thread_team.hpp"
#include "troupe/errors.hpp"

namespace troupe::kernels {

BOOST_AUTO_TEST_SUITE(team_kernels)

namespace {

using namespace tests::tiles;  // NOLINT: this test uses many names of tests::tiles

constexpr int kTeams[] = {1, 2, 3, 4, 7};

/// The data of one task: its matrices, and its pivots, if there are any, at position `pivots_at` among the data.
template <class T>
struct Task {
  std::vector<TileMatrix<T>> matrices;
  Arguments arguments = {};
  std::vector<int> pivots = {};
  std::size_t pivots_at = 0;

  std::vector<DataView> views() {
    std::vector<DataView> all;
    for (TileMatrix<T>& matrix : matrices) all.push_back(matrix.view());
    if (!pivots.empty()) all.insert(all.begin() + static_cast<std::ptrdiff_t>(pivots_at), view(pivots));
    return all;
  }
  /// Runs the codelet; without a team, on one core. Returns the message of the error that it throws.
  std::string run(const Codelet& codelet, Team* team) {
    const std::vector<DataView> all = views();
    std::vector<const DataView*> pointers;
    for (const DataView& view : all) pointers.push_back(&view);
    KernelContext context(pointers, arguments.view());
    context.cores = team;
    const CodeletDefinition& definition = codelet.definition();
    try {
      (team != nullptr ? definition.team.kernel : definition.kernel_for(DeviceKind::cpu_core))(context);
    } catch (const Error& error) {
      BOOST_TEST((error.code() == ErrorCode::numerical));
      return error.what();
    }
    return {};
  }
};

template <class T>
bool same_bits(const TileMatrix<T>& a, const TileMatrix<T>& b) {
  return untouched_outside(a, b, [](auto, auto) { return false; });
}

/// Checks that teams compute the same result as one core, give equal results in two runs, and fail like one core. The
/// results are compared only if the task succeeds.
template <class T>
std::string check(const Codelet& codelet, const Task<T>& before) {
  const auto blas = single_threaded_blas();
  Task<T> expected = before;
  const std::string error = expected.run(codelet, nullptr);
  for (const int size : kTeams) {
    BOOST_TEST_CONTEXT("team of " << size << ", " << codelet.definition().known_name()) {
      tests::ThreadTeam team(size);
      Task<T> task = before;
      Task<T> again = before;
      BOOST_TEST(task.run(codelet, &team) == error);
      BOOST_TEST(again.run(codelet, &team) == error);
      if (!error.empty()) continue;
      BOOST_TEST(task.pivots == expected.pivots);
      for (std::size_t i = 0; i < task.matrices.size(); ++i) {
        BOOST_TEST(same(task.matrices[i], expected.matrices[i]));
        BOOST_TEST(same_bits(task.matrices[i], again.matrices[i]));
      }
    }
  }
  return error;
}

/// Multiplies all elements by `by`. With a small factor, sums of products stay near 1 and triangles are
/// well-conditioned.
template <class T>
TileMatrix<T> scaled(TileMatrix<T> a, T by) {
  for (std::int64_t j = 0; j < a.cols(); ++j) {
    for (std::int64_t i = 0; i < a.rows(); ++i) a(i, j) *= by;
  }
  return a;
}
template <class T>
TileMatrix<T> block(std::int64_t order, std::uint64_t seed) {
  return scaled(dominant<T>(order, seed), T{1} / static_cast<T>(order));
}

struct Shape {
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t inner;
};
/// Some sizes are smaller than a team, some are odd, and some are so large that several members share the work.
constexpr Shape kShapes[] = {{1, 1, 1},      {2, 3, 5},      {5, 2, 40},  {97, 61, 33},
                             {293, 203, 70}, {61, 331, 101}, {40, 7, 293}};
constexpr Around kAboveAndBelow[] = {{0, 0}, {5, 37}};

BOOST_AUTO_TEST_CASE_TEMPLATE(products, T, Precisions) {
  for (const Shape& shape : kShapes) {
    for (const Around& around : kAboveAndBelow) {
      const TileMatrix<T> a = TileMatrix<T>::random(shape.rows, shape.inner, 1);
      const TileMatrix<T> b = TileMatrix<T>::random(shape.inner, shape.cols, 2);
      const TileMatrix<T> c = TileMatrix<T>::random(shape.rows, shape.cols, 3);
      check<T>(codelets<T>().gemm_nn, {{a, tall(b, around), c}, args(around.above)});
      check<T>(codelets<T>().gemm_nt, {{a, tall(transposed(b), around), c}, args(around.above)});
      check<T>(codelets<T>().gemm_tn, {{transposed(a), b, tall(c, around)}, args(around.above)});
      check<T>(codelets<T>().syrk,
               {{tall(a, around), tall(TileMatrix<T>::random(shape.rows, shape.rows, 4), around)}, args(around.above)});
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(triangular_solves, T, Precisions) {
  for (const Shape& shape : kShapes) {
    for (const Around& around : kAboveAndBelow) {
      const TileMatrix<T> d = tall(block<T>(shape.cols, 1), around);
      const TileMatrix<T> right = TileMatrix<T>::random(shape.rows, shape.cols, 2);
      const TileMatrix<T> left = tall(transposed(right), around);
      const auto& all = codelets<T>();
      for (const Codelet* codelet : {&all.trsm_cholesky, &all.trsm_right_upper}) {
        check<T>(*codelet, {{d, right}, args(around.above)});
      }
      for (const Codelet* codelet :
           {&all.solve_lower, &all.solve_unit_lower, &all.solve_lower_transposed, &all.solve_upper}) {
        check<T>(*codelet, {{d, left}, args(around.above)});
      }
    }
  }
}

/// Some orders are below, some above the smallest order for which a team uses all of its members.
constexpr std::int64_t kFactorized[] = {1, 2, 5, 17, 128, 129, 293};

BOOST_AUTO_TEST_CASE_TEMPLATE(factors_of_tiles, T, Precisions) {
  for (const std::int64_t n : kFactorized) {
    for (const Around& around : kAboveAndBelow) {
      TileMatrix<T> spd = block<T>(n, 1);
      for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = 0; i < j; ++i) spd(i, j) = spd(j, i);
      }
      const Arguments arguments = args(around.above, std::int64_t{100});
      BOOST_TEST(check<T>(codelets<T>().potrf, {{tall(spd, around)}, arguments}).empty());
      BOOST_TEST(check<T>(codelets<T>().getrf_without_pivoting, {{tall(block<T>(n, 2), around)}, arguments}).empty());
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(panels_with_partial_pivoting, T, Precisions) {
  for (const std::int64_t cols : {1, 3, 17, 75}) {
    for (const std::int64_t below : {0, 333}) {
      const std::int64_t first = 3;
      const auto pivots = std::vector<int>(static_cast<std::size_t>(cols), -1);
      const TileMatrix<T> top = TileMatrix<T>::random(first + cols, cols, 5);
      std::vector<TileMatrix<T>> tiles{top};
      if (below > 0) tiles.push_back(TileMatrix<T>::random(below, cols, 6));
      BOOST_TEST(check<T>(codelets<T>().getrf_panel, {tiles, args(first, first), pivots, 0}).empty());

      std::vector<int> exchanges(static_cast<std::size_t>(cols));
      for (std::size_t i = 0; i < exchanges.size(); ++i) {
        exchanges[i] = static_cast<int>(first + cols + below - 1 - static_cast<std::int64_t>(i) % (below + 1));
      }
      check<T>(codelets<T>().swap_rows, {tiles, args(first, first), exchanges, 0});
      tiles.insert(tiles.begin(), tall(block<T>(cols, 7), {first, 0}));
      check<T>(codelets<T>().swap_and_solve, {tiles, args(first, first), exchanges, 1});
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(incremental_pivoting, T, Precisions) {
  const auto& all = codelets<T>();
  for (const std::int64_t n : {1, 5, 40, 150}) {
    const std::int64_t inner = std::min<std::int64_t>(n, 24);
    const Arguments last = args(std::int64_t{0}, std::int64_t{1});
    Task<T> tile{{TileMatrix<T>::random(n + 3, n, 1), TileMatrix<T>(n + 3, n)}, last, std::vector<int>(n), 2};
    check<T>(all.getrf_incpiv, tile);
    tile.run(all.getrf_incpiv, nullptr);
    const TileMatrix<T> c = TileMatrix<T>::random(n + 3, 37, 2);
    for (const Codelet* codelet : {&all.gessm, &all.gessm_back}) {
      check<T>(*codelet, {{tile.matrices[1], c}, {}, tile.pivots, 1});
    }
    Task<T> pair{{part_of(block<T>(n, 3), on_and_above), TileMatrix<T>::random(61, n, 4), TileMatrix<T>(inner, n)},
                 args(std::int64_t{0}, std::int64_t{0}, std::int64_t{1}),
                 std::vector<int>(static_cast<std::size_t>(n)),
                 3};
    check<T>(all.tstrf, pair);
    pair.run(all.tstrf, nullptr);
    for (const Codelet* codelet : {&all.ssssm, &all.ssssm_back}) {
      check<T>(*codelet,
               {{pair.matrices[1], pair.matrices[2], TileMatrix<T>::random(n, 37, 5), TileMatrix<T>::random(61, 37, 6)},
                args(std::int64_t{0}),
                pair.pivots,
                2});
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(reflectors, T, Precisions) {
  const auto& all = codelets<T>();
  for (const std::int64_t cols : {1, 6, 50, 130}) {
    for (const std::int64_t wished : {4, 40}) {
      const std::int64_t inner = std::min(wished, cols);
      const std::int64_t rows = cols + 31;
      Task<T> tile{{TileMatrix<T>::random(rows, cols, 1), TileMatrix<T>(inner, cols), TileMatrix<T>(rows, cols)}};
      check<T>(all.geqrt, tile);
      tile.run(all.geqrt, nullptr);
      Task<T> pair{
          {part_of(block<T>(cols, 2), on_and_above), TileMatrix<T>::random(rows, cols, 3), TileMatrix<T>(inner, cols)},
          args(std::int64_t{0})};
      check<T>(all.tpqrt, pair);
      pair.run(all.tpqrt, nullptr);
      for (const std::int64_t others : {1, 5, 90}) {
        for (const Codelet* codelet : {&all.gemqrt, &all.gemqrt_transposed}) {
          check<T>(*codelet, {{tile.matrices[2], tile.matrices[1], TileMatrix<T>::random(rows, others, 4)}});
        }
        for (const Codelet* codelet : {&all.tpmqrt, &all.tpmqrt_transposed}) {
          check<T>(*codelet, {{pair.matrices[1], pair.matrices[2], TileMatrix<T>::random(cols, others, 5),
                               TileMatrix<T>::random(rows, others, 6)},
                              args(std::int64_t{0})});
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(generated_elements, T, Precisions) {
  for (const Shape& shape : kShapes) {
    check<T>(codelets<T>().fill_symmetric,
             {{TileMatrix<T>(shape.rows, shape.cols)}, args(std::int64_t{3}, std::int64_t{1}, std::uint64_t{9}, 4.0)});
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_team_breaks_down_where_a_core_does, T, Precisions) {
  constexpr std::int64_t kOrder = 300;
  constexpr std::int64_t kNarrow = 33;
  const Arguments arguments = args(std::int64_t{0}, std::int64_t{100});
  for (const std::int64_t p : {0, 16, 127, 128, 299}) {
    const std::string row = std::to_string(101 + p);
    TileMatrix<T> indefinite = TileMatrix<T>::identity(kOrder);
    indefinite(p, p) = -1;
    BOOST_TEST(check<T>(codelets<T>().potrf, {{indefinite}, arguments}) ==
               "the matrix is not positive definite: its leading minor of order " + row + " is not positive");
    TileMatrix<T> singular = block<T>(kOrder, 1);
    for (std::int64_t i = 0; i < kOrder; ++i) singular(i, p) = 0;
    const std::string zero = "the matrix is singular: pivot " + row + " is exactly zero";
    BOOST_TEST(check<T>(codelets<T>().getrf_without_pivoting, {{singular}, arguments}) == zero);
    // The panel is so narrow that a team factorizes it column by column.
    const std::vector<int> pivots(kNarrow);
    TileMatrix<T> panel = TileMatrix<T>::random(kOrder, kNarrow, 2);
    const std::int64_t col = p % kNarrow;
    for (std::int64_t i = 0; i < kOrder; ++i) panel(i, col) = 0;
    BOOST_TEST(check<T>(codelets<T>().getrf_panel,
                        {{tall(panel, {100, 0})}, args(std::int64_t{100}, std::int64_t{100}), pivots, 0}) ==
               "the matrix is singular: pivot " + std::to_string(101 + col) + " is exactly zero");
  }
}

/// After an overflow, a panel may contain only NaN. Even then every pivot must be the index of a row of the panel.
BOOST_AUTO_TEST_CASE_TEMPLATE(a_team_gives_pivots_that_are_rows_to_a_panel_of_nan, T, Precisions) {
  constexpr int kRows = 90;
  for (const int size : kTeams) {
    tests::ThreadTeam team(size);
    Task<T> task{{scaled(TileMatrix<T>::random(kRows, 40, 1), std::numeric_limits<T>::quiet_NaN())},
                 args(std::int64_t{0}, std::int64_t{0}),
                 std::vector<int>(40, -1),
                 0};
    static_cast<void>(task.run(codelets<T>().getrf_panel, &team));
    for (const int pivot : task.pivots) BOOST_TEST((pivot >= 0 && pivot < kRows));
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::kernels
