/// Tests factorizations in virtual time with real buffers. The results must be right, whichever devices had the tiles.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "apps/simulate/modelled_codelets.hpp"
#include "linalg/cholesky.hpp"
#include "proto/random.hpp"
#include "tests/support/known_machine.hpp"
#include "troupe/runtime.hpp"
#include "troupe/simulation_options.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(simulated_cholesky)

namespace {

constexpr std::int64_t kSize = 160;
constexpr std::int64_t kTile = 32;

std::size_t at(std::int64_t row, std::int64_t col) { return static_cast<std::size_t>(row + col * kSize); }

/// Returns a symmetric and diagonally dominant matrix.
std::vector<double> positive_definite() {
  Random random(1);
  std::vector<double> a(static_cast<std::size_t>(kSize * kSize));
  for (std::int64_t col = 0; col < kSize; ++col) {
    for (std::int64_t row = col; row < kSize; ++row) {
      a[at(row, col)] = static_cast<double>(random.next() >> 11U) * 0x1p-53 - 0.5;
      a[at(col, row)] = a[at(row, col)];
    }
    a[at(col, col)] += static_cast<double>(kSize);
  }
  return a;
}

/// Returns the largest element of |A - L L^T| relative to n * eps * |A|, like the tests of LAPACK.
double residual(const std::vector<double>& a, const std::vector<double>& l) {
  double worst = 0;
  double norm = 0;
  for (std::int64_t col = 0; col < kSize; ++col) {
    for (std::int64_t row = col; row < kSize; ++row) {
      double sum = 0;
      for (std::int64_t k = 0; k <= col; ++k) sum += l[at(row, k)] * l[at(col, k)];
      worst = std::max(worst, std::abs(a[at(row, col)] - sum));
      norm = std::max(norm, std::abs(a[at(row, col)]));
    }
  }
  return worst / (static_cast<double>(kSize) * 0x1p-53 * norm);
}

BOOST_AUTO_TEST_CASE(the_factor_is_right_under_every_policy_with_room_for_few_tiles) {
  const std::vector<double> a = positive_definite();
  for (const char* policy : {"eager", "lws", "mct", "heft", "dada:alpha=0.5,cp", "heteroprio"}) {
    for (const std::uint64_t tiles : {std::uint64_t{3}, std::uint64_t{5}, std::uint64_t{1000}}) {
      SimulationOptions simulation;
      simulation.machine = tests::known_machine("idgraf-double");
      simulation.gpus = {0, 1, 2};
      simulation.cores = 2;
      simulation.real_buffers = true;
      simulation.disturbances.shuffle_messages = true;
      simulation.accelerators.gpu_memory = Bytes{tiles * kTile * kTile * sizeof(double)};
      RuntimeOptions options;
      options.policy = policy;
      options.simulation = std::make_shared<const SimulationOptions>(simulation);
      const auto codelets =
          modelled_codelets<double>(linalg::Application::cholesky, simulation.machine).value_or_throw();
      std::vector<double> l = a;
      Runtime runtime(options);
      TiledMatrix<double> matrix(runtime, kSize, kSize, kTile);
      matrix.gather_from(a.data(), kSize);
      linalg::cholesky(runtime, matrix, codelets);
      matrix.scatter_to(l.data(), kSize);
      runtime.wait();
      BOOST_TEST(residual(a, l) < 10, policy << ", room for " << tiles << " tiles: " << residual(a, l));
      // Policies that know the kernel times may run all tasks on cores, because the tiles are so small.
      if (std::string(policy) != "eager" && std::string(policy) != "lws") continue;
      BOOST_TEST(runtime.report().transfers.host_to_device.count > 0U);
      if (tiles < 10) BOOST_TEST(runtime.report().transfers.manager.evictions > 0U);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
