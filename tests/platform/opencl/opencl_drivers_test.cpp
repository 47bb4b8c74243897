// Tests the drivers that Debian has for machines without a GPU.
#include <CL/cl_icd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>

#include "platform/opencl/opencl_loading.hpp"
#include "tests/support/environment_variable.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(opencl_drivers)

namespace {

using tests::contains;
using tests::EnvironmentVariable;

const std::string kOclgrind = "/usr/lib/oclgrind/liboclgrind-rt-icd.so";

bool has_pocl() {
  if (std::filesystem::exists("/etc/OpenCL/vendors/pocl.icd")) return true;
  tests::skip("pocl is not installed (pocl-opencl-icd)");
  return false;
}

bool has_oclgrind() {
  if (std::filesystem::exists(kOclgrind)) return true;
  tests::skip("oclgrind is not installed");
  return false;
}

void check_description(const OpenClDevice& device) {
  BOOST_TEST(!device.name.empty());
  BOOST_TEST(!device.vendor.empty());
  BOOST_TEST(device.version.starts_with("OpenCL "));
  BOOST_TEST(device.compute_units >= 1);
  BOOST_TEST(device.memory.count >= device.largest_buffer.count);
  BOOST_TEST(device.largest_buffer.count > 0U);
}

/// Checks that a context can be made on the device with only the functions of its table.
void check_context(const OpenClDevice& device) {
  cl_int status = CL_INVALID_VALUE;
  const cl_context context = device.api->clCreateContext(nullptr, 1, &device.id, nullptr, nullptr, &status);
  BOOST_TEST_REQUIRE(status == CL_SUCCESS);
  const cl_mem buffer = device.api->clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, nullptr, &status);
  BOOST_TEST(status == CL_SUCCESS);
  BOOST_TEST(device.api->clReleaseMemObject(buffer) == CL_SUCCESS);
  BOOST_TEST(device.api->clReleaseContext(context) == CL_SUCCESS);
}

}  // namespace

BOOST_AUTO_TEST_CASE(pocl_gives_the_devices_that_its_environment_names) {
  if (!has_pocl()) return;
  const EnvironmentVariable two("POCL_DEVICES", "basic basic");
  const OpenClDevices all = load_opencl_devices({.vendors = "pocl.icd"});
  BOOST_TEST(all.skipped.empty());
  BOOST_TEST_REQUIRE(all.devices.size() == 2U);
  for (const OpenClDevice& device : all.devices) {
    check_description(device);
    BOOST_TEST(device.platform_name == "Portable Computing Language");
    BOOST_TEST((device.sort == OpenClDeviceSort::cpu));
    BOOST_TEST(device.shares_host_memory);
    check_context(device);
  }
  BOOST_TEST(all.devices[0].id != all.devices[1].id);
}

BOOST_AUTO_TEST_CASE(oclgrind_is_found_by_an_icd_file_that_names_it) {
  if (!has_oclgrind()) return;
  const tests::TemporaryFolder folder;
  folder.write("oclgrind.icd", kOclgrind + "\n");
  const OpenClDevices all = load_opencl_devices({.standard_folder = folder.path()});
  BOOST_TEST(all.skipped.empty());
  BOOST_TEST_REQUIRE(all.devices.size() == 1U);
  check_description(all.devices[0]);
  BOOST_TEST(contains(all.devices[0].name, "Oclgrind"));
  check_context(all.devices[0]);
}

BOOST_AUTO_TEST_CASE(both_are_used_in_one_process) {
  if (!has_pocl() || !has_oclgrind()) return;
  const EnvironmentVariable two("POCL_DEVICES", "basic basic");
  const OpenClDevices all = load_opencl_devices({.file_names = kOclgrind, .vendors = "pocl.icd"});
  BOOST_TEST_REQUIRE(all.devices.size() == 3U);
  BOOST_TEST(all.devices[0].api != all.devices[1].api);
  BOOST_TEST(all.devices[1].api == all.devices[2].api);
  for (std::size_t i = 0; i < all.devices.size(); ++i) BOOST_TEST(all.devices[i].index == static_cast<int>(i));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
