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
#include "tests/client/parts/vector_parts.hpp"
#include "tests/support/gate.hpp"
#include "troupe/runtime.hpp"
#include "troupe/tiled_matrix.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(repartition)

namespace {

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
