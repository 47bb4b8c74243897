// Compares the steps on super-blocks on GPUs with those on cores. The GPUs are fake, or real ones if the environment
// variable TROUPE_TEST_GPU is "real".
#include <boost/test/unit_test.hpp>
#include <limits>
#include <vector>

#include "kernels/cuda/cuda_super_blocks.hpp"
#include "kernels/sparse/super_block.hpp"
#include "kernels/sparse/super_block_batches.hpp"
#include "kernels/sparse/super_block_codelets.hpp"
#include "kernels/sparse/super_blocks_on_gpus.hpp"
#include "tests/kernels/cuda/cuda_comparison.hpp"

namespace troupe::kernels {

using namespace tests::comparison;  // NOLINT: this test uses many names of tests::comparison

namespace cuda_super_blocks {

/// The shape of a super-block: which of its blocks are not empty (`mask`), its blocks per side, and the block size.
struct Shape {
  BlockMask mask;
  int side;
  std::int64_t block;

  [[nodiscard]] int count() const { return std::popcount(mask); }
};

BlockMask all_full(int side) { return ~BlockMask{0} >> (kLargestSide * kLargestSide - side * side); }

/// Returns a shape with some empty blocks. If `diagonal`, no block on the diagonal is empty.
Shape random_shape(int side, std::int64_t block, std::uint64_t seed, bool diagonal) {
  Random random(seed);
  Shape shape{random.next() & all_full(side), side, block};
  for (int k = 0; diagonal && k < side; ++k) shape.mask |= block_bit(k, k, side);
  return shape;
}

template <class T>
Operand random_blocks(const Shape& shape, std::uint64_t seed) {
  return random<T>(shape.block, shape.block * shape.count(), seed);
}

/// Returns a super-block that can be factorized without pivoting.
template <class T>
Operand diagonal_blocks(const Shape& shape, std::uint64_t seed) {
  Operand result = random_blocks<T>(shape, seed);
  const SuperBlock<T> blocks(result.matrix<T>(), shape.mask, shape.side);
  for (int k = 0; k < shape.side; ++k) {
    for (std::int64_t i = 0; i < shape.block; ++i) blocks.block(k, k)(i, i) += static_cast<T>(shape.side * shape.block);
  }
  return result;
}

Arguments factorize_arguments(const Shape& d, std::int64_t first, double least) {
  return args(d.mask, std::int64_t{d.side}, first, least);
}

template <class T>
Operand factored_blocks(const Shape& shape, std::uint64_t seed) {
  Operands all{diagonal_blocks<T>(shape, seed), Operand::zeros<std::int64_t>(2, 1, 0)};
  run_on_core(super_block_codelets<T>().factorize, all, factorize_arguments(shape, 0, 0.0));
  return all[0];
}

StepLaunches launches_of(SuperBlockStep step) { return super_block_launches()[static_cast<std::size_t>(step)]; }

constexpr std::int64_t kBlocks[] = {1, 7, 16, 33};

/// One task of each kind, on super-blocks without empty blocks.
template <class T>
struct FullTasks {
  explicit FullTasks(int of_side, std::int64_t of_block)
      : shape{all_full(of_side), of_side, of_block}, side(of_side), mask(shape.mask), d(factored_blocks<T>(shape, 1)) {}

  void factorize(Gpu& gpu) const {
    Operands data{diagonal_blocks<T>(shape, 1), Operand::zeros<std::int64_t>(2, 1, 0)};
    gpu.run(super_block_codelets<T>().factorize, data, factorize_arguments(shape, 0, 1e-6));
  }
  void solve_upper(Gpu& gpu) const {
    Operands data{d, random_blocks<T>(shape, 2)};
    gpu.run(super_block_codelets<T>().solve_upper, data, args(mask, mask, side));
  }
  void solve_lower(Gpu& gpu) const {
    Operands data{d, random_blocks<T>(shape, 2)};
    gpu.run(super_block_codelets<T>().solve_lower, data, args(mask, mask, side));
  }
  void multiply(Gpu& gpu) const {
    Operands data{random_blocks<T>(shape, 2), random_blocks<T>(shape, 3), random_blocks<T>(shape, 4)};
    gpu.run(super_block_codelets<T>().multiply, data, args(mask, mask, mask, side));
  }
  void all(Gpu& gpu) const {
    factorize(gpu);
    solve_upper(gpu);
    solve_lower(gpu);
    multiply(gpu);
  }

