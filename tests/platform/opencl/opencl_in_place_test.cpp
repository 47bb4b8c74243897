#include "platform/opencl/opencl_in_place.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/opencl/opencl_copying_driver.hpp"
#include "tests/support/opencl/opencl_test_devices.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::platform {

using tests::CopyingDriver;

BOOST_AUTO_TEST_SUITE(opencl_in_place_trial)

BOOST_AUTO_TEST_CASE(pocls_devices_work_in_place) {
  if (!tests::has_opencl_devices()) return;
  for (const OpenClDevice& device : list_opencl_devices().devices) {
    const OpenClInPlace& found = opencl_in_place(device);
    BOOST_TEST(found.works, device.name << ": " << found.why_not);
    // Each device is tried only once, so the second call returns the first result.
    BOOST_TEST(&opencl_in_place(device) == &found);
  }
}

BOOST_AUTO_TEST_CASE(a_driver_that_copies_is_told_by_the_time_it_takes) {
  CopyingDriver driver;
  const OpenClInPlace found = try_opencl_in_place(driver.device(), nullptr);
  BOOST_TEST(!found.works);
  BOOST_TEST(tests::contains(found.why_not, "it copies"), found.why_not);
  BOOST_TEST(driver.problems.empty());
  BOOST_TEST(driver.buffers.empty());
}

BOOST_AUTO_TEST_CASE(a_driver_that_does_not_keep_host_and_device_alike_is_told_by_their_contents) {
  const std::pair<CopyingDriver::Fault, const char*> faults[] = {
      {CopyingDriver::Fault::maps_elsewhere, "maps host memory elsewhere"},
      {CopyingDriver::Fault::maps_old_content, "host memory does not have"},
      {CopyingDriver::Fault::unmaps_old_content, "does not see what the host has written"},
      {CopyingDriver::Fault::buffers_fail, "CL_OUT_OF_RESOURCES"},
  };
  for (const auto& [fault, why] : faults) {
    CopyingDriver driver;
    driver.fault = fault;
    const OpenClInPlace found = try_opencl_in_place(driver.device(), nullptr);
    BOOST_TEST(!found.works);
    BOOST_TEST(tests::contains(found.why_not, why), found.why_not);
  }
}

BOOST_AUTO_TEST_CASE(devices_with_memory_of_their_own_or_too_few_functions_are_not_tried) {
  CopyingDriver driver;
  OpenClDevice apart = driver.device();
  apart.shares_host_memory = false;
  BOOST_TEST(tests::contains(opencl_in_place(apart).why_not, "memory of its own"));
  const _cl_icd_dispatch empty{};
  OpenClDevice poor = driver.device();
  poor.api = &empty;
  BOOST_TEST(tests::contains(opencl_in_place(poor).why_not, "lacks functions"));
  BOOST_TEST(driver.made == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
