// Tests of tasks on accelerators that read halo parts of volumes, and of data whose parts have steps.
#include <array>
#include <boost/test/unit_test.hpp>
#include <random>
#include <utility>
#include <vector>

#include "tests/client/parts/accelerators.hpp"
#include "tests/client/parts/cubes.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(accelerated_shapes)

BOOST_AUTO_TEST_CASE(volumes_and_blocks_with_steps_lend_their_rims) {
  for (const VolumeShape& shape : {VolumeShape{6, 5, 4}, VolumeShape{6, 5, 4, 8, 47}}) {
    for (const std::uint64_t memory : {std::uint64_t{1} << 20U, std::uint64_t{1536}}) {
      Cube first(shape);
      Cube second(shape, 2);
      Cube expected = first;
      Runtime runtime(with_accelerators(2, memory));
      const auto a = runtime.volume(first.elements.data(), first.shape, "a");
      const auto b = runtime.volume(second.elements.data(), second.shape, "b");
      Blocks old(runtime, a, {3, 3, 2}, 1);
      Blocks now(runtime, b, {3, 3, 2}, 1);
      Codelet heat("heat", {AccessMode::read, AccessMode::write});
      heat.implement(DeviceKind::emulated, [](const KernelContext& context) {
        const auto before = context.volume<const double>(0);
        const auto after = context.volume<double>(1);
        const auto row = context.argument<std::int64_t>(0);
        const auto col = context.argument<std::int64_t>(1);
        const auto plane = context.argument<std::int64_t>(2);
        for (std::int64_t p = 0; p < after.planes; ++p) {
          for (std::int64_t c = 0; c < after.cols; ++c) {
            for (std::int64_t r = 0; r < after.rows; ++r) {
              after(r, c, p) = heat_at(before, row + r, col + c, plane + p);
            }
          }
        }
      });
      for (int step = 0; step < 4; ++step) {
        for (std::int64_t at = 0; at < 8; ++at) {
          const Halo& around = old.halo(at % 2, at / 2 % 2, at / 4);
          const Block& inside = around.inside();
          runtime.submit(heat, {Handle(around), Handle(now(at % 2, at / 2 % 2, at / 4))},
                         args(inside.row, inside.col, inside.plane));
        }
        std::swap(old, now);
        expected = heat_in_sequence(expected);
      }
      runtime.wait();
      bool equal = true;
      for (std::int64_t k = 0; k < shape.planes; ++k) {
        for (std::int64_t j = 0; j < shape.cols; ++j) {
          for (std::int64_t i = 0; i < shape.rows; ++i) equal = equal && first(i, j, k) == expected(i, j, k);
        }
      }
      BOOST_TEST(equal);
    }
  }
}

BOOST_AUTO_TEST_CASE(random_halo_parts_over_parts_of_parts_with_steps_hold_what_they_overlap) {
  std::mt19937_64 random(5);
  const auto below = [&random](std::int64_t bound) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
  };
  for (int program = 0; program < 30; ++program) {
    const VolumeShape shape{4 + below(5), 4 + below(5), 2 + below(3), 10, 110};
    Cube cube(shape, random());
    Cube expected = cube;
    Runtime runtime(with_accelerators(1 + static_cast<std::size_t>(below(3)), below(2) == 0 ? 1U << 20U : 4096U));
    const auto whole = runtime.volume(cube.elements.data(), cube.shape, "A");
    // Even and odd columns are parts of the whole, and their upper and lower rows are parts of these.
    const std::int64_t even = (shape.cols + 1) / 2;
    const auto columns =
        runtime.partition(whole, std::array{Block{0, 0, shape.rows, even, 0, shape.planes, 2, 1},
                                            Block{0, 1, shape.rows, shape.cols - even, 0, shape.planes, 2, 1}});
    std::vector<Handle> parts;
    std::vector<Block> places;
    for (std::int64_t odd = 0; odd < 2; ++odd) {
      const std::int64_t cols = odd == 0 ? even : shape.cols - even;
      const std::int64_t upper = 1 + below(shape.rows - 1);
      const std::array halves{Block{0, 0, upper, cols, 0, shape.planes},
                              Block{upper, 0, shape.rows - upper, cols, 0, shape.planes}};
      for (const Handle& part : runtime.partition(columns[static_cast<std::size_t>(odd)], halves)) {
        parts.push_back(part);
      }
      places.push_back({0, odd, upper, cols, 0, shape.planes, 2, 1});
      places.push_back({upper, odd, shape.rows - upper, cols, 0, shape.planes, 2, 1});
    }
    std::vector<Block> blocks;
    for (int i = 0; i < 6; ++i) {
      Block block{below(shape.rows), below(shape.cols), 1, 1, below(shape.planes), 1};
      block.rows += below(shape.rows - block.row);
      block.cols += below(shape.cols - block.col);
      block.planes += below(shape.planes - block.plane);
      blocks.push_back(block);
    }
    const std::vector<Halo> halos = runtime.halos(whole, blocks, 0);
    const auto sum_of = [](const VolumeView<const double>& x) {
      double sum = 0;
      for (std::int64_t k = 0; k < x.planes; ++k) {
        for (std::int64_t j = 0; j < x.cols; ++j) {
          for (std::int64_t i = 0; i < x.rows; ++i) {
            sum = 3 * sum + x(i, j, k) - 1000 * static_cast<double>(static_cast<std::int64_t>(sum / 1000));
          }
        }
      }
      return sum;
    };
    Codelet sum("sum", {AccessMode::read, AccessMode::write});
    sum.implement(DeviceKind::emulated, [sum_of](const KernelContext& context) {
      context.scalar<double>(1) = sum_of(context.volume<const double>(0));
    });
    Codelet add("add", {AccessMode::read_write});
    const auto add_to = [](const VolumeView<double>& x) {
      for (std::int64_t k = 0; k < x.planes; ++k) {
        for (std::int64_t j = 0; j < x.cols; ++j) {
          for (std::int64_t i = 0; i < x.rows; ++i) x(i, j, k) += static_cast<double>(1 + i + 10 * j + 100 * k);
        }
      }
    };
    add.implement(DeviceKind::emulated, [add_to](const KernelContext& context) { add_to(context.volume<double>(0)); });
    add.implement(DeviceKind::cpu_core, [add_to](const KernelContext& context) { add_to(context.volume<double>(0)); });
    std::vector<double> results(60);
    std::vector<double> wanted(60);
    const auto view_of = [&](const Block& block) {
      return VolumeView<double>{&expected(block.row, block.col, block.plane),
                                block.rows,
                                block.cols,
                                block.planes,
                                shape.ld * block.col_step,
                                shape.plane_stride};
    };
    for (std::size_t task = 0; task < results.size(); ++task) {
      const auto at = static_cast<std::size_t>(below(4));
      runtime.submit(add, {parts[at]});
      add_to(view_of(places[at]));
      const auto which = static_cast<std::size_t>(below(6));
      runtime.submit(sum, {Handle(halos[which]), Handle(runtime.scalar(results[task]))});
      const auto seen = view_of(blocks[which]);
      wanted[task] = sum_of({seen.data, seen.rows, seen.cols, seen.planes, seen.ld, seen.plane_stride});
    }
    runtime.wait();
    BOOST_TEST(results == wanted, boost::test_tools::per_element());
    BOOST_TEST(cube.elements == expected.elements);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
