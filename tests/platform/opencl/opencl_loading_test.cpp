#include "platform/opencl/opencl_loading.hpp"

#include <CL/cl_icd.h>

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "platform/files/dynamic_library.hpp"
#include "tests/platform/opencl/fake_driver.hpp"
#include "tests/support/environment_variable.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(opencl_loading)

namespace {

using tests::contains;
using tests::EnvironmentVariable;
using tests::exporting_opencl_driver;
using tests::fake_opencl_driver;
using tests::TemporaryFolder;
using tests::troupe_as_opencl_driver;
using Names = std::vector<std::string>;
const auto kEachName = boost::test_tools::per_element();

const OpenClSearch& fake_alone() {
  static const OpenClSearch search{.vendors = fake_opencl_driver()};
  return search;
}

/// Returns the devices of the fake driver with this fault.
OpenClDevices with_fault(const std::string& fault) {
  const EnvironmentVariable variable("FAKE_OPENCL", fault);
  return load_opencl_devices(fake_alone());
}

Names names_of(const OpenClDevices& all) {
  Names names;
  for (const OpenClDevice& device : all.devices) names.push_back(device.name);
  return names;
}

/// Returns true if a skipped object has `what` in its name and `why` in its reason.
bool skips(const OpenClDevices& all, const std::string& what, const std::string& why) {
  for (const SkippedOpenCl& skipped : all.skipped) {
    if (contains(skipped.what, what) && contains(skipped.why, why)) return true;
  }
  for (const SkippedOpenCl& skipped : all.skipped) BOOST_TEST_MESSAGE(skipped.what << ": " << skipped.why);
  return false;
}

/// Checks that the driver with this fault gives no devices, for this reason. The message must name the file.
void check_nothing(const std::string& fault, const std::string& why) {
  const OpenClDevices all = with_fault(fault);
  BOOST_TEST_CONTEXT(fault) {
    BOOST_TEST(all.devices.empty());
    BOOST_TEST(all.skipped.size() == 1U);
    BOOST_TEST(skips(all, "libfake_opencl.so", why));
    BOOST_TEST(skips(all, "libfake_opencl.so", "named by OCL_ICD_VENDORS"));
  }
}

/// Checks that the first platform gives no devices if the driver has this fault.
void check_first_platform(const std::string& fault, const std::string& what, const std::string& why) {
  const OpenClDevices all = with_fault(fault);
  BOOST_TEST_CONTEXT(fault) {
    BOOST_TEST(names_of(all) == Names{"Fake accelerator"}, kEachName);
    BOOST_TEST(all.skipped.size() == 1U);
    BOOST_TEST(skips(all, what, why));
  }
}

/// Checks that both platforms give no devices if the driver has this fault.
void check_both_platforms(const std::string& fault, const std::string& why) {
  const OpenClDevices all = with_fault(fault);
  BOOST_TEST_CONTEXT(fault) {
    BOOST_TEST(all.devices.empty());
    BOOST_TEST(all.skipped.size() == 2U);
    for (const SkippedOpenCl& skipped : all.skipped) BOOST_TEST(contains(skipped.why, why), skipped.why);
  }
}

/// Checks that only the CPU of the first platform is left out if the driver has this fault.
void check_cpu(const std::string& fault, const std::string& why) {
  const OpenClDevices all = with_fault(fault);
  BOOST_TEST_CONTEXT(fault) {
    BOOST_TEST(names_of(all) == (Names{"Fake GPU", "Fake accelerator"}), kEachName);
    for (std::size_t i = 0; i < all.devices.size(); ++i) BOOST_TEST(all.devices[i].index == static_cast<int>(i));
    BOOST_TEST(all.skipped.size() == 1U);
    BOOST_TEST(skips(all, "device 1 of Fake One", why));
  }
}

std::optional<OpenClDevices> seen_by_driver;

void look_for_devices() { seen_by_driver = load_opencl_devices(fake_alone()); }

}  // namespace

