// Tests of halo parts: blocks that overlap others and that tasks only read.
#include <algorithm>
#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/client/fixture.hpp"
#include "tests/client/parts/stencils.hpp"
#include "tests/support/gate.hpp"
#include "troupe/runtime.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(halos)

BOOST_AUTO_TEST_CASE(a_stencil_gives_what_it_gives_in_sequence) {
  for (const std::int64_t width : {1, 2, 5}) {
    Runtime runtime(with_workers(4));
    Grid first(23, 17);
    Grid second(23, 17);
    Grid expected = first;
    const auto a = runtime.matrix(first.elements.data(), 23, 17, 23, "a");
    const auto b = runtime.matrix(second.elements.data(), 23, 17, 23, "b");
    Blocks old(runtime, a, {5, 4}, width);
    Blocks now(runtime, b, {5, 4}, width);
    for (int step = 0; step < 8; ++step) {
      submit_step(runtime, old, now, width);
      std::swap(old, now);
      expected = stencil_in_sequence(expected, width);
    }
    runtime.wait();
    BOOST_TEST(first.elements == expected.elements);
  }
}

BOOST_AUTO_TEST_CASE(a_kernel_gets_the_block_with_its_rim_as_far_as_the_whole_goes) {
  Runtime runtime(with_workers(1));
  Grid grid(9, 6);
  const auto whole = runtime.matrix(grid.elements.data(), 9, 6, 9);
  const Blocks blocks(runtime, whole, {3, 3}, Rim(2, 1));
  struct Expected {
    std::int64_t i, j, rows, cols, row, col;
  };
  for (const Expected& e : {Expected{0, 0, 5, 4, 0, 0}, Expected{1, 0, 7, 4, 2, 0}, Expected{2, 1, 5, 4, 2, 1}}) {
    const Block& inside = blocks.halo(e.i, e.j).inside();
    BOOST_TEST(inside.row == e.row);
    BOOST_TEST(inside.col == e.col);
    BOOST_TEST(inside.rows == 3);
    BOOST_TEST(inside.cols == 3);
    const HostAccess held = runtime.acquire(blocks.halo(e.i, e.j), AccessMode::read);
    const auto view = held.matrix<const double>();
    BOOST_TEST(view.rows == e.rows);
    BOOST_TEST(view.cols == e.cols);
    BOOST_TEST(view(e.row, e.col) == grid.at(3 * e.i, 3 * e.j));
    BOOST_TEST(view(view.rows - 1, view.cols - 1) ==
               grid.at(3 * e.i - e.row + e.rows - 1, 3 * e.j - e.col + e.cols - 1));
  }
}

BOOST_AUTO_TEST_CASE(a_reader_waits_for_the_writers_of_what_it_overlaps_and_for_no_others) {
  Runtime runtime(with_workers(2));
  InThreeParts x(runtime);
  Gate gate;
  runtime.submit(
      [&gate](VectorView<double> part) {
        gate.pass();
        add_one(part);
      },
      x.blocks(2));
  std::atomic<double> beside = 0;
  std::atomic<double> over = 0;
  const auto sum = [](std::atomic<double>& to) {
    return [&to](VectorView<const double> part) { to = std::accumulate(part.begin(), part.end(), 0.0); };
  };
  runtime.submit(sum(beside), x.blocks.halo(0)).wait();
  BOOST_TEST(beside.load() == 5);
  const Future waits = runtime.submit(sum(over), x.blocks.halo(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  BOOST_TEST((waits.status() == TaskStatus::pending));
  gate.open();
  waits.wait();
  BOOST_TEST(over.load() == 7);
}

BOOST_AUTO_TEST_CASE(a_writer_waits_for_those_who_read_its_block_as_a_rim) {
  Runtime runtime(with_workers(2));
  InThreeParts x(runtime);
  Gate gate;
  std::atomic<double> seen = 0;
  runtime.submit(
      [&](VectorView<const double> part) {
        gate.pass();
        seen = std::accumulate(part.begin(), part.end(), 0.0);
      },
      x.blocks.halo(1));
  const Future writer = runtime.submit(add_one, x.blocks(0));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  BOOST_TEST((writer.status() == TaskStatus::pending));
  gate.open();
  runtime.wait();
  BOOST_TEST(seen.load() == 6);
  BOOST_TEST(x.x[3] == 2);
}

BOOST_AUTO_TEST_CASE(a_task_may_read_a_halo_part_and_write_the_block_in_it) {
  // Each element becomes the sum of itself, the one above and the one on the left, both new: a wavefront.
  Grid grid(12, 12);
  Grid expected = grid;
  for (std::int64_t j = 0; j < 12; ++j) {
    for (std::int64_t i = 0; i < 12; ++i) {
      expected.elements[static_cast<std::size_t>(i + 12 * j)] =
          std::fmod(expected.at(i, j) + expected.at(i - 1, j) + expected.at(i, j - 1), 1000);
    }
  }
  Runtime runtime(with_workers(3));
  const auto whole = runtime.matrix(grid.elements.data(), 12, 12, 12);
  const Blocks blocks(runtime, whole, 4, 1);
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i) {
      const Block& inside = blocks.halo(i, j).inside();
      const auto kernel = [](Old around, New block, std::int64_t row, std::int64_t col) {
        for (std::int64_t c = 0; c < block.cols; ++c) {
          for (std::int64_t r = 0; r < block.rows; ++r) {
            const double above = row + r > 0 ? around(row + r - 1, col + c) : 0;
            const double left = col + c > 0 ? around(row + r, col + c - 1) : 0;
            block(r, c) = std::fmod(block(r, c) + above + left, 1000);
          }
        }
      };
      runtime.submit(kernel, blocks.halo(i, j), blocks(i, j), inside.row, inside.col);
    }
  }
  runtime.wait();
  BOOST_TEST(grid.elements == expected.elements);
}

