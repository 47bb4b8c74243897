#include "platform/opencl/opencl_devices.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <thread>
#include <vector>

#include "platform/machine/binding.hpp"
#include "tests/platform/opencl/fake_driver.hpp"
#include "tests/support/environment_variable.hpp"
#include "tests/support/skipping.hpp"

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(opencl_devices)

namespace {

using tests::EnvironmentVariable;

/// The facts that the fake driver saw while it was loaded: the allowed PUs and the number of OpenCL devices.
struct SeenByDriver {
  CpuSet pus;
  std::size_t devices = 99;
};
SeenByDriver seen;

void look_around() {
  const Result<CpuSet> pus = this_thread_binding();
  if (pus) seen.pus = pus.value();
  seen.devices = list_opencl_devices().devices.size();
}

}  // namespace

/// A process makes the list of OpenCL devices only once, so only this test case asks for it.
BOOST_AUTO_TEST_CASE(a_bound_thread_that_asks_first_binds_no_driver) {
  const CpuSet all = this_thread_binding().value();
  const EnvironmentVariable driver("OCL_ICD_VENDORS", tests::fake_opencl_driver());
  const EnvironmentVariable names("OCL_ICD_FILENAMES", "");
  const EnvironmentVariable call("FAKE_OPENCL_CALL", tests::address_text(&look_around));
  const OpenClDevices* found = nullptr;
  CpuSet after;
  std::thread([&] {
    BOOST_TEST(bind_this_thread(all.front()).ok());
    found = &list_opencl_devices();
    after = this_thread_binding().value();
  }).join();
  BOOST_TEST_REQUIRE(found != nullptr);
  BOOST_TEST(found->devices.size() == 3U);
  BOOST_TEST(seen.pus == all, boost::test_tools::per_element());
  BOOST_TEST(after == CpuSet{all.front()}, boost::test_tools::per_element());
  // The driver asked for the list while it was loaded, and got an empty list.
  BOOST_TEST(seen.devices == 0U);
  // Threads that ask later get the list that was made first.
  seen.devices = 99;
  std::vector<const OpenClDevices*> lists(4);
  std::vector<std::thread> threads;
  for (const OpenClDevices*& list : lists) threads.emplace_back([&list] { list = &list_opencl_devices(); });
  for (std::thread& thread : threads) thread.join();
  for (const OpenClDevices* list : lists) BOOST_TEST(list == found);
  BOOST_TEST(seen.devices == 99U);
  if (all.size() == 1) tests::skip("this machine has one processing unit, to which nothing can be bound by mistake");
}

BOOST_AUTO_TEST_CASE(sorts_have_names) {
  BOOST_TEST(to_string(OpenClDeviceSort::cpu) == std::string("cpu"));
  BOOST_TEST(to_string(OpenClDeviceSort::gpu) == std::string("gpu"));
  BOOST_TEST(to_string(OpenClDeviceSort::accelerator) == std::string("accelerator"));
  BOOST_TEST(to_string(OpenClDeviceSort::other) == std::string("other"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
