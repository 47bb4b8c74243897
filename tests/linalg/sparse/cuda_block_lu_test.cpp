// Tests sparse LU on GPUs and cores together. The GPUs are fake. If the environment variable TROUPE_TEST_GPU is "real",
// there is one real GPU.
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "graph/codelets/codelet_definition.hpp"
#include "kernels/sparse/super_blocks_on_gpus.hpp"
#include "linalg/sparse/block_lu.hpp"
#include "linalg/sparse/block_solve.hpp"
#include "linalg/sparse/block_structure.hpp"
#include "linalg/sparse/convection_diffusion.hpp"
#include "linalg/sparse/sparse_factorization.hpp"
#include "proto/random.hpp"
#include "tests/linalg/sparse/random_blocks.hpp"
#include "tests/support/cuda/cuda_fixture.hpp"
#include "tests/support/skipping.hpp"

namespace troupe::linalg {

namespace cuda_block_lu {

struct Fixture : tests::CudaFixture {
  Fixture() : CudaFixture({.devices = 2, .memory = std::uint64_t{1} << 28U}) {}

  /// Returns options. `memory` is the part of each GPU's memory that is for data. The libraries and kernels use the
  /// rest.
  [[nodiscard]] RuntimeOptions options(const char* policy, std::uint64_t memory = std::uint64_t{1} << 24U) const {
    RuntimeOptions result;
    result.cores = 2;
    result.threads.oversubscribe = true;
    result.policy = policy;
    result.gpus = fake != nullptr ? 2 : 1;
    result.accelerators.gpu_memory = Bytes{memory};
    return result;
  }
};

/// Returns the largest difference, as a multiple of the rounding unit.
template <class T>
double apart(const BlockMatrix<T>& a, const BlockMatrix<T>& b) {
  return block_difference(a, b) / static_cast<double>(std::numeric_limits<T>::epsilon());
}

struct TaskCounts {
  std::uint64_t on_gpus = 0;
  std::uint64_t on_cores = 0;
};

TaskCounts count_tasks(const Runtime& runtime) {
  TaskCounts result;
  for (const WorkerReport& worker : runtime.report().workers) {
    (worker.kind == DeviceKind::cuda ? result.on_gpus : result.on_cores) += worker.counts.tasks;
  }
  return result;
}

template <class T>
kernels::ReplacedPivots factorize_blocks(Runtime& runtime, BlockMatrix<T>& a, double least, kernels::SuperTasks tasks) {
  const ReplacedPivotCounts counts(runtime, a.supers());
  block_lu(runtime, a, counts, least, tasks);
  runtime.wait();
  a.bring_home();
  return counts.total();
}

/// Checks that the factors are equal to those of a sequential run except for rounding, and that the GPUs ran some
/// tasks.
template <class T>
void check_factors(const RuntimeOptions& options, const BlockPattern& pattern, const BlockCut& cut,
                   kernels::SuperTasks tasks) {
  Runtime runtime(options);
  BlockMatrix<T> expected = tests::random_blocks<T>(runtime, pattern, cut);
  BOOST_TEST(block_lu_in_sequence(expected, 0.0).count == 0);
  const BlockMatrix<T> original = tests::random_blocks<T>(runtime, pattern, cut);
  BlockMatrix<T> a = tests::random_blocks<T>(runtime, pattern, cut);
  BOOST_TEST(factorize_blocks(runtime, a, 0.0, tasks).count == 0);
  BOOST_TEST(apart(a, expected) <= 30.0);
  const Residual residual = block_lu_residual(original, a, 3);
  BOOST_TEST(residual.accepted(), residual.formula << " = " << residual.value);
  BOOST_TEST(count_tasks(runtime).on_gpus > 0U);
}

BlockPattern pattern_named(const char* text, int blocks) {
  return pattern_of(parse_structure(text).value_or_throw(), blocks, 3);
}

bool runs_on_gpus() {
  const bool runs =
      kernels::super_block_codelets<double>().multiply.definition().kernel_for(DeviceKind::cuda) != nullptr;
  if (!runs) tests::skip("built without nvcc");
  return runs;
}

}  // namespace cuda_block_lu

using namespace cuda_block_lu;  // NOLINT: a test of its own

BOOST_FIXTURE_TEST_SUITE(cuda_block_lu, Fixture)

BOOST_AUTO_TEST_CASE(all_grains_are_right_on_gpus_and_cores) {
  if (!runs_on_gpus()) return;
  for (const char* policy : {"heft", "dada:alpha=0.5,cp", "homeward", "multigrain"}) {
    for (const int side : {1, 3}) {
      for (const kernels::SuperTasks tasks : {kernels::SuperTasks::whole, kernels::SuperTasks::pieces}) {
        BOOST_TEST_CONTEXT("side " << side << " under " << policy) {
          check_factors<double>(options(policy), pattern_named("third", 10), {20, side}, tasks);
          check_factors<float>(options(policy), pattern_named("bots", 10), {20, side}, tasks);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(memory_for_a_quarter_of_the_matrix_is_enough) {
  if (!runs_on_gpus()) return;
  const BlockPattern pattern = pattern_named("third", 16);
  const std::uint64_t quarter = static_cast<std::uint64_t>(pattern.count()) * 24 * 24 * sizeof(double) / 4;
  check_factors<double>(options("heft", quarter), pattern, {24, 4}, kernels::SuperTasks::whole);
  check_factors<double>(options("heft", quarter), pattern, {24, 4}, kernels::SuperTasks::pieces);
}

BOOST_AUTO_TEST_CASE(no_core_is_needed_and_launches_are_counted) {
  if (!runs_on_gpus()) return;
  RuntimeOptions alone = options("heft");
  alone.placement.restrict = "getrf_super,trsm_super,gemm_super:gpus";
  Runtime runtime(alone);
  constexpr int kSide = 4;
  const BlockPattern pattern = pattern_named("bots", 14);
  BlockMatrix<double> expected = tests::random_blocks<double>(runtime, pattern, {10, kSide});
  (void)block_lu_in_sequence(expected, 0.0);
  BlockMatrix<double> a = tests::random_blocks<double>(runtime, pattern, {10, kSide});
  (void)factorize_blocks(runtime, a, 0.0, kernels::SuperTasks::whole);
  BOOST_TEST(apart(a, expected) <= 30.0);
  const TaskCounts tasks = count_tasks(runtime);
  const std::size_t steps = block_lu_steps(pattern, kSide).size();
  BOOST_TEST(tasks.on_gpus == steps);
  BOOST_TEST(tasks.on_cores == 0U);
  const kernels::SuperBlockLaunches launched = kernels::super_block_launches();
  std::uint64_t counted = 0;
  const std::uint64_t most[] = {4 * kSide - 2, 2 * kSide, 2 * kSide, kSide + 1};
  for (std::size_t i = 0; i < launched.size(); ++i) {
    counted += launched[i].tasks;
    BOOST_TEST(launched[i].tasks > 0U);
    BOOST_TEST(launched[i].launches <= most[i] * launched[i].tasks);
    BOOST_TEST(launched[i].launches >= 2 * launched[i].tasks);
  }
  BOOST_TEST(counted == steps);
}

BOOST_AUTO_TEST_CASE(tiny_pivots_are_replaced_and_counted_wherever_they_are_met) {
  if (!runs_on_gpus()) return;
  for (const char* restriction : {"", "getrf_super:gpus"}) {
    RuntimeOptions how = options("heft");
    how.placement.restrict = restriction;
    Runtime runtime(how);
    BlockMatrix<double> a = tests::random_blocks<double>(runtime, pattern_named("band:1", 6), {8, 3});
    // In rows 29 and 35, all elements are zero except a tiny one on the diagonal.
    for (const std::int64_t row : {29, 35}) {
      for (std::int64_t col = 0; col < a.rows(); ++col) {
        if (a.pattern().full(static_cast<int>(row / 8), static_cast<int>(col / 8)))
          a(row, col) = row == col ? -1e-20 : 0;
      }
    }
    const kernels::ReplacedPivots replaced = factorize_blocks(runtime, a, 1e-6, kernels::SuperTasks::pieces);
    BOOST_TEST(replaced.count == 2);
    BOOST_TEST(replaced.first == 29);
    BOOST_TEST(a(29, 29) == -1e-6);
    BOOST_TEST(a(35, 35) == -1e-6);
  }
}

BOOST_AUTO_TEST_CASE(a_zero_pivot_is_named_by_a_gpu) {
  if (!runs_on_gpus()) return;
  RuntimeOptions how = options("heft");
  how.placement.restrict = "getrf_super:gpus";
  Runtime runtime(how);
  BlockMatrix<double> a = tests::random_blocks<double>(runtime, pattern_named("band:0", 5), {4, 2});
  for (std::int64_t col = 8; col < 12; ++col) a(10, col) = 0;
  const ReplacedPivotCounts counts(runtime, a.supers());
  block_lu(runtime, a, counts, 0.0);
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error, [](const Error& error) {
    return error.code() == ErrorCode::numerical &&
           std::string(error.what()).find("pivot 11 is exactly zero") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(a_sparse_system_is_solved_without_a_core) {
  if (!runs_on_gpus()) return;
  RuntimeOptions alone = options("heft");
  alone.placement.restrict = "getrf_super,trsm_super,gemm_super:gpus";
  const CompressedMatrix matrix = convection_diffusion(7, 30);
  const std::vector<double> ones(static_cast<std::size_t>(matrix.order), 1.0);
  Runtime runtime(alone);
  for (const int side : {2, 8}) {
    const SparseFactorization<double> factors(runtime, matrix, {.block = 16, .side = side});
    const SparseSolution solution = factors.solve(product(matrix, ones));
    BOOST_TEST(solution.accepted(), solution.residual.formula << " = " << solution.residual.value);
    double largest = 0;
    for (const double value : solution.x) largest = std::max(largest, std::abs(value - 1));
    BOOST_TEST(largest < 1e-10);
  }
  BOOST_TEST(count_tasks(runtime).on_cores == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::linalg
