// Tests of parts that are replaced by others while tasks use them.
#include <algorithm>
#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "tests/client/fixture.hpp"
#include "tests/client/parts/stencils.hpp"
#include "tests/support/gate.hpp"
#include "troupe/runtime.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(repartition)

namespace {

/// Returns consecutive blocks of a vector with these numbers of elements.
std::vector<Block> blocks_of(std::initializer_list<std::int64_t> sizes) {
  std::vector<Block> blocks;
  std::int64_t begin = 0;
  for (const std::int64_t size : sizes) {
    blocks.push_back({begin, 0, size, 1});
    begin += size;
  }
  return blocks;
}

/// Twelve ones that are registered, in three parts of four.
struct InParts {
  explicit InParts(Runtime& runtime)
      : whole(runtime.vector(x, "x")), parts(runtime.partition(whole, blocks_of({4, 4, 4}))) {}
  std::vector<double> x = std::vector<double>(12, 1.0);
  Vector<double> whole;
  std::vector<Handle> parts;
};

bool ends_soon(const Future& task) {
  return eventually([&task] { return task.done(); });
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_task_on_a_new_part_waits_for_the_tasks_on_what_it_overlaps) {
  Runtime runtime(with_workers(3));
  InParts x(runtime);
  Gate gate;
  runtime.submit(
      [&gate](VectorView<double> part) {
        gate.pass();
        add_one(part);
      },
      x.parts[0]);
  std::atomic<double> read_by_old = 0;
  Gate reader;
  runtime.submit(
      [&](VectorView<const double> part) {
        reader.pass();
        read_by_old = std::accumulate(part.begin(), part.end(), 0.0);
      },
      x.parts[2]);
  const std::vector<Handle> parts = runtime.repartition(x.whole, blocks_of({6, 2, 4}));
  const Future behind_writer = runtime.submit(add_one, parts[0]);
  const Future free = runtime.submit(add_one, parts[1]);
  const Future behind_reader = runtime.submit(add_one, parts[2]);
  BOOST_TEST(ends_soon(free));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  BOOST_TEST(!behind_writer.done());
  BOOST_TEST(!behind_reader.done());
  reader.open();
  BOOST_TEST(ends_soon(behind_reader));
  BOOST_TEST(!behind_writer.done());
  gate.open();
  runtime.submit(add_one, x.whole);
  runtime.wait();
  BOOST_TEST(read_by_old.load() == 4);
  BOOST_TEST(x.x == (std::vector<double>{4, 4, 4, 4, 3, 3, 3, 3, 3, 3, 3, 3}), boost::test_tools::per_element());
  BOOST_CHECK_EXCEPTION(runtime.submit(add_one, x.parts[0]), Error,
                        failure(ErrorCode::invalid_handle, "after its data were"));
}

BOOST_AUTO_TEST_CASE(data_are_divided_anew_many_times) {
  for (const int workers : {1, 4}) {
    Runtime runtime(with_workers(workers));
    std::vector<double> x(240, 0.0);
    const auto whole = runtime.vector(x, "x");
    Blocks blocks(runtime, whole, {240, 1});
    for (int round = 0; round < 50; ++round) {
      blocks.repartition(runtime, {1 + 17 * round % 100, 1});
      for (std::int64_t i = 0; i < blocks.rows(); ++i) runtime.submit(add_one, blocks(i));
      if (round % 7 == 3) runtime.submit(add_one, whole);
    }
    runtime.wait();
    BOOST_TEST(x.front() == 57);
    BOOST_TEST(std::ranges::count(x, 57.0) == 240);
  }
}

BOOST_AUTO_TEST_CASE(it_waits_where_it_must) {
  Runtime runtime(with_workers(2));
  InParts x(runtime);
  const auto slow = [](VectorView<double> all) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    add_one(all);
  };
  // A task uses the whole.
  runtime.submit(slow, x.whole);
  std::vector<Handle> parts = runtime.repartition(x.whole, blocks_of({6, 6}));
  BOOST_TEST(x.x.front() == 2);
  // There is a halo part.
  const std::array<Block, 1> middle{Block{3, 0, 6, 1}};
  const Halo halo = runtime.halos(x.whole, middle, 1).front();
  runtime.submit(slow, parts[1]);
  parts = runtime.repartition(x.whole, blocks_of({2, 10}));
  BOOST_TEST(x.x.back() == 3);
  double sum = 0;
  runtime.submit(add_one, parts[0]);
  runtime.submit([&sum](VectorView<const double> part) { sum = std::accumulate(part.begin(), part.end(), 0.0); }, halo)
      .wait();
  BOOST_TEST(sum == 4 * 2 + 4 * 3);
  // The new parts do not cover the whole.
  runtime.submit(slow, parts[1]);
  parts = runtime.repartition(x.whole, blocks_of({4}));
  BOOST_TEST(x.x.back() == 4);
  runtime.submit(add_one, parts[0]);
  runtime.submit(add_one, x.whole);
  runtime.wait();
  BOOST_TEST(x.x == (std::vector<double>{5, 5, 5, 5, 4, 4, 5, 5, 5, 5, 5, 5}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(former_parts_take_no_tasks_while_it_waits) {
  Runtime runtime(with_workers(2));
  InParts x(runtime);
  Gate gate;
  runtime.submit(
      [&gate](VectorView<double> all) {
        gate.pass();
        add_one(all);
      },
      x.whole);
  std::vector<Handle> parts;
  std::thread divides([&] { parts = runtime.repartition(x.whole, blocks_of({6, 6})); });
  const auto is_refused = [&] {
    return contains(message_of([&] { runtime.submit(add_one, x.parts[0]); }), "after its data were");
  };
  BOOST_TEST(eventually(is_refused));
  // Tasks on the whole come behind the division.
  const Future behind = runtime.submit(add_one, x.whole);
  gate.open();
  divides.join();
  runtime.submit(add_one, parts[1]);
  behind.wait();
  runtime.wait();
  BOOST_TEST(x.x.back() == 4);

  // A division that is refused leaves the parts as they were.
  Future refused =
      runtime.submit([&](VectorView<double>) { (void)runtime.repartition(x.whole, blocks_of({12})); }, x.whole);
  BOOST_CHECK_EXCEPTION(refused.wait(), Error, failure(ErrorCode::wait_in_kernel, "kernel"));
  BOOST_CHECK_THROW(runtime.wait(), Error);
  runtime.submit([](VectorView<double> part) { std::ranges::fill(part, 0.0); }, write(parts[0])).wait();
}

BOOST_AUTO_TEST_CASE(failures_reach_the_new_parts) {
  Runtime runtime(with_workers(2));
  InParts x(runtime);
  Gate gate;
  runtime.submit(
      [&gate](VectorView<double>) {
        gate.pass();
        throw std::runtime_error("no content");
      },
      x.parts[1]);
  const std::vector<Handle> parts = runtime.repartition(x.whole, blocks_of({3, 6, 3}));
  const Future good = runtime.submit(add_one, parts[0]);
  const Future bad = runtime.submit(add_one, parts[1]);
  gate.open();
  good.wait();
  BOOST_CHECK_EXCEPTION(bad.wait(), Error, failure(ErrorCode::cancelled, "no content"));
  BOOST_CHECK_THROW(runtime.wait(), Error);
  runtime.submit([](VectorView<double> part) { std::ranges::fill(part, 7.0); }, write(parts[1]));
  runtime.submit(add_one, x.whole);
  runtime.wait();
  BOOST_TEST(x.x == (std::vector<double>{3, 3, 3, 8, 8, 8, 8, 8, 8, 2, 2, 2}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_cancellation_leaves_what_is_there) {
  Runtime runtime(with_workers(1));
  InParts x(runtime);
  Gate gate;
  std::atomic<bool> inside{false};
  runtime.submit(
      [&](VectorView<const double>) {
        inside = true;
        gate.pass();
      },
      x.parts[1]);
  while (!inside) std::this_thread::yield();
  const std::vector<Handle> parts = runtime.repartition(x.whole, blocks_of({3, 6, 3}));
  runtime.cancel();
  gate.open();
  runtime.submit(add_one, parts[1]).wait();
  BOOST_TEST(x.x[5] == 2);
}

BOOST_AUTO_TEST_CASE(accelerators_get_and_give_the_content) {
  Runtime runtime(with_an_accelerator());
  InParts x(runtime);
  Codelet add("add", {AccessMode::read_write});
  add.implement(DeviceKind::emulated, [](const KernelContext& context) { add_one(context.vector<double>(0)); });
  for (const Handle& part : x.parts) runtime.submit(add, {part});
  for (int i = 0; i < 5; ++i) {
    for (const Handle& part : runtime.repartition(x.whole, blocks_of({1 + i, 6, 5 - i}))) runtime.submit(add, {part});
  }
  runtime.wait();
  BOOST_TEST(x.x == std::vector<double>(12, 7.0), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(memory_of_the_runtime_may_go_at_once) {
  Runtime runtime(with_workers(2));
  std::atomic<double> sum = 0;
  for (int i = 0; i < 100; ++i) {
    const auto whole = runtime.allocate_vector<double>(12);
    Blocks blocks(runtime, whole, {4, 1});
    for (int k = 0; k < 3; ++k) {
      runtime.submit([](VectorView<double> part) { std::ranges::fill(part, 1.0); }, write(blocks(k)));
    }
    blocks.repartition(runtime, {6, 1});
    runtime.submit([&sum](VectorView<const double> part) { sum += part[5]; }, blocks(1));
  }
  runtime.wait();
  BOOST_TEST(sum.load() == 100);
}

BOOST_AUTO_TEST_CASE(recordings_divide_nothing_anew) {
  Runtime runtime(with_workers(2));
  std::vector<double> x(10, 1.0);
  const auto whole = runtime.vector(x, "x");
  const std::array<Block, 2> halves{Block{0, 0, 5, 1}, Block{5, 0, 5, 1}};
  const std::array<Block, 1> all{Block{0, 0, 10, 1}};
  const std::vector<Handle> parts = runtime.partition(whole, halves);
  const RecordedGraph graph = runtime.record([&] {
    runtime.submit(add_one, parts[0]);
    BOOST_CHECK_THROW((void)runtime.repartition(whole, all), Error);
  });
  graph.run();
  runtime.wait();
  BOOST_TEST(x[0] == 2);
}

BOOST_AUTO_TEST_CASE(wrong_blocks_are_refused_and_change_nothing) {
  Runtime runtime(with_workers(1));
  InParts x(runtime);
  BOOST_CHECK_EXCEPTION((void)runtime.repartition(x.whole, blocks_of({6, 7})), Error,
                        failure(ErrorCode::overlapping_handles, "does not lie inside"));
  const std::array<Block, 2> overlapping{Block{0, 0, 7, 1}, Block{6, 0, 6, 1}};
  BOOST_CHECK_EXCEPTION((void)runtime.repartition(x.whole, overlapping), Error,
                        failure(ErrorCode::overlapping_handles, "overlaps another part"));
  BOOST_CHECK_EXCEPTION((void)runtime.record([&] {
    runtime.submit(add_one, x.whole);
    (void)runtime.repartition(x.whole, blocks_of({6, 6}));
  }),
                        Error, failure(ErrorCode::invalid_argument, "record"));
  TaskOptions nested;
  nested.nested = true;
  const Future inside = runtime.submit(
      nested,
      [&](VectorView<double>) {
        (void)runtime.repartition(x.whole, blocks_of({6, 6}));
      },
      x.whole);
  BOOST_CHECK_EXCEPTION(inside.wait(), Error, failure(ErrorCode::wait_in_kernel, "nested task"));
  BOOST_CHECK_THROW(runtime.wait(), Error);
  runtime.submit([](VectorView<double> part) { std::ranges::fill(part, 2.0); }, write(x.whole));
  for (const Handle& part : x.parts) runtime.submit(add_one, part);
  runtime.wait();
  BOOST_TEST(x.x == std::vector<double>(12, 3.0), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