BOOST_AUTO_TEST_CASE(halo_parts_may_be_made_before_the_whole_is_divided_and_after_parts_are_released) {
  Runtime runtime(with_workers(2));
  std::vector<double> x(12, 1.0);
  const auto whole = runtime.vector(x, "x");
  const std::array<Block, 1> block{Block{4, 0, 4, 1}};
  const Halo halo = runtime.halos(whole, block, 1).front();
  const auto sum = [&] {
    double result = 0;
    runtime
        .submit([&result](VectorView<const double> part) { result = std::accumulate(part.begin(), part.end(), 0.0); },
                halo)
        .wait();
    return result;
  };
  runtime.submit(add_one, whole);
  BOOST_TEST(sum() == 12);
  const std::array<Block, 2> halves{Block{0, 0, 6, 1}, Block{6, 0, 6, 1}};
  const auto parts = runtime.partition(whole, halves);
  runtime.submit(add_one, parts[0]);
  BOOST_TEST(sum() == 15);
  runtime.release(parts[0]);
  runtime.submit(add_one, whole);
  BOOST_TEST(sum() == 21);
  runtime.submit(add_one, parts[1]);
  BOOST_TEST(sum() == 24);
}

BOOST_AUTO_TEST_CASE(a_task_is_cancelled_if_the_writer_of_its_rim_fails) {
  Runtime runtime(with_workers(2));
  InThreeParts x(runtime);
  runtime.submit([](VectorView<double>) { throw std::runtime_error("no content"); }, x.blocks(0));
  const auto nothing = [](VectorView<const double>) {};
  const Future far = runtime.submit(nothing, x.blocks.halo(2));
  const Future near = runtime.submit(nothing, x.blocks.halo(1));
  BOOST_CHECK_EXCEPTION(near.wait(), Error,
                        failure(ErrorCode::cancelled, "'x[0,0]' has no valid content", "no content"));
  far.wait();
  BOOST_CHECK_THROW(runtime.wait(), Error);
  runtime.submit([](VectorView<double> part) { std::ranges::fill(part, 0.0); }, write(x.blocks(0)));
  runtime.submit(nothing, x.blocks.halo(1)).wait();
}

BOOST_AUTO_TEST_CASE(halo_parts_end_with_the_registration_or_alone) {
  Runtime runtime(with_workers(1));
  std::vector<double> x(12, 1.0);
  Halo kept;
  {
    const auto whole = runtime.vector(x, "x");
    const Blocks blocks(runtime, whole, {4, 1}, 1);
    kept = blocks.halo(1);
    const Halo released = blocks.halo(0);
    runtime.submit(add_one, blocks(0));
    runtime.release(released);
    BOOST_CHECK_EXCEPTION((void)runtime.acquire(released, AccessMode::read), Error,
                          failure(ErrorCode::invalid_handle, "released"));
    runtime.submit([](VectorView<const double>) {}, kept);
    runtime.submit(add_one, blocks(1)).wait();
  }
  BOOST_CHECK_EXCEPTION((void)runtime.acquire(kept, AccessMode::read), Error,
                        failure(ErrorCode::invalid_handle, "released"));
  BOOST_TEST(x[0] == 2);
}

