// Tests the measurements of the GPU benchmarks on cores. The data, the order of the steps and the checks are those for
// GPUs.
#include <boost/mpl/list.hpp>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/cuda/generated_elements.hpp"
#include "kernels/sparse/super_block_steps.hpp"
#include "lab/bench/gpu/batched_product.hpp"
#include "lab/bench/gpu/generated_blocks.hpp"
#include "lab/bench/gpu/generated_system.hpp"
#include "lab/bench/gpu/measurements.hpp"
#include "lab/bench/gpu/tiled_product.hpp"
#include "lab/bench/gpu/tiles_of_memory.hpp"
#include "linalg/cholesky.hpp"

namespace troupe::bench {

BOOST_AUTO_TEST_SUITE(gpu_measurements)

namespace {

using Precisions = boost::mpl::list<float, double>;

GpuBenchOptions small() {
  GpuBenchOptions options;
  options.gpus = 0;
  options.out_of_core = 256;
  options.product = 192;
  options.policies = 256;
  options.tile = 64;
  options.policy_tile = 64;
  options.block = 24;
  options.rounds = 1;
  return options;
}

RuntimeOptions two_cores() {
  RuntimeOptions options;
  options.cores = 2;
  options.threads.oversubscribe = true;
  return options;
}

BOOST_AUTO_TEST_CASE(all_of_them_are_right_on_cores) {
  std::vector<GpuFigure> figures{measure_in_memory(small(), 192),
                                 measure_out_of_core(small(), 1.0),
                                 measure_product(small()),
                                 measure_batched_product<double>(small(), 3),
                                 measure_batched_product<float>(small(), 8),
                                 measure_policy(small(), "heft")};
  for (const GpuFigure& figure : figures) {
    BOOST_TEST(figure.failure == "");
    BOOST_TEST(figure.accepted());
    BOOST_TEST(figure.seconds > 0);
    BOOST_TEST(figure.residual > 0);
    BOOST_TEST(figure.ratio == 0);
  }
}

BOOST_AUTO_TEST_CASE(a_factor_that_is_wrong_has_a_large_residual) {
  Runtime runtime(two_cores());
  const GeneratedSystem system{.n = 192, .tile = 64};
  TilesOfMemory memory(runtime, system.n, system.tile, TilePart::lower, "A");
  memory.generate(system.seed, system.diagonal());
  linalg::cholesky(runtime, memory.tiles());
  BOOST_TEST(residual_of(runtime, system, memory.tiles()) < 30);
  runtime.acquire(memory.tiles()(1, 0), AccessMode::read_write).matrix<double>()(3, 5) += 1e-6;
  BOOST_TEST(residual_of(runtime, system, memory.tiles()) > 30);
}

BOOST_AUTO_TEST_CASE(a_product_is_checked) {
  Runtime runtime(two_cores());
  const std::int64_t n = 192;
  TiledProduct product(runtime, n, 64);
  BOOST_TEST(product.multiply() > 0);
  BOOST_TEST(product.residual() < 30);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_product_of_super_blocks_is_checked, T, Precisions) {
  const BatchedShape shape{3, 10};
  GeneratedBlocks<T> c(shape, kSeedOfResult);
  BOOST_TEST(residual_of_product(shape, c) > 30);
  GeneratedBlocks<T> a(shape, kSeedOfLeft);
  GeneratedBlocks<T> b(shape, kSeedOfRight);
  const kernels::SubtractProduct<T> step(a.blocks().constant(), b.blocks().constant(), c.blocks());
  for (int i = 0; i < step.count(); ++i) step.piece(i);
  BOOST_TEST(residual_of_product(shape, c) < 30);
  c.values()[7] += std::sqrt(std::numeric_limits<T>::epsilon());
  BOOST_TEST(residual_of_product(shape, c) > 30);
}

BOOST_AUTO_TEST_CASE(a_part_of_a_matrix_is_generated_as_in_the_whole) {
  Runtime runtime(two_cores());
  TilesOfMemory memory(runtime, 12, 4, TilePart::all, "A");
  memory.generate(5, 12.0);
  runtime.wait();
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) {
      const HostAccess access = runtime.acquire(memory.tiles()(i, j), AccessMode::read);
      for (int col = 0; col < 4; ++col) {
        for (int row = 0; row < 4; ++row) {
          const double value = access.matrix<const double>()(row, col);
          BOOST_TEST(value == kernels::symmetric_element(5, 4 * i + row, 4 * j + col, 12.0));
          BOOST_TEST(value == kernels::symmetric_element(5, 4 * j + col, 4 * i + row, 12.0));
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(generated_elements_are_spread_evenly) {
  // The numbers are uniform in (-1/2, 1/2). The means of the numbers and of their squares must be within five standard
  // deviations.
  constexpr int kOrder = 300;
  double sum = 0;
  double squares = 0;
  for (int row = 0; row < kOrder; ++row) {
    for (int col = 0; col < row; ++col) {
      const double value = kernels::symmetric_element(1, row, col, 0);
      BOOST_REQUIRE(std::abs(value) < 0.5);
      sum += value;
      squares += value * value;
    }
  }
  const double count = kOrder * (kOrder - 1) / 2.0;
  BOOST_TEST(std::abs(sum / count) < 5 * std::sqrt(1 / 12.0 / count));
  BOOST_TEST(std::abs(squares / count - 1 / 12.0) < 5 * std::sqrt(1 / 180.0 / count));
}

BOOST_AUTO_TEST_CASE(what_cannot_be_measured_is_in_the_figure) {
  const GpuFigure figure = measure_policy(small(), "no such policy");
  BOOST_TEST(figure.failure.find("no such policy") != std::string::npos);
  BOOST_TEST(!figure.accepted());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::bench
