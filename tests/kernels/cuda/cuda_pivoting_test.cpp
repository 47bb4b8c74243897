// Compares LU with partial pivoting on GPUs, where block columns consist of several tiles, with cores and LAPACK. The
// GPUs are fake, or real ones if the environment variable TROUPE_TEST_GPU is "real".
#include <boost/test/unit_test.hpp>
#include <limits>
#include <string>
#include <vector>

#include "kernels/codelets.hpp"
#include "kernels/cuda/cuda_kernel_shapes.hpp"
#include "tests/kernels/cuda/cuda_comparison.hpp"

namespace troupe::kernels {

using namespace tests::comparison;  // NOLINT: this test uses many names of tests::comparison

namespace cuda_pivoting {

/// The heights of the tiles of a column. `cuts` returns several ways to cut a column into tiles.
using Heights = std::vector<std::int64_t>;
std::vector<Heights> cuts(std::int64_t rows) {
  std::vector<Heights> all{{rows}};
  if (rows >= 3) all.push_back({rows / 2, rows - rows / 2 - 1, 1});
  if (rows >= 4) all.push_back({rows / 4, 0, rows - rows / 4});
  return all;
}

template <class T>
void add_column(Operands& operands, const Heights& heights, std::int64_t cols, std::uint64_t seed) {
  for (const std::int64_t height : heights) operands.push_back(random<T>(height, cols, seed++));
}

/// Checks that all operands are equal on the GPU and on a core, to the last bit.
void same_on_both(Gpu& gpu, const Codelet& codelet, const Operands& given, const Arguments& arguments) {
  Operands on_gpu = given;
  Operands on_core = given;
  gpu.run(codelet, on_gpu, arguments);
  run_on_core(codelet, on_core, arguments);
  for (std::size_t i = 0; i < given.size(); ++i) BOOST_TEST((on_gpu[i].bytes == on_core[i].bytes), "operand " << i);
}

}  // namespace cuda_pivoting

using namespace cuda_pivoting;  // NOLINT: as above

BOOST_FIXTURE_TEST_SUITE(cuda_pivoting, CudaKernels)

BOOST_AUTO_TEST_CASE_TEMPLATE(panels_are_factored_as_by_lapack, T, Precisions) {
  if (!needs_device_code()) return;
  Gpu gpu;
  for (const std::int64_t cols : {0, 1, 7, 33}) {
    for (const std::int64_t below : {0, 1, 40, 300}) {
      for (const std::int64_t offset : {0, 5}) {
        for (const Heights& heights : cuts(offset + cols + below)) {
          Operands given{Operand::zeros<int>(cols, 1, 0)};
          add_column<T>(given, heights, cols, 3);
          Operands on_gpu = given;
          Operands on_core = given;
          const Arguments arguments = args(offset, offset + 1000);
          gpu.run(codelets<T>().getrf_panel, on_gpu, arguments);
          run_on_core(codelets<T>().getrf_panel, on_core, arguments);
          BOOST_TEST_CONTEXT(cols << " columns, " << below << " rows below, " << heights.size() << " tiles") {
            BOOST_TEST((on_gpu[0].bytes == on_core[0].bytes));
            for (std::size_t i = 1; i < given.size(); ++i) {
              // On a fake GPU, both results come from LAPACK. A real GPU's library adds in another order.
              BOOST_TEST(difference<T>(on_gpu[i], on_core[i]) <= bound(cols + below) * static_cast<double>(cols + 1));
            }
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(more_tiles_than_one_launch_can_be_told_of, T, Precisions) {
  if (!needs_device_code()) return;
  Gpu gpu;
  const Heights heights(2 * TilePlaces<T>::kMost + 5, 2);
  Operands panel{Operand::zeros<int>(6, 1, 0)};
  add_column<T>(panel, heights, 6, 3);
  Operands factored = panel;
  const Arguments from_one = args(std::int64_t{1}, std::int64_t{1});
  run_on_core(codelets<T>().getrf_panel, factored, from_one);
  gpu.run(codelets<T>().getrf_panel, panel, from_one);
  BOOST_TEST((panel[0].bytes == factored[0].bytes));
  for (std::size_t i = 1; i < panel.size(); ++i) BOOST_TEST(difference<T>(panel[i], factored[i]) <= bound(600));
  Operands exchange{pivots(200, 0, static_cast<std::int64_t>(2 * heights.size()), 5)};
  add_column<T>(exchange, heights, 6, 3);
  same_on_both(gpu, codelets<T>().swap_rows, exchange, args(std::int64_t{0}, std::int64_t{0}));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_singular_panel_is_reported_with_the_row_that_cores_report, T, Precisions) {
  if (!needs_device_code()) return;
  Gpu gpu;
  for (const std::int64_t bad : {0, 3, 8}) {
    for (const Heights& heights : cuts(40)) {
      Operands given{Operand::zeros<int>(9, 1, 0)};
      add_column<T>(given, heights, 9, 3);
      // A column of zeros stays zero, so more than one pivot is zero.
      for (std::size_t i = 1; i < given.size(); ++i) {
        const MatrixView<T> tile = given[i].matrix<T>();
        for (std::int64_t row = 0; row < tile.rows; ++row) tile(row, bad) = tile(row, 8) = T{0};
      }
      Operands on_gpu = given;
      Operands on_core = given;
      const Arguments arguments = args(std::int64_t{2}, std::int64_t{102});
      const std::string expected = error_of([&] { run_on_core(codelets<T>().getrf_panel, on_core, arguments); });
      BOOST_TEST(expected == "the matrix is singular: pivot " + std::to_string(103 + bad) + " is exactly zero");
      BOOST_TEST(error_of([&] {
                   gpu.run(codelets<T>().getrf_panel, on_gpu, arguments);
                 }).starts_with(expected + ", or is no number"));
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_panel_with_an_element_that_is_not_finite_fails_and_names_its_column, T, Precisions) {
  if (!needs_device_code()) return;
  Gpu gpu;
  for (const T bad : {std::numeric_limits<T>::quiet_NaN(), -std::numeric_limits<T>::infinity()}) {
    for (const auto& [row, column] : {std::pair{0, 0}, {19, 4}, {7, 8}}) {
      Operands panel{Operand::zeros<int>(9, 1, 0)};
      add_column<T>(panel, {10, 20}, 9, 3);
      panel[2].matrix<T>()(row, column) = panel[2].matrix<T>()(5, 8) = bad;
      BOOST_TEST(error_of([&] {
                   gpu.run(codelets<T>().getrf_panel, panel, args(std::int64_t{0}, std::int64_t{100}));
                 }) == "the matrix has an element in column " + std::to_string(101 + column) +
                           " that is NaN or infinite, which this GPU's library would lose without a word");
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(row_exchanges_are_those_of_cores_to_the_last_bit, T, Precisions) {
  if (!needs_device_code()) return;
  Gpu gpu;
  // If there are few rows, the same rows are exchanged again and again. There are also more exchanges than the kernel
  // combines in one step.
  for (const std::int64_t rows : {1, 2, 9, 300, 700}) {
    for (const std::int64_t cols : {0, 1, 11}) {
      for (const std::int64_t offset : {std::int64_t{0}, rows / 3}) {
        for (const std::int64_t count : {std::int64_t{1}, (rows - offset) / 2, rows - offset}) {
          for (const Heights& heights : cuts(rows)) {
            Operands given{pivots(count, 50 + offset, 50 + rows, 5)};
            add_column<T>(given, heights, cols, 6);
            same_on_both(gpu, codelets<T>().swap_rows, given, args(offset, 50 + offset));
          }
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(pivots_may_come_in_pieces, T, Precisions) {
  if (!needs_device_code()) return;
  Gpu gpu;
  for (const Heights& pieces : {Heights{20, 30}, Heights{0, 1, 49}, Heights{50, 0}, Heights{10, 10, 10, 20}}) {
    const Operand all = pivots(50, 30, 90, 5);
    Operands given;
    std::int64_t begin = 0;
    for (const std::int64_t count : pieces) {
      Operand& piece = given.emplace_back(Operand::zeros<int>(count, 1, 0));
      for (std::int64_t i = 0; i < count; ++i) piece.matrix<int>()(i, 0) = Operand(all).matrix<int>()(begin + i, 0);
      begin += count;
    }
    add_column<T>(given, {40, 30}, 11, 6);
    same_on_both(gpu, codelets<T>().swap_rows, given, args(std::int64_t{10}, std::int64_t{30}));
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(pivots_that_are_no_rows_fail_and_lead_nowhere, T, Precisions) {
  if (!needs_device_code()) return;
  Gpu gpu;
  constexpr std::int64_t kRows = 300;
  for (const int wrong :
       {-1, 9, 10 + static_cast<int>(kRows), std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    for (const std::int64_t place : {std::int64_t{0}, std::int64_t{150}, kRows - 1}) {
      for (const std::int64_t first_piece : {std::int64_t{100}, kRows}) {
        const Operand all = pivots(kRows, 10, 10 + kRows, 5);
        Operands data{Operand::zeros<int>(first_piece, 1, 0), Operand::zeros<int>(kRows - first_piece, 1, 0)};
        for (std::int64_t i = 0; i < kRows; ++i) {
          const bool second = i >= first_piece;
          data[second ? 1 : 0].matrix<int>()(second ? i - first_piece : i, 0) =
              i == place ? wrong : Operand(all).matrix<int>()(i, 0);
        }
        add_column<T>(data, {120, 180}, 11, 6);
        const std::string expected = "pivot " + std::to_string(place) + " is none of the rows 10 up to 310 ";
        BOOST_CHECK_EXCEPTION(gpu.run(codelets<T>().swap_rows, data, args(std::int64_t{0}, std::int64_t{10})), Error,
                              [&](const Error& error) {
                                return error.code() == ErrorCode::bad_input &&
                                       std::string(error.what()).find(expected) == 0;
                              });
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(exchanges_and_solves_are_those_of_cores, T, Precisions) {
  if (!needs_device_code()) return;
  Gpu gpu;
  for (const std::int64_t n : {1, 16, 33}) {
    for (const auto& [above, below] : kAround) {
      const std::int64_t facing = above + n + below;
      for (const Heights& heights : {Heights{facing + 20}, Heights{facing, 20}, Heights{facing + 3, 7, 10}}) {
        for (const std::int64_t m : {0, 1, 29}) {
          Operand d = tall_tile<T>(n, {above, below}, 1);
          for (std::byte* at = d.bytes.data(); at != d.bytes.data() + d.bytes.size(); at += sizeof(T)) {
            *reinterpret_cast<T*>(at) /= static_cast<T>(2 * n);
          }
          const std::int64_t first = above + 7;
          Operands given{d, pivots(n, first, 7 + facing + 20, 5)};
          add_column<T>(given, heights, m, 6);
          std::vector<std::size_t> written;
          for (std::size_t i = 2; i < given.size(); ++i) written.push_back(i);
          compare<T>(gpu, codelets<T>().swap_and_solve, given, args(above, first), n, written);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(panels_only_enqueue_and_allocate_once) {
  if (!needs_fake() || !needs_device_code()) return;
  Gpu gpu;
  const auto once = [&] {
    Operands panel{Operand::zeros<int>(9, 1, 0)};
    add_column<double>(panel, {10, 20}, 9, 3);
    gpu.run(codelets<double>().getrf_panel, panel, args(std::int64_t{0}, std::int64_t{0}));
    Operands exchange{pivots(9, 0, 30, 5)};
    add_column<double>(exchange, {10, 20}, 9, 3);
    gpu.run(codelets<double>().swap_rows, exchange, args(std::int64_t{0}, std::int64_t{0}));
  };
  once();
  const tests::FakeCudaLeaks before = fake->leaks();
  once();
  BOOST_TEST(fake->leaks().allocations == before.allocations);
  BOOST_TEST(fake->leaks().pinned_ranges == before.pinned_ranges);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::kernels