BOOST_AUTO_TEST_CASE(children_use_halo_parts_of_what_their_parent_declares) {
  Runtime runtime(with_workers(3));
  Grid first(16, 16);
  Grid second(16, 16);
  Grid expected = stencil_in_sequence(stencil_in_sequence(first, 1), 1);
  const auto a = runtime.matrix(first.elements.data(), 16, 16, 16, "a");
  const auto b = runtime.matrix(second.elements.data(), 16, 16, 16, "b");
  const Blocks old(runtime, a, 4, 1);
  const Blocks now(runtime, b, 4, 1);
  TaskOptions nested;
  nested.nested = true;
  nested.weak = {read_write(a), read_write(b)};
  const Future both = runtime.submit(nested, [&] {
    submit_step(runtime, old, now, 1);
    submit_step(runtime, now, old, 1);
  });
  double corner = 0;
  runtime.submit([&corner](Old around) { corner = around(0, 0); }, old.halo(0, 0));
  both.wait();
  runtime.wait();
  BOOST_TEST(first.elements == expected.elements);
  BOOST_TEST(corner == expected.elements[0]);

  TaskOptions one;
  one.nested = true;
  const Future refused = runtime.submit(
      one, [&](New) { runtime.submit([](Old) {}, now.halo(1, 1)); }, old(0, 0));
  BOOST_CHECK_EXCEPTION(refused.wait(), Error,
                        failure(ErrorCode::invalid_argument, "'b[3,3 6x6]'", "is not among the data"));
  BOOST_CHECK_THROW(runtime.wait(), Error);
  one.weak = {write(old(0, 1))};
  BOOST_CHECK_EXCEPTION(runtime.submit(
                            one, [](Old) {}, old.halo(0, 0)),
                        Error, failure(ErrorCode::conflicting_access, "is weak", "reads a halo part"));
}

BOOST_AUTO_TEST_CASE(recorded_steps_run_again) {
  Runtime runtime(with_workers(2));
  Grid first(12, 10);
  Grid second(12, 10);
  Grid expected = first;
  const auto a = runtime.matrix(first.elements.data(), 12, 10, 12, "a");
  const auto b = runtime.matrix(second.elements.data(), 12, 10, 12, "b");
  const Blocks old(runtime, a, 5, 2);
  const Blocks now(runtime, b, 5, 2);
  RecordedGraph two_steps = runtime.record([&] {
    submit_step(runtime, old, now, 2);
    submit_step(runtime, now, old, 2);
  });
  for (int i = 0; i < 5; ++i) {
    two_steps.run();
    expected = stencil_in_sequence(stencil_in_sequence(expected, 2), 2);
  }
  runtime.wait();
  BOOST_TEST(first.elements == expected.elements);
  const std::array<Rebinding, 1> exchange{Rebinding{old(0, 0), now(0, 0)}};
  BOOST_CHECK_EXCEPTION(two_steps.run(exchange), Error, failure(ErrorCode::invalid_argument, "halo parts"));
}

BOOST_AUTO_TEST_CASE(on_a_core_a_task_sees_in_a_halo_part_what_accelerators_have_written) {
  Runtime runtime(with_an_accelerator());
  InThreeParts x(runtime);
  Codelet add("add", {AccessMode::read_write});
  add.implement(DeviceKind::emulated, [](const KernelContext& context) { add_one(context.vector<double>(0)); });
  for (int i = 0; i < 3; ++i) runtime.submit(add, {x.blocks(i)});
  double sum = 0;
  runtime.submit([&sum](VectorView<const double> part) { sum = std::accumulate(part.begin(), part.end(), 0.0); },
                 x.blocks.halo(1));
  runtime.submit(add, {x.blocks(0)});
  runtime.wait();
  BOOST_TEST(sum == 12);
  BOOST_TEST(x.x[0] == 3);
}

BOOST_AUTO_TEST_CASE(what_follows_a_nested_task_waits_for_children_that_read_its_halo_parts) {
  Runtime runtime(with_workers(3));
  InThreeParts x(runtime);
  Gate reader;
  Gate submitted;
  std::atomic<double> seen{0};
  std::atomic<bool> returned{false};
  TaskOptions nested;
  nested.nested = true;
  const Handle halo = x.blocks.halo(0);
  runtime.submit(
      nested,
      [&](VectorView<const double>, VectorView<double>) {
        runtime.submit(
            [&](VectorView<const double> part) {
              reader.pass();
              seen = std::accumulate(part.begin(), part.end(), 0.0);
            },
            read(halo));
        runtime.submit(add_one, x.blocks(2));
        submitted.pass();
        returned = true;
      },
      read(halo), read_write(x.blocks(2)));
  const Future whole = runtime.submit(add_one, x.whole);
  submitted.open();
  while (!returned) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  BOOST_TEST(!whole.done());
  reader.open();
  runtime.wait();
  BOOST_TEST(seen.load() == 5);
  BOOST_TEST(x.x[0] == 2);
  BOOST_TEST(x.x[11] == 3);
}

BOOST_AUTO_TEST_CASE(a_halo_part_without_elements_lives_as_long_as_its_tasks) {
  Runtime runtime(with_workers(1));
  Gate gate;
  std::atomic<std::size_t> size{99};
  Future task;
  {
    const auto whole = runtime.allocate_vector<double>(8, "x");
    const std::array<Block, 1> nothing{Block{8, 0, 0, 1}};
    const Halo halo = runtime.halos(whole, nothing, 0).front();
    runtime.submit([&gate](VectorView<double>) { gate.pass(); }, write(whole));
    task = runtime.submit([&size](VectorView<const double> part) { size = part.size(); }, halo);
  }
  std::vector<double> other(100);
  const auto next = runtime.vector(other);
  gate.open();
  task.wait();
  BOOST_TEST(size == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
