// Compares the panels of tile QR on GPUs with LAPACK. The GPUs are fake, or real ones if the environment variable
// TROUPE_TEST_GPU is "real".
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/codelets.hpp"
#include "tests/kernels/cuda/cuda_comparison.hpp"

namespace troupe::kernels {

using namespace tests::comparison;  // NOLINT: this test uses many names of tests::comparison

namespace cuda_reflectors {

/// The widths of a panel and of its inner blocks: one block, several equal blocks, or a narrower last block.
struct Shape {
  std::int64_t cols;
  std::int64_t inner;
};
constexpr Shape kShapes[] = {{0, 1}, {1, 1}, {7, 7}, {7, 3}, {16, 8}, {33, 16}, {70, 70}};

/// Returns a matrix that is far from singular, so its factors are as accurate as its elements.
template <class T>
Operand regular(std::int64_t rows, std::int64_t cols, std::uint64_t seed, std::int64_t first = 0) {
  Operand result = random<T>(rows, cols, seed);
  for (std::int64_t j = 0; j < std::min(rows - first, cols); ++j) {
    result.matrix<T>()(first + j, j) += static_cast<T>(cols) / 4;
  }
  return result;
}

/// Sets the elements of T below the diagonal of each inner block to zero, because LAPACK may write anything there.
template <class T>
void keep_triangles(Operand& t) {
  const MatrixView<T> view = t.matrix<T>();
  for (std::int64_t j = 0; j < view.cols; ++j) {
    for (std::int64_t i = j % view.rows + 1; i < view.rows; ++i) view(i, j) = T{0};
  }
}

/// Runs a panel's codelet on the GPU and on a core, and compares all operands. Operand `t` has the triangles T.
template <class T>
void compare_panels(Gpu& gpu, const Codelet& codelet, const Operands& given, const Arguments& arguments, std::size_t t,
                    double most) {
  Operands on_gpu = given;
  Operands on_core = given;
  gpu.run(codelet, on_gpu, arguments);
  run_on_core(codelet, on_core, arguments);
  keep_triangles<T>(on_gpu[t]);
  keep_triangles<T>(on_core[t]);
  for (std::size_t i = 0; i < given.size(); ++i) {
    BOOST_TEST(difference<T>(on_gpu[i], on_core[i]) <= most, "operand " << i << " of " << codelet.name());
  }
}

template <class T>
void compare_geqrt(Gpu& gpu, const Operand& a, std::int64_t inner, double most, std::int64_t above = 0) {
  const Layout& shape = a.layout;
  compare_panels<T>(gpu, codelets<T>().geqrt,
                    {a, Operand::zeros<T>(inner, shape.cols, kGap), random<T>(shape.rows - above, shape.cols, 9)}, {},
                    1, most);
}

template <class T>
void compare_tpqrt(Gpu& gpu, const Operand& upper, const Operand& b, std::int64_t inner, double most,
                   std::int64_t above = 0) {
  compare_panels<T>(gpu, codelets<T>().tpqrt, {upper, b, Operand::zeros<T>(inner, b.layout.cols, kGap)}, args(above), 2,
                    most);
}

/// Returns the operand with all elements changed by `change`, except the gaps.
template <class T, class F>
Operand changed(Operand given, F change) {
  const MatrixView<T> view = given.matrix<T>();
  for (std::int64_t j = 0; j < view.cols; ++j) {
    for (std::int64_t i = 0; i < view.rows; ++i) view(i, j) = change(view(i, j), i, j);
  }
  return given;
}

}  // namespace cuda_reflectors

using namespace cuda_reflectors;  // NOLINT: as above

BOOST_FIXTURE_TEST_SUITE(cuda_reflectors, CudaKernels)

BOOST_AUTO_TEST_CASE_TEMPLATE(tiles_are_factored_as_by_lapack, T, Precisions) {
  if (!needs_device_code()) return;
  Gpu gpu;
  for (const auto& [cols, inner] : kShapes) {
    for (const std::int64_t more : {0, 1, 40}) {
      BOOST_TEST_CONTEXT(cols + more << " x " << cols << ", inner " << inner) {
        compare_geqrt<T>(gpu, regular<T>(cols + more, cols, 1), inner, bound(cols + more));
        // The panel does not begin in the first row of its tile.
        compare_geqrt<T>(gpu, regular<T>(cols + more, cols, 1, more), inner, bound(cols + more), more);
      }
    }
  }
  // The panels have more rows, or more columns in one inner block, than a thread block has threads.
  compare_geqrt<T>(gpu, regular<T>(300, 20, 1), 8, bound(300));
  compare_geqrt<T>(gpu, regular<T>(280, 280, 1), 280, bound(280));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(triangles_on_top_of_tiles_are_factored_as_by_lapack, T, Precisions) {
  if (!needs_device_code()) return;
  Gpu gpu;
  for (const auto& [cols, inner] : kShapes) {
    for (const std::int64_t rows : {std::int64_t{0}, std::int64_t{1}, cols / 2, cols, cols + 40}) {
      // The tile of the triangle may be taller and wider than the panel. Only its upper triangle is used.
      for (const std::int64_t more : {0, 5}) {
        BOOST_TEST_CONTEXT(rows << " x " << cols << ", inner " << inner << ", " << more << " more") {
          for (const std::int64_t above : {std::int64_t{0}, std::int64_t{more}}) {
            compare_tpqrt<T>(gpu, regular<T>(cols + more, cols + more, 1, above), random<T>(rows, cols, 2), inner,
                             bound(rows + cols), above);
          }
        }
      }
    }
  }
  compare_tpqrt<T>(gpu, regular<T>(20, 20, 1), random<T>(300, 20, 2), 8, bound(300));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(columns_that_are_zero_are_reflected_as_by_lapack, T, Precisions) {
  if (!needs_device_code()) return;
  Gpu gpu;
  const auto without = [](Operand given) {
    return changed<T>(std::move(given), [](T value, auto, std::int64_t j) { return j % 3 == 1 ? T{0} : value; });
  };
  compare_geqrt<T>(gpu, without(regular<T>(20, 12, 1)), 5, bound(20));
  compare_tpqrt<T>(gpu, regular<T>(12, 12, 1), without(random<T>(20, 12, 2)), 5, bound(20));
  compare_geqrt<T>(gpu, Operand::zeros<T>(20, 12, kGap), 5, 0);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(squares_neither_overflow_nor_vanish, T, Precisions) {
  if (!needs_device_code()) return;
  Gpu gpu;
  const T large = std::sqrt(std::numeric_limits<T>::max());
  for (const T scale : {large, 1 / large}) {
    const auto scaled = [scale](const Operand& given) {
      return changed<T>(given, [scale](T value, auto, auto) { return value * scale; });
    };
    const Operand square = regular<T>(30, 12, 1);
    Operands plain{square, Operand::zeros<T>(5, 12, kGap), square};
    Operands extreme{scaled(square), plain[1], plain[2]};
    gpu.run(codelets<T>().geqrt, plain);
    gpu.run(codelets<T>().geqrt, extreme);
    // If the matrix is scaled, R is scaled equally. The reflectors and T do not change.
    Operand& factored = extreme[0];
    for (std::int64_t j = 0; j < 12; ++j) {
      for (std::int64_t i = 0; i <= j; ++i) factored.matrix<T>()(i, j) /= scale;
    }
    BOOST_TEST(difference<T>(factored, plain[0]) <= bound(30));
    BOOST_TEST(difference<T>(extreme[1], plain[1]) <= bound(30));
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(no_number_stays_no_number, T, Precisions) {
  if (!needs_device_code()) return;
  Gpu gpu;
  Operands panel{regular<T>(20, 6, 1), Operand::zeros<T>(3, 6, kGap), random<T>(20, 6, 2)};
  panel[0].matrix<T>()(13, 2) = std::numeric_limits<T>::quiet_NaN();
  gpu.run(codelets<T>().geqrt, panel);
  BOOST_TEST(std::isnan(panel[0].matrix<T>()(2, 2)));
  BOOST_TEST(std::isnan(panel[0].matrix<T>()(5, 5)));
  BOOST_TEST(!std::isnan(panel[0].matrix<T>()(1, 1)));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::kernels
