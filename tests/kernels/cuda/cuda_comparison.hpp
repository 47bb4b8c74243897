/// Compares kernels on GPUs with the same kernels on cores.
#pragma once

#include <algorithm>
#include <boost/mpl/list.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "kernels/cuda/cuda_kernels.hpp"
#include "proto/random.hpp"
#include "tests/kernels/around.hpp"
#include "tests/support/cuda/cuda_fixture.hpp"
#include "tests/support/cuda/cuda_operands.hpp"
#include "tests/support/skipping.hpp"
#include "troupe/errors.hpp"

namespace troupe::tests::comparison {

using tests::Around;
using tests::kAround;

using tests::Gpu;
using tests::Operand;
using tests::run_on_core;
using Operands = std::vector<Operand>;

struct CudaKernels : CudaFixture {
  CudaKernels() : CudaFixture({.devices = 2, .memory = std::uint64_t{1} << 30U}) {}
};

inline constexpr std::int64_t kGap = 3;

template <class T>
Operand random(std::int64_t rows, std::int64_t cols, std::uint64_t seed) {
  Operand result = Operand::zeros<T>(rows, cols, kGap);
  Random source(seed);
  const MatrixView<T> view = result.matrix<T>();
  for (std::int64_t j = 0; j < cols; ++j) {
    for (std::int64_t i = 0; i < rows; ++i) view(i, j) = static_cast<T>(source.next() >> 11U) * T(0x1p-53) - T(0.5);
  }
  return result;
}

/// Returns a tall tile. Its diagonal block is symmetric and diagonally dominant, so every factorization of it succeeds.
template <class T>
Operand tall_tile(std::int64_t order, const Around& around, std::uint64_t seed) {
  Operand result = random<T>(around.above + order + around.below, order, seed);
  const MatrixView<T> view = result.matrix<T>();
  for (std::int64_t j = 0; j < order; ++j) {
    for (std::int64_t i = 0; i < j; ++i) view(around.above + i, j) = view(around.above + j, i);
    view(around.above + j, j) += static_cast<T>(order);
  }
  return result;
}

/// Returns the largest difference relative to the largest element, as a multiple of the rounding unit. Returns infinity
/// if the gaps between columns differ.
template <class T>
double difference(Operand& actual, Operand& expected, bool (*used)(std::int64_t, std::int64_t) = nullptr,
                  std::int64_t first_row = 0) {
  const MatrixView<T> a = actual.matrix<T>();
  const MatrixView<T> e = expected.matrix<T>();
  double largest = 1;
  double error = 0;
  for (std::int64_t j = 0; j < e.cols; ++j) {
    for (std::int64_t i = 0; i < e.rows; ++i) {
      if (used != nullptr && !used(i - first_row, j)) continue;
      const double apart = std::abs(static_cast<double>(a(i, j)) - static_cast<double>(e(i, j)));
      error = std::isnan(apart) ? apart : std::max(error, apart);
      largest = std::max(largest, std::abs(static_cast<double>(e(i, j))));
    }
    for (std::int64_t i = e.rows; i < e.ld; ++i) {
      if (std::memcmp(&a(i, j), &e(i, j), sizeof(T)) != 0) return std::numeric_limits<double>::infinity();
    }
  }
  return error / (largest * static_cast<double>(std::numeric_limits<T>::epsilon()));
}

/// Returns a limit for the difference of sums of `terms` products that are added in different orders. The linear
/// systems here have condition numbers below about ten.
inline double bound(std::int64_t terms) { return 40 * static_cast<double>(terms + 4); }

/// Runs the codelet on the GPU and on a core, and compares the operands with the indices `results`.
template <class T>
void compare(Gpu& gpu, const Codelet& codelet, const Operands& given, const Arguments& arguments, std::int64_t terms,
             std::vector<std::size_t> results) {
  Operands on_gpu = given;
  Operands on_core = given;
  gpu.run(codelet, on_gpu, arguments);
  run_on_core(codelet, on_core, arguments);
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (std::ranges::find(results, i) != results.end()) {
      BOOST_TEST(difference<T>(on_gpu[i], on_core[i]) <= bound(terms));
    } else {
      BOOST_TEST((on_gpu[i].bytes == given[i].bytes), "operand " << i << " was only to be read");
    }
  }
}

inline constexpr std::int64_t kOrders[] = {0, 1, 2, 7, 16, 33, 65};
using Precisions = boost::mpl::list<float, double>;

/// Returns true if Troupe's own GPU kernels were compiled and can be tested. Otherwise says "skipped" and returns
/// false.
inline bool needs_device_code() {
  if (!kernels::has_device_code()) skip("built without nvcc");
  return kernels::has_device_code();
}

/// Returns the message of the error that `run` throws; "no error" if it throws none. The error must have the code
/// `numerical`.
template <class F>
std::string error_of(F run) {
  try {
    run();
  } catch (const Error& error) {
    BOOST_TEST((error.code() == ErrorCode::numerical), to_string(error.code()) << ": " << error.what());
    return error.what();
  }
  return "no error";
}

/// Returns random pivots as in LAPACK: row i is exchanged with a row that is not above it.
inline Operand pivots(std::int64_t count, std::int64_t first, std::int64_t rows, std::uint64_t seed) {
  Operand result = Operand::zeros<int>(count, 1, 0);
  Random source(seed);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto below = static_cast<std::uint64_t>(rows - first - i);
    result.matrix<int>()(i, 0) = static_cast<int>(first + i + static_cast<std::int64_t>(source.next() % below));
  }
  return result;
}

}  // namespace troupe::tests::comparison