BOOST_AUTO_TEST_CASE(devices_of_all_platforms_are_described_in_order) {
  const OpenClDevices all = load_opencl_devices(fake_alone());
  BOOST_TEST(all.skipped.empty());
  BOOST_TEST(names_of(all) == (Names{"Fake GPU", "Fake CPU", "Fake accelerator"}), kEachName);
  const OpenClDevice& gpu = all.devices[0];
  BOOST_TEST(gpu.index == 0);
  BOOST_TEST(gpu.vendor == "Nobody");
  BOOST_TEST(gpu.platform_name == "Fake One");
  BOOST_TEST(gpu.version == "OpenCL 1.2 fake");
  BOOST_TEST(gpu.driver_version == "0.1");
  BOOST_TEST((gpu.sort == OpenClDeviceSort::gpu));
  BOOST_TEST(gpu.compute_units == 8);
  BOOST_TEST(gpu.memory.count == 1U << 30U);
  BOOST_TEST(gpu.largest_buffer.count == 1U << 28U);
  BOOST_TEST(gpu.local_memory.count == 1U << 15U);
  BOOST_TEST(!gpu.shares_host_memory);
  const OpenClDevice& cpu = all.devices[1];
  BOOST_TEST((cpu.sort == OpenClDeviceSort::cpu));
  BOOST_TEST(cpu.shares_host_memory);
  BOOST_TEST(all.devices[2].index == 2);
  BOOST_TEST((all.devices[2].sort == OpenClDeviceSort::accelerator));
  BOOST_TEST(all.devices[2].platform_name == "Fake Two");
}

BOOST_AUTO_TEST_CASE(a_device_can_be_asked_by_its_table) {
  const OpenClDevices all = load_opencl_devices(fake_alone());
  for (const OpenClDevice& device : all.devices) {
    cl_uint units = 0;
    BOOST_TEST(device.api->clGetDeviceInfo(device.id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr) ==
               CL_SUCCESS);
    BOOST_TEST(units == static_cast<cl_uint>(device.compute_units));
    cl_uint count = 0;
    BOOST_TEST(device.api->clGetDeviceIDs(device.platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) == CL_SUCCESS);
    BOOST_TEST(count == (device.index < 2 ? 2U : 1U));
  }
}

BOOST_AUTO_TEST_CASE(several_drivers_are_loaded_in_the_order_of_the_search_and_each_once) {
  const TemporaryFolder folder;
  const std::string copy = folder.path("libcopy.so");
  std::filesystem::copy_file(fake_opencl_driver(), copy);
  folder.write("1.icd", fake_opencl_driver());
  folder.write("2.icd", copy);
  folder.write("3.icd", fake_opencl_driver());
  std::filesystem::create_symlink(copy, folder.path("liblink.so"));
  folder.write("4.icd", folder.path("liblink.so"));
  const OpenClDevices all = load_opencl_devices({.file_names = copy, .standard_folder = folder.path()});
  BOOST_TEST(all.skipped.empty());
  BOOST_TEST_REQUIRE(all.devices.size() == 6U);
  BOOST_TEST(all.devices[5].index == 5);
  const OpenClDevices one = load_opencl_devices(fake_alone());
  BOOST_TEST(all.devices[3].id == one.devices[0].id);
  BOOST_TEST(all.devices[0].id != one.devices[0].id);
}

BOOST_AUTO_TEST_CASE(a_driver_may_leave_its_function_to_the_dynamic_loader) {
  const OpenClDevices all = load_opencl_devices({.vendors = exporting_opencl_driver()});
  BOOST_TEST(all.skipped.empty());
  BOOST_TEST(all.devices.size() == 3U);
}

BOOST_AUTO_TEST_CASE(libraries_that_are_no_drivers_are_named_with_the_reason) {
  const TemporaryFolder folder;
  const std::string text = folder.write("libtext.so", "This is no library.");
  const OpenClDevices all = load_opencl_devices(
      {.file_names = "libm.so.6:/no/such/lib.so:" + text + ":libsocl-1.3.so.0:" + fake_opencl_driver(),
       .standard_folder = folder.path()});
  BOOST_TEST(all.devices.size() == 3U);
  BOOST_TEST(all.skipped.size() == 4U);
  BOOST_TEST(skips(all, "libm.so.6", "has no function clGetExtensionFunctionAddress"));
  BOOST_TEST(skips(all, "/no/such/lib.so", "No such file"));
  BOOST_TEST(skips(all, text, "file too short"));
  BOOST_TEST(skips(all, "libsocl-1.3.so.0", "unites"));
}

BOOST_AUTO_TEST_CASE(a_library_that_unites_others_is_known_behind_a_symbolic_link) {
  const TemporaryFolder folder;
  std::filesystem::copy_file(fake_opencl_driver(), folder.path("libsocl-9.so"));
  std::filesystem::create_symlink(folder.path("libsocl-9.so"), folder.path("libother.so"));
  const OpenClDevices all = load_opencl_devices({.vendors = folder.path("libother.so")});
  BOOST_TEST(all.devices.empty());
  BOOST_TEST(skips(all, "libother.so", "SOCL unites"));
}