  Shape shape;
  std::int64_t side;
  BlockMask mask;
  Operand d;
};

}  // namespace cuda_super_blocks

using namespace cuda_super_blocks;  // NOLINT: as above

BOOST_FIXTURE_TEST_SUITE(cuda_super_blocks, CudaKernels)

BOOST_AUTO_TEST_CASE_TEMPLATE(products_and_solves_are_those_of_cores, T, Precisions) {
  if (!needs_device_code()) return;
  Gpu gpu;
  for (const SuperTasks tasks : {SuperTasks::whole, SuperTasks::pieces}) {
    const SuperBlockCodelets<T>& all = super_block_codelets<T>(tasks);
    std::uint64_t seed = 1;
    for (const std::int64_t side : {1, 3, 8}) {
      for (const std::int64_t block : kBlocks) {
        BOOST_TEST_CONTEXT("side " << side << ", blocks of " << block) {
          const auto shape = [&](bool diagonal) {
            return random_shape(static_cast<int>(side), block, ++seed, diagonal);
          };
          const Shape d = shape(true);
          const Shape a = shape(false);
          const Shape b = shape(false);
          const Shape c = shape(false);
          const Operand factors = factored_blocks<T>(d, ++seed);
          const std::int64_t terms = side * block;
          compare<T>(gpu, all.solve_upper, {factors, random_blocks<T>(a, ++seed)}, args(d.mask, a.mask, side), terms,
                     {1});
          compare<T>(gpu, all.solve_lower, {factors, random_blocks<T>(b, ++seed)}, args(d.mask, b.mask, side), terms,
                     {1});
          compare<T>(gpu, all.multiply,
                     {random_blocks<T>(a, ++seed), random_blocks<T>(b, ++seed), random_blocks<T>(c, ++seed)},
                     args(a.mask, b.mask, c.mask, side), terms, {2});
        }
      }
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(diagonal_super_blocks_are_factorized_as_on_cores, T, Precisions) {
  if (!needs_device_code()) return;
  Gpu gpu;
  // The last shapes are so large that each step needs several launches.
  for (const auto& [side, block] : {std::pair<int, std::int64_t>{1, 1},
                                    {1, 15},
                                    {1, 16},
                                    {1, 17},
                                    {3, 7},
                                    {8, 5},
                                    {2, 50},
                                    {1, cuda::kFactoredAtOnce},
                                    {2, cuda::kFactoredAtOnce + 21}}) {
    BOOST_TEST_CONTEXT("side " << side << ", blocks of " << block) {
      const Shape d = random_shape(side, block, 7, true);
      const Operand report = Operand::zeros<std::int64_t>(2, 1, 0);
      Operands on_gpu{diagonal_blocks<T>(d, 3), report};
      Operands on_core = on_gpu;
      const Arguments arguments = factorize_arguments(d, 1000, 1e-6);
      gpu.run(super_block_codelets<T>().factorize, on_gpu, arguments);
      run_on_core(super_block_codelets<T>().factorize, on_core, arguments);
      BOOST_TEST(difference<T>(on_gpu[0], on_core[0]) <= bound(side * block));
      BOOST_TEST((on_gpu[1].bytes == on_core[1].bytes));
      BOOST_TEST(on_gpu[1].matrix<std::int64_t>()(1, 0) == 1000);
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(tiny_pivots_are_replaced_and_counted_as_on_cores, T, Precisions) {
  if (!needs_device_code()) return;
  Gpu gpu;
  constexpr std::int64_t kLarge = cuda::kFactoredAtOnce + 10;
  for (const auto& [side, block, rows] : {std::tuple<int, std::int64_t, std::vector<std::int64_t>>{3, 20, {0}},
                                          {3, 20, {19, 20, 59}},
                                          {3, 20, {25, 26, 40}},
                                          {1, kLarge, {3, cuda::kFactoredAtOnce, kLarge - 1}}}) {
    BOOST_TEST_CONTEXT("blocks of " << block << ", the first in row " << rows[0]) {
      // Only the blocks on the diagonal are not empty, so that the tiny elements stay tiny.
      Shape d{0, side, block};
      for (int k = 0; k < side; ++k) d.mask |= block_bit(k, k, side);
      Operands on_gpu{diagonal_blocks<T>(d, 3), Operand::zeros<std::int64_t>(2, 1, 0)};
      const SuperBlock<T> blocks(on_gpu[0].matrix<T>(), d.mask, side);
      T sign = 1;
      for (const std::int64_t row : rows) {
        const int k = static_cast<int>(row / block);
        for (std::int64_t col = 0; col < block; ++col) blocks.block(k, k)(row % block, col) = 0;
        // A zero pivot is also replaced, and the replacement has the sign of the zero.
        blocks.block(k, k)(row % block, row % block) = row == rows[0] ? T{-0.0} : sign * T(1e-12);
        sign = -sign;
      }
      Operands on_core = on_gpu;
      const Arguments arguments = factorize_arguments(d, 500, 1e-3);
      gpu.run(super_block_codelets<T>().factorize, on_gpu, arguments);
      run_on_core(super_block_codelets<T>().factorize, on_core, arguments);
      const MatrixView<std::int64_t> report = on_gpu[1].matrix<std::int64_t>();
      BOOST_TEST(report(0, 0) == static_cast<std::int64_t>(rows.size()));
      BOOST_TEST(report(1, 0) == 500 + rows[0]);
      BOOST_TEST((on_gpu[1].bytes == on_core[1].bytes));
      for (const std::int64_t row : rows) {
        const int k = static_cast<int>(row / block);
        const SuperBlock<T> there(on_core[0].matrix<T>(), d.mask, side);
        BOOST_TEST(blocks.block(k, k)(row % block, row % block) == there.block(k, k)(row % block, row % block));
      }
      BOOST_TEST(difference<T>(on_gpu[0], on_core[0]) <= bound(block));
    }
  }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_pivot_of_zero_is_reported_with_the_row_that_cores_report, T, Precisions) {
  if (!needs_device_code()) return;
  Gpu gpu;
  constexpr std::int64_t kBlock = 18;
  const Shape d = random_shape(3, kBlock, 7, true);
  for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{17}, std::int64_t{20}, 3 * kBlock - 1}) {
    Operands on_gpu{diagonal_blocks<T>(d, 3), Operand::zeros<std::int64_t>(2, 1, 0)};
    const SuperBlock<T> blocks(on_gpu[0].matrix<T>(), d.mask, d.side);
    const int k = static_cast<int>(bad / kBlock);
    // The row of the bad pivot and the last row of its block are zero, so there is also a later pivot of zero.
    for (const std::int64_t row : {bad % kBlock, kBlock - 1}) {
      for (int j = 0; j < d.side; ++j) {
        for (std::int64_t col = 0; blocks.full(k, j) && col < kBlock; ++col) blocks.block(k, j)(row, col) = 0;
      }
    }
    Operands on_core = on_gpu;
    const Arguments arguments = factorize_arguments(d, 100, 0.0);
    const std::string expected =
        error_of([&] { run_on_core(super_block_codelets<T>().factorize, on_core, arguments); });
    BOOST_TEST(expected == "the matrix is singular: pivot " + std::to_string(101 + bad) + " is exactly zero");
    BOOST_TEST(error_of([&] { gpu.run(super_block_codelets<T>().factorize, on_gpu, arguments); }) == expected);
  }
}

BOOST_AUTO_TEST_CASE(launches_are_counted_and_do_not_grow_with_the_number_of_blocks) {
  if (!needs_device_code()) return;
  Gpu gpu;
  for (const auto launched : super_block_launches()) BOOST_TEST(launched.tasks + launched.launches == 0U);
  for (const std::int64_t side : {1, 2, 5, 8}) {
    const FullTasks<double> tasks(static_cast<int>(side), 9);
    const SuperBlockLaunches before = super_block_launches();
    const std::uint64_t of_fake = fake == nullptr ? 0 : fake->counts().launches;
    tasks.all(gpu);
    SuperBlockLaunches after = super_block_launches();
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < after.size(); ++i) {
      BOOST_TEST(after[i].tasks == before[i].tasks + 1);
      after[i].launches -= before[i].launches;
      sum += after[i].launches;
    }
    const auto n = static_cast<std::uint64_t>(side);
    const auto of = [&](SuperBlockStep step) { return after[static_cast<std::size_t>(step)].launches; };
    BOOST_TEST(of(SuperBlockStep::multiply) == n + 1);
    BOOST_TEST(of(SuperBlockStep::solve_upper) == 2 * n);
    BOOST_TEST(of(SuperBlockStep::solve_lower) == 2 * n);
    BOOST_TEST(of(SuperBlockStep::factorize) == 4 * n - 2);
    // The counts must be equal to the numbers of launches that the fake has counted.
    if (fake != nullptr) BOOST_TEST(fake->counts().launches - of_fake == sum);
  }
  // In each of these super-blocks, 24 of the 25 blocks are empty.
  const std::uint64_t before = launches_of(SuperBlockStep::multiply).launches;
  Operands few{random<double>(9, 9, 1), random<double>(9, 9, 2), random<double>(9, 9, 3)};
  const BlockMask corner = block_bit(0, 0, 5);
  gpu.run(super_block_codelets<double>().multiply, few, args(corner, corner, corner, std::int64_t{5}));
  BOOST_TEST(launches_of(SuperBlockStep::multiply).launches - before == 2U);
}

BOOST_AUTO_TEST_CASE(they_only_enqueue_and_allocate_once) {
  if (!needs_fake() || !needs_device_code()) return;
  Gpu gpu;
  const FullTasks<double> tasks(4, 12);
  tasks.all(gpu);
  const tests::FakeCudaLeaks before = fake->leaks();
  for (int i = 0; i < 3; ++i) tasks.all(gpu);
  BOOST_TEST(fake->leaks().allocations == before.allocations);
  BOOST_TEST(fake->leaks().pinned_ranges == before.pinned_ranges);

  // The operands must be pinned, because a call that copies pageable memory waits for the stream.
  const platform::CudaApi& api = *platform::cuda_api().value();
  Operands given{random_blocks<double>(tasks.shape, 2), random_blocks<double>(tasks.shape, 3),
                 random_blocks<double>(tasks.shape, 4)};
  Operands expected = given;
  run_on_core(super_block_codelets<double>().multiply, expected, args(tasks.mask, tasks.mask, tasks.mask, tasks.side));
  for (Operand& one : given) {
    BOOST_REQUIRE(api.cudaHostRegister(one.bytes.data(), one.bytes.size(), 0) == cudaSuccess);
  }
  const Operand untouched = given[2];
  fake->pause();
  // Two calls are in flight at once. The lists of their blocks' addresses lie one after the other in the same memory.
  Operands second = given;
  for (Operand& one : second) {
    BOOST_REQUIRE(api.cudaHostRegister(one.bytes.data(), one.bytes.size(), 0) == cudaSuccess);
  }
  const Arguments arguments = args(tasks.mask, tasks.mask, tasks.mask, tasks.side);
  gpu.begin(super_block_codelets<double>().multiply, given, arguments);
  gpu.begin(super_block_codelets<double>().multiply, second, arguments);
  BOOST_TEST((given[2].bytes == untouched.bytes));
  fake->resume();
  gpu.end();
  gpu.end();
  BOOST_TEST(difference<double>(given[2], expected[2]) <= bound(48));
  BOOST_TEST(difference<double>(second[2], expected[2]) <= bound(48));
  for (Operands* all : {&given, &second}) {
    for (Operand& one : *all) BOOST_TEST((api.cudaHostUnregister(one.bytes.data()) == cudaSuccess));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::kernels
