// Checks that the loss of a device only loses data that no other memory has.
#include <array>
#include <vector>

#include "tests/client/fixture.hpp"

namespace troupe::tests {

namespace device_loss {

struct Fixture {
  static RuntimeOptions options() {
    RuntimeOptions options = with_workers(2);
    options.accelerators.emulated_gpus = {platform::EmulationOptions{}};
    options.accelerators.emulated_gpus[0].faults.lost_after = 1;
    return options;
  }

  Fixture() {
    fill.implement(DeviceKind::emulated, [](const KernelContext& context) {
      for (double& element : context.vector<double>(0)) element = 42;
    });
    runtime.submit(fill, {blocks[1]}).wait();
    // The device is lost when the second kernel starts.
    BOOST_CHECK_EXCEPTION(runtime.submit(fill, {other}).wait(), Error, failure(ErrorCode::device_lost));
  }

  std::vector<double> memory = std::vector<double>(12, 5);
  std::vector<double> more = std::vector<double>(4, 5);
  Runtime runtime{options()};
  Codelet fill = Codelet("fill", {AccessMode::write});
  Data whole = runtime.matrix(memory.data(), 4, 3, 4, "A");
  Data other = runtime.vector(more, "other");
  std::vector<Handle> blocks =
      runtime.partition(whole, std::array{Block{0, 0, 4, 1}, Block{0, 1, 4, 1}, Block{0, 2, 4, 1}});

  bool is_lost(const Handle& handle) {
    try {
      std::ignore = runtime.acquire(handle, AccessMode::read);
      return false;
    } catch (const Error& error) {
      BOOST_TEST((error.code() == ErrorCode::device_lost || error.code() == ErrorCode::cancelled));
      return true;
    }
  }
};

}  // namespace device_loss

BOOST_FIXTURE_TEST_SUITE(device_loss, Fixture)

BOOST_AUTO_TEST_CASE(releasing_a_block_leaves_the_others_as_they_are) {
  runtime.release(blocks[0]);
  BOOST_TEST(is_lost(blocks[1]));
  BOOST_TEST(!is_lost(blocks[2]));
  BOOST_TEST(is_lost(whole));
}

BOOST_AUTO_TEST_CASE(partitioning_a_block_does_not_ask_for_the_others) {
  const auto smaller = runtime.partition(blocks[0], std::array{Block{0, 0, 2, 1}});
  BOOST_TEST(!is_lost(smaller[0]));
  BOOST_TEST(is_lost(blocks[1]));
}

BOOST_AUTO_TEST_CASE(a_whole_lacks_what_a_released_block_had_lost) {
  runtime.release(blocks[1]);
  BOOST_CHECK_EXCEPTION(runtime.wait(), Error, failure(ErrorCode::device_lost, "A[0,1]"));
  BOOST_TEST(is_lost(whole));
  BOOST_TEST(!is_lost(blocks[0]));
  { const HostAccess access = runtime.acquire(whole, AccessMode::write); }
  BOOST_TEST(!is_lost(whole));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
