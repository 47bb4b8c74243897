// Tests that results from a service are in the program's memory whenever the program may read that memory.
#include <thread>
#include <vector>

#include "tests/client/remote/places.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(home_from_a_service)

namespace {

service::ServerOptions with_accelerator() {
  service::ServerOptions options;
  options.runtime.policy = "mct";
  platform::EmulationOptions accelerator;
  accelerator.memory = {1U << 20U};
  options.runtime.accelerators.emulated_gpus = {accelerator};
  return options;
}

struct WithAccelerator : Places {
  WithAccelerator() : Places(with_accelerator()) {}
};

BOOST_FIXTURE_TEST_CASE(a_wait_for_everything_brings_home_what_accelerators_have_written, WithAccelerator) {
  Runtime runtime = connect();
  std::vector<std::vector<double>> memory(200, std::vector<double>(2000, 0.0));
  std::vector<Data> data;
  for (auto& each : memory) data.push_back(runtime.vector(each));
  for (int round = 1; round <= 2; ++round) {
    for (const Data& each : data) runtime.submit((*this)["fill/double"], {each}, args(1.0 * round));
    runtime.wait();
    for (const auto& each : memory) BOOST_TEST((each.front() == round && each.back() == round));
  }
}

BOOST_FIXTURE_TEST_CASE(each_of_several_threads_that_wait_at_once_sees_what_was_written, Places) {
  Runtime runtime = connect();
  // The data are so large that copying takes a noticeable time.
  std::vector<double> memory(1U << 20U, 0.0);
  const Data data = runtime.vector(memory);
  for (int round = 1; round <= 10; ++round) {
    runtime.submit((*this)["fill"], {data}, args(1.0 * round)).wait();
    std::vector<double> seen(4, 0.0);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < seen.size(); ++t) {
      threads.emplace_back([&, t] {
        t % 2 == 0 ? runtime.wait() : runtime.wait(data);
        seen[t] = memory.back();
      });
    }
    for (std::thread& thread : threads) thread.join();
    BOOST_TEST(seen == std::vector<double>(4, round), boost::test_tools::per_element());
  }
}

BOOST_FIXTURE_TEST_CASE(discarded_content_cannot_be_read_until_it_is_written, Places) {
  both([this](Runtime& runtime) {
    std::vector<double> memory(60, 7.0);
    const Data x = runtime.vector(memory, "x");
    const auto refused = failure(ErrorCode::invalid_argument, "'x' has no valid content: the program has discarded it");
    runtime.discard(x);
    BOOST_CHECK_EXCEPTION(runtime.submit((*this)["scale/double"], {x}, args(2.0)), Error, refused);
    BOOST_CHECK_EXCEPTION(runtime.wait(x), Error, refused);
    runtime.submit((*this)["fill/double"], {x}, args(3.0));
    runtime.submit((*this)["scale/double"], {x}, args(2.0));
    runtime.wait();
    BOOST_TEST((memory.front() == 6 && memory.back() == 6));
    runtime.discard(x);
    runtime.acquire(x, AccessMode::write).vector<double>()[0] = 4;
    BOOST_TEST(runtime.acquire(x, AccessMode::read).vector<const double>()[0] == 4);
    const auto is_recorded = failure(ErrorCode::invalid_argument, "'x' was discarded inside of a recording");
    std::ignore = runtime.record([&] { BOOST_CHECK_EXCEPTION(runtime.discard(x), Error, is_recorded); });
  });
}

BOOST_FIXTURE_TEST_CASE(a_wait_for_everything_leaves_alone_what_the_program_holds, Places) {
  Runtime runtime = connect();
  std::vector<double> memory(60, 0.0);
  const Data whole = runtime.matrix(memory.data(), 10, 6, 10);
  const auto parts = runtime.partition(whole, std::vector<Block>{{0, 0, 5, 6}, {5, 0, 5, 6}});
  std::vector<double> ones(30, 1.0);
  const Data other = runtime.matrix(ones.data(), 5, 6, 5);
  runtime.submit((*this)["fill/double"], {whole}, args(3.0));
  {
    const HostAccess held = runtime.acquire(parts[1], AccessMode::read_write);
    for (std::int64_t j = 0; j < 6; ++j) held.matrix<double>()(0, j) = 8;
    runtime.wait();
    BOOST_TEST((memory[0] == 3 && memory[4] == 3 && memory[50] == 3));
    BOOST_TEST((memory[5] == 8 && memory[55] == 8 && memory[59] == 3));
  }
  runtime.submit((*this)["scale/double"], {parts[1]}, args(2.0));
  runtime.wait();
  BOOST_TEST((memory[5] == 16 && memory[55] == 16 && memory[59] == 6 && memory[4] == 3));
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
