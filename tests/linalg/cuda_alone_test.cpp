// Tests factorizations whose tasks all run on GPUs. The GPUs are fake. If the environment variable TROUPE_TEST_GPU is
// "real", there is one real GPU.
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "kernels/cuda/cuda_kernels.hpp"
#include "kernels/tile_kernels.hpp"
#include "linalg/lu.hpp"
#include "linalg/problem.hpp"
#include "linalg/qr.hpp"
#include "linalg/residuals.hpp"
#include "tests/support/cuda/cuda_fixture.hpp"
#include "tests/support/skipping.hpp"
#include "troupe/errors.hpp"
#include "troupe/runtime.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::linalg {

namespace cuda_alone {

/// The order is no multiple of the tile size, so tiles at the edges are smaller. The tile size is no multiple of the
/// inner block size.
constexpr std::int64_t kOrder = 300;
constexpr std::int64_t kTile = 64;
/// With this tile size, a block column of LU fits into a quarter of the matrix's memory.
constexpr std::int64_t kPanel = 40;
constexpr std::int64_t kInner = 24;

struct Fixture : tests::CudaFixture {
  Fixture() : CudaFixture({.devices = 2, .memory = std::uint64_t{1} << 28U}) {}

  /// Returns options. `share` is the ratio of each GPU's memory to the memory of the whole matrix.
  [[nodiscard]] RuntimeOptions options(double share, std::size_t element_bytes) const {
    RuntimeOptions result;
    result.cores = 1;
    result.threads.oversubscribe = true;
    result.policy = "heft";
    result.gpus = fake != nullptr ? 2 : 1;
    const double bytes = share * kOrder * kOrder * static_cast<double>(element_bytes);
    result.accelerators.gpu_memory = Bytes{static_cast<std::uint64_t>(bytes)};
    return result;
  }
};

/// Returns all codelets without their implementations for cores, so that only GPUs can run them.
template <class T>
kernels::TileCodelets<T> only_on_gpus() {
  kernels::TileCodelets<T> all = kernels::codelets<T>();
  for (const kernels::TileKernel<T>& entry : kernels::tile_kernels<T>()) {
    Codelet& codelet = all.*entry.codelet;
    codelet = codelet.copy().implement(DeviceKind::cpu_core, nullptr);
  }
  return all;
}

struct Tasks {
  std::uint64_t on_gpus = 0;
  std::uint64_t on_cores = 0;
};

Tasks tasks_of(const Runtime& runtime) {
  Tasks result;
  for (const WorkerReport& worker : runtime.report().workers) {
    (worker.kind == DeviceKind::cuda ? result.on_gpus : result.on_cores) += worker.counts.tasks;
  }
  return result;
}

template <class T>
DenseMatrix<T> random_matrix(std::int64_t rows, std::int64_t cols) {
  Runtime runtime(RuntimeOptions{.cores = 1});
  return assemble<T>(runtime, {ProblemKind::random, rows, cols, 3});
}

bool has_kernels() {
  if (!kernels::has_device_code()) tests::skip("built without nvcc");
  return kernels::has_device_code();
}

void check_tasks(const Runtime& runtime) {
  const Tasks tasks = tasks_of(runtime);
  BOOST_TEST(tasks.on_gpus > 0U);
  BOOST_TEST(tasks.on_cores == 0U);
}

/// Factorizes a matrix with LU and checks the result. If `tall`, the tiles are twice as high as they are wide.
template <class T>
void factorize_lu(const RuntimeOptions& options, bool tall) {
  const DenseMatrix<T> original = random_matrix<T>(kOrder, kOrder);
  DenseMatrix<T> a = original;
  Runtime runtime(options);
  const TileSize tile(tall ? 2 * kPanel : kPanel, kPanel);
  auto tiles = TiledMatrix<T>::in_place(runtime, a.values.data(), kOrder, kOrder, kOrder, tile);
  const Pivots pivots(runtime, kOrder, kPanel);
  lu(runtime, tiles, pivots, only_on_gpus<T>());
  runtime.wait();
  check_tasks(runtime);
  (void)runtime.acquire(pivots.all(), AccessMode::read);
  const Residual residual = lu_residual(runtime, original, tiles, pivots.rows());
  BOOST_TEST(residual.accepted(), residual.formula << " = " << residual.value);
}

template <class T>
void factorize_qr(const RuntimeOptions& options, std::int64_t rows) {
  const DenseMatrix<T> original = random_matrix<T>(rows, kOrder);
  DenseMatrix<T> a = original;
  Runtime runtime(options);
  auto tiles = TiledMatrix<T>::in_place(runtime, a.values.data(), rows, kOrder, rows, kTile);
  QrFactors<T> factors(runtime, tiles, kInner);
  qr(runtime, tiles, factors, only_on_gpus<T>());
  runtime.wait();
  check_tasks(runtime);
  for (const Residual& residual : qr_residuals(runtime, original, tiles, factors)) {
    BOOST_TEST(residual.accepted(), residual.formula << " = " << residual.value);
  }
}

}  // namespace cuda_alone

using namespace cuda_alone;  // NOLINT: a test of its own

BOOST_FIXTURE_TEST_SUITE(cuda_alone, Fixture)

BOOST_AUTO_TEST_CASE(qr_needs_no_core) {
  if (!has_kernels()) return;
  for (const double share : {2.0, 0.25}) {
    BOOST_TEST_CONTEXT("memory for " << share << " of the matrix") {
      factorize_qr<double>(options(share, sizeof(double)), kOrder);
      factorize_qr<float>(options(share, sizeof(float)), kOrder + 50);
    }
  }
}

BOOST_AUTO_TEST_CASE(lu_with_pivoting_needs_no_core) {
  if (!has_kernels()) return;
  for (const double share : {2.0, 0.25}) {
    BOOST_TEST_CONTEXT("memory for " << share << " of the matrix") {
      factorize_lu<double>(options(share, sizeof(double)), false);
      factorize_lu<float>(options(share, sizeof(float)), false);
    }
  }
  factorize_lu<double>(options(2, sizeof(double)), true);
}

BOOST_AUTO_TEST_CASE(a_singular_matrix_is_named_by_its_pivot) {
  if (!has_kernels()) return;
  for (const std::int64_t bad : {std::int64_t{0}, kPanel + 5, kOrder - 1}) {
    DenseMatrix<double> a = random_matrix<double>(kOrder, kOrder);
    for (std::int64_t i = 0; i < kOrder; ++i) a(i, bad) = 0;
    Runtime runtime(options(2, sizeof(double)));
    auto tiles = TiledMatrix<double>::in_place(runtime, a.values.data(), kOrder, kOrder, kOrder, kPanel);
    const Pivots pivots(runtime, kOrder, kPanel);
    lu(runtime, tiles, pivots, only_on_gpus<double>());
    const std::string expected = "the matrix is singular: pivot " + std::to_string(bad + 1) + " is exactly zero";
    BOOST_CHECK_EXCEPTION(runtime.wait(), Error, [&](const Error& error) {
      return error.code() == ErrorCode::numerical && std::string(error.what()).find(expected) != std::string::npos;
    });
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::linalg