BOOST_AUTO_TEST_CASE(a_driver_without_platforms_is_skipped) {
  check_nothing("no_icd", "has no function clIcdGetPlatformIDsKHR");
  check_nothing("no_platform", "finds nothing that it could drive");
  check_nothing("zero_platforms", "finds nothing that it could drive");
  check_nothing("platforms_fail", "clIcdGetPlatformIDsKHR failed: CL_OUT_OF_HOST_MEMORY (-6)");
  check_nothing("throws", "exception: the fake driver's exception");
}

BOOST_AUTO_TEST_CASE(platforms_without_a_table_that_can_be_called_are_skipped) {
  check_first_platform("null_platform", "platform 0 of", "no table");
  check_first_platform("no_table", "platform 0 of", "no table");
  check_first_platform("holes", "platform 0 of", "missing in its table");
  check_first_platform("icd2", "platform 0 of", "cl_khr_icd2");
}

BOOST_AUTO_TEST_CASE(the_library_that_this_code_is_part_of_is_not_asked) {
  Result<DynamicLibrary> library = DynamicLibrary::open(troupe_as_opencl_driver(), {}, {});
  BOOST_TEST_REQUIRE(library.ok());
  Result<void*> function = library.value().find("load_from_inside");
  BOOST_TEST_REQUIRE(function.ok());
  const auto load = reinterpret_cast<int (*)(const char*, std::string*)>(function.value());
  std::string why;
  BOOST_TEST(load(troupe_as_opencl_driver().c_str(), &why) == 0);
  BOOST_TEST(contains(why, "it is Troupe itself"), why);
  // Troupe's library is recognized even if it has another name.
  const TemporaryFolder folder;
  std::filesystem::create_symlink(troupe_as_opencl_driver(), folder.path("libother.so"));
  BOOST_TEST(load(folder.path("libother.so").c_str(), &why) == 0);
  BOOST_TEST(contains(why, "it is Troupe itself"), why);
  BOOST_TEST(load(fake_opencl_driver().c_str(), &why) == 3);
  // This test's own code is not in the library. If this code loads the library, the library is an ordinary driver.
  BOOST_TEST(load_opencl_devices({.vendors = troupe_as_opencl_driver()}).devices.size() == 3U);
}

BOOST_AUTO_TEST_CASE(platforms_that_are_troupe_or_unite_others_are_skipped) {
  check_both_platforms("suffix_troupe", "it is Troupe itself");
  check_both_platforms("unites_others", "StarPU unites");
}

BOOST_AUTO_TEST_CASE(platforms_without_devices_are_skipped) {
  check_both_platforms("no_devices", "it has no devices");
  check_both_platforms("devices_fail", "clGetDeviceIDs failed: CL_OUT_OF_RESOURCES (-5)");
  check_both_platforms("platform_name_fails", "CL_PLATFORM_NAME failed: CL_OUT_OF_HOST_MEMORY (-6)");
}

BOOST_AUTO_TEST_CASE(a_device_that_cannot_be_used_hides_no_other) {
  check_cpu("memory_fails", "asking for CL_DEVICE_GLOBAL_MEM_SIZE failed: CL_OUT_OF_RESOURCES (-5)");
  check_cpu("no_memory", "has no memory");
  check_cpu("unavailable", "not available");
  check_cpu("no_compiler", "no compiler");
  check_cpu("device_without_table", "no table");
}

BOOST_AUTO_TEST_CASE(what_older_drivers_lack_is_no_fault) {
  const OpenClDevices all = with_fault("opencl_1.0");
  BOOST_TEST(all.skipped.empty());
  BOOST_TEST_REQUIRE(all.devices.size() == 3U);
  BOOST_TEST(!all.devices[1].shares_host_memory);
  BOOST_TEST(with_fault("no_suffix").devices.size() == 3U);
}

BOOST_AUTO_TEST_CASE(names_are_tidied_and_have_an_end) {
  BOOST_TEST(names_of(with_fault("padded_name")) == (Names{"Fake", "Fake", "Fake"}), kEachName);
  const OpenClDevices all = with_fault("endless_name");
  BOOST_TEST(all.devices.empty());
  BOOST_TEST(skips(all, "device 0 of Fake One", "bytes long"));
}

BOOST_AUTO_TEST_CASE(a_driver_that_looks_for_devices_while_it_is_loaded_finds_none) {
  seen_by_driver.reset();
  const EnvironmentVariable call("FAKE_OPENCL_CALL", tests::address_text(&look_for_devices));
  const OpenClDevices all = load_opencl_devices(fake_alone());
  BOOST_TEST(all.devices.size() == 3U);
  BOOST_TEST_REQUIRE(seen_by_driver.has_value());
  BOOST_TEST(seen_by_driver->devices.empty());
  BOOST_TEST(seen_by_driver->skipped.empty());
  BOOST_TEST(!is_loading_opencl());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
