// Tests that results from other devices are in the program's memory whenever the program may read that memory.
#include <thread>
#include <vector>

#include "platform/accelerators/emulated_accelerator.hpp"
#include "tests/client/fixture.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(home)

namespace {

RuntimeOptions with_accelerator(std::uint64_t memory = 1U << 20U) {
  RuntimeOptions options = with_workers(1);
  platform::EmulationOptions accelerator;
  accelerator.memory = {memory};
  options.accelerators.emulated_gpus = {accelerator};
  return options;
}

/// Returns a codelet for accelerators only.
Codelet fill() {
  Codelet codelet("fill", {AccessMode::write});
  codelet.implement(DeviceKind::emulated, [](const KernelContext& context) {
    for (double& element : context.vector<double>(0)) element = context.argument<double>(0);
  });
  codelet.takes({ArgumentType::of<double>()});
  return codelet;
}

BOOST_AUTO_TEST_CASE(a_wait_for_everything_brings_it_home) {
  Runtime runtime(with_accelerator(4096));
  const Codelet write = fill();
  // The data are more than the accelerator's memory can hold, and more than the runtime copies to host memory at a
  // time.
  std::vector<std::vector<double>> memory(150, std::vector<double>(100, 0.0));
  std::vector<Data> data;
  for (auto& each : memory) data.push_back(runtime.vector(each));
  for (int round = 1; round <= 3; ++round) {
    for (const Data& each : data) runtime.submit(write, {each}, args(1.0 * round));
    runtime.wait();
    for (const auto& each : memory) BOOST_TEST((each.front() == round && each.back() == round));
  }
}

BOOST_AUTO_TEST_CASE(what_the_program_sees_only_while_it_holds_it_stays_where_it_is) {
  Runtime runtime(with_accelerator());
  const Data hidden = runtime.allocate_vector<double>(100);
  runtime.submit(fill(), {hidden}, args(3.0));
  runtime.wait();
  BOOST_TEST(runtime.report().transfers.device_to_host.count == 0U);
  BOOST_TEST(runtime.acquire(hidden, AccessMode::read).vector<double>()[99] == 3);
}

BOOST_AUTO_TEST_CASE(blocks_come_home_without_their_neighbours) {
  Runtime runtime(with_accelerator());
  std::vector<double> memory(60, 0.0);
  const Data whole = runtime.matrix(memory.data(), 10, 6, 10);
  const auto parts = runtime.partition(whole, std::vector<Block>{{0, 0, 10, 3}, {0, 3, 10, 3}});
  Codelet write("fill", {AccessMode::write});
  write.implement(DeviceKind::emulated, [](const KernelContext& context) {
    const auto x = context.matrix<double>(0);
    for (std::int64_t j = 0; j < x.cols; ++j) {
      for (std::int64_t i = 0; i < x.rows; ++i) x(i, j) = 5;
    }
  });
  {
    const HostAccess held = runtime.acquire(parts[1], AccessMode::write);
    memory[59] = 7;
    runtime.submit(write, {parts[0]});
    runtime.wait();  // This wait only covers tasks that do not need the data that the program holds.
    BOOST_TEST((memory[0] == 5 && memory[29] == 5 && memory[59] == 7));
  }
  runtime.submit(write, {parts[1]});
  runtime.wait();
  BOOST_TEST(memory[59] == 5);
}

BOOST_AUTO_TEST_CASE(a_runs_results_come_home) {
  Runtime runtime(with_accelerator());
  std::vector<double> memory(10, 0.0);
  const Data data = runtime.vector(memory);
  const Codelet write = fill();
  const RecordedGraph graph = runtime.record([&] { runtime.submit(write, {data}, args(2.0)); });
  graph.run();
  runtime.wait();
  BOOST_TEST(memory[9] == 2);
}

BOOST_AUTO_TEST_CASE(threads_that_wait_see_their_results_beside_others_that_go_on) {
  Runtime runtime(with_accelerator(8192));
  const Codelet write = fill();
  std::vector<int> wrong(3, 0);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      std::vector<double> memory(200, 0.0);
      const Data data = runtime.vector(memory);
      for (int round = 1; round <= 30; ++round) {
        runtime.submit(write, {data}, args(1.0 * round));
        runtime.wait();
        if (memory.front() != round || memory.back() != round) ++wrong[t];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  BOOST_TEST(wrong == std::vector<int>(3, 0), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_a_lost_device_had_is_reported_until_the_program_overwrites_it) {
  RuntimeOptions options = with_accelerator();
  options.accelerators.emulated_gpus[0].faults.lost_after = 1;
  Runtime runtime(options);
  std::vector<double> first(10, 0.0), second(10, 0.0);
  const Data one = runtime.vector(first), two = runtime.vector(second);
  const Codelet write = fill();
  runtime.submit(write, {one}, args(1.0)).wait();
  BOOST_CHECK_EXCEPTION(runtime.submit(write, {two}, args(1.0)).wait(), Error, failure(ErrorCode::device_lost));
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error, failure(ErrorCode::device_lost, "could not be brought to host memory"));
  BOOST_CHECK_EXCEPTION(runtime.wait(one), Error, failure(ErrorCode::device_lost));
  runtime.acquire(one, AccessMode::write).vector<double>()[9] = 4;
  runtime.wait();
  BOOST_TEST(first[9] == 4);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
