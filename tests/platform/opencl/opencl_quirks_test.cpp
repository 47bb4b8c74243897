#include "platform/opencl/opencl_quirks.hpp"

#include <boost/test/unit_test.hpp>

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(opencl_quirks)

BOOST_AUTO_TEST_CASE(devices_after_an_equal_one_of_their_driver_have_an_option) {
  // Only the addresses of these variables are used.
  static int handles[6];
  const auto handle = [](int i) { return reinterpret_cast<_cl_device_id*>(&handles[i]); };
  const auto driver = [](int i) { return reinterpret_cast<_cl_platform_id*>(&handles[i]); };
  OpenClDevices all;
  const auto add = [&](int i, int of, const char* name) {
    OpenClDevice& device = all.devices.emplace_back();
    device.id = handle(i);
    device.platform = driver(of);
    device.name = name;
  };
  add(0, 4, "core");
  add(1, 4, "core");
  add(2, 4, "other");
  add(3, 5, "core");
  BOOST_TEST(opencl_twin_option(handle(0), all).empty());
  BOOST_TEST(opencl_twin_option(handle(1), all) == " -DTROUPE_TWIN=1");
  BOOST_TEST(opencl_twin_option(handle(2), all).empty());
  BOOST_TEST(opencl_twin_option(handle(3), all).empty());
  BOOST_TEST(opencl_twin_option(handle(4), all).empty());
}

BOOST_AUTO_TEST_CASE(pocl_takes_one_launch_at_a_time_and_has_one_turn_for_all) {
  static int handles[2];
  OpenClDevice device;
  device.platform_name = "Portable Computing Language";
  device.id = reinterpret_cast<_cl_device_id*>(&handles[0]);
  std::binary_semaphore* const turn = opencl_launch_turn(device);
  BOOST_TEST_REQUIRE(turn != nullptr);
  BOOST_TEST(turn == opencl_launch_turn(device));
  BOOST_TEST(turn->try_acquire());
  BOOST_TEST(!turn->try_acquire());
  turn->release();
  device.id = reinterpret_cast<_cl_device_id*>(&handles[1]);
  BOOST_TEST(turn != opencl_launch_turn(device));
  device.platform_name = "Oclgrind";
  BOOST_TEST(opencl_launch_turn(device) == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
