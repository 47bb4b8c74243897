#include <algorithm>
#include <array>
#include <boost/test/unit_test.hpp>

#include "tests/opencl/opencl_fixture.hpp"

namespace troupe::tests {

BOOST_FIXTURE_TEST_SUITE(devices, OpenClFixture)

namespace {

std::vector<cl_device_id> devices_of(cl_device_type types) {
  std::array<cl_device_id, 64> found{};
  cl_uint count = 0;
  const cl_int status =
      table().clGetDeviceIDs(opencl::Platform::get().handle(), types, found.size(), found.data(), &count);
  if (status == CL_DEVICE_NOT_FOUND) return {};
  BOOST_TEST(status == CL_SUCCESS);
  return {found.begin(), found.begin() + count};
}

template <class T>
T device_value(cl_device_id device, cl_device_info what) {
  return info_of<T>(table().clGetDeviceInfo, device, what);
}

std::string device_text(cl_device_id device, cl_device_info what) {
  return text_of(table().clGetDeviceInfo, device, what);
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_platform_says_what_it_is) {
  const auto text = [](cl_platform_info what) {
    return text_of(table().clGetPlatformInfo, opencl::Platform::get().handle(), what);
  };
  BOOST_TEST(text(CL_PLATFORM_NAME) == "Troupe");
  BOOST_TEST(text(CL_PLATFORM_PROFILE) == "FULL_PROFILE");
  BOOST_TEST(text(CL_PLATFORM_VERSION).starts_with("OpenCL 1.2 "));
  BOOST_TEST(text(CL_PLATFORM_ICD_SUFFIX_KHR) == "TROUPE");
  BOOST_TEST(text(CL_PLATFORM_EXTENSIONS).find("cl_khr_icd") != std::string::npos);
  BOOST_TEST(table().clGetPlatformInfo(opencl::Platform::get().handle(), 0x7777, 0, nullptr, nullptr) ==
             CL_INVALID_VALUE);
  std::array<char, 3> small{};
  BOOST_TEST(table().clGetPlatformInfo(opencl::Platform::get().handle(), CL_PLATFORM_NAME, small.size(), small.data(),
                                       nullptr) == CL_INVALID_VALUE);
}

BOOST_AUTO_TEST_CASE(without_devices_there_is_no_platform_for_loaders) {
  using Function = cl_int (*)(cl_uint, cl_platform_id*, cl_uint*);
  const auto list = reinterpret_cast<Function>(table().clGetExtensionFunctionAddress("clIcdGetPlatformIDsKHR"));
  BOOST_TEST_REQUIRE((list != nullptr));
  cl_uint count = 9;
  const cl_int status = list(0, nullptr, &count);
  BOOST_TEST(status == (devices.empty() ? CL_PLATFORM_NOT_FOUND_KHR : CL_SUCCESS));
  BOOST_TEST(count == (devices.empty() ? 0U : 1U));
  BOOST_TEST(list(0, nullptr, nullptr) == CL_INVALID_VALUE);
  BOOST_TEST((table().clGetExtensionFunctionAddress("clSomethingElse") == nullptr));
}

BOOST_AUTO_TEST_CASE(the_unified_device_comes_first_and_is_the_default) {
  if (!has_devices()) return;
  BOOST_TEST(devices_of(CL_DEVICE_TYPE_ALL) == devices, boost::test_tools::per_element());
  BOOST_TEST(devices_of(CL_DEVICE_TYPE_DEFAULT) == std::vector{devices.front()}, boost::test_tools::per_element());
  BOOST_TEST(device_text(devices.front(), CL_DEVICE_NAME) == "Troupe (all devices)");
  BOOST_TEST(devices.size() == 1 + platform::list_opencl_devices().devices.size());
}

BOOST_AUTO_TEST_CASE(devices_are_found_by_their_types) {
  if (!has_devices()) return;
  for (const cl_device_type type : {CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR}) {
    std::vector<cl_device_id> expected;
    std::ranges::copy_if(devices, std::back_inserter(expected), [type](cl_device_id device) {
      return (device_value<cl_device_type>(device, CL_DEVICE_TYPE) & type) != 0;
    });
    BOOST_TEST(devices_of(type) == expected, boost::test_tools::per_element());
  }
  const auto platform = opencl::Platform::get().handle();
  cl_uint count = 0;
  BOOST_TEST(table().clGetDeviceIDs(platform, cl_device_type{1} << 20, 0, nullptr, &count) == CL_INVALID_DEVICE_TYPE);
  BOOST_TEST(table().clGetDeviceIDs(platform, 0, 0, nullptr, &count) == CL_INVALID_DEVICE_TYPE);
  cl_device_id one = nullptr;
  BOOST_TEST(table().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, &one, nullptr) == CL_INVALID_VALUE);
  BOOST_TEST(table().clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &one, &count) == CL_SUCCESS);
  BOOST_TEST(one == devices.front());
  BOOST_TEST(count == devices.size());
}

BOOST_AUTO_TEST_CASE(every_device_is_ours_and_claims_what_we_do) {
  if (!has_devices()) return;
  for (cl_device_id device : devices) {
    BOOST_TEST(device_value<cl_platform_id>(device, CL_DEVICE_PLATFORM) == opencl::Platform::get().handle());
    BOOST_TEST(device_text(device, CL_DEVICE_VERSION).starts_with("OpenCL 1.2 "));
    BOOST_TEST(device_text(device, CL_DEVICE_OPENCL_C_VERSION).starts_with("OpenCL C 1.2 "));
    BOOST_TEST(device_value<cl_bool>(device, CL_DEVICE_IMAGE_SUPPORT) == cl_bool{CL_FALSE});
    BOOST_TEST(device_value<std::size_t>(device, CL_DEVICE_IMAGE2D_MAX_WIDTH) == 0U);
    BOOST_TEST(device_value<cl_device_svm_capabilities>(device, CL_DEVICE_SVM_CAPABILITIES) == 0U);
    BOOST_TEST(device_text(device, CL_DEVICE_IL_VERSION).empty());
    BOOST_TEST(device_text(device, CL_DEVICE_BUILT_IN_KERNELS).empty());
    BOOST_TEST(device_value<cl_device_id>(device, CL_DEVICE_PARENT_DEVICE) == nullptr);
    BOOST_TEST(device_value<cl_uint>(device, CL_DEVICE_REFERENCE_COUNT) == 1U);
    BOOST_TEST(device_value<cl_command_queue_properties>(device, CL_DEVICE_QUEUE_PROPERTIES) ==
               cl_command_queue_properties{CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE});
    const auto extensions = device_text(device, CL_DEVICE_EXTENSIONS);
    for (const char* needed : {"cl_khr_global_int32_base_atomics", "cl_khr_byte_addressable_store"}) {
      BOOST_TEST(extensions.find(needed) != std::string::npos, extensions);
    }
    for (const char* absent : {"spir", "image", "command_buffer", "svm", "fission"}) {
      BOOST_TEST(extensions.find(absent) == std::string::npos, extensions);
    }
    BOOST_TEST(table().clGetDeviceInfo(device, 0x7777, 0, nullptr, nullptr) != CL_SUCCESS);
    BOOST_TEST(table().clRetainDevice(device) == CL_SUCCESS);
    BOOST_TEST(table().clReleaseDevice(device) == CL_SUCCESS);
  }
}

BOOST_AUTO_TEST_CASE(the_unified_device_can_what_all_can) {
  if (!has_devices()) return;
  const auto most_of_real = [&]<class T>(T, cl_device_info what, auto&& merge) {
    T merged = device_value<T>(devices[1], what);
    for (std::size_t i = 2; i < devices.size(); ++i) merged = merge(merged, device_value<T>(devices[i], what));
    BOOST_TEST(device_value<T>(devices.front(), what) == merged, "parameter " << what);
  };
  const auto least = [](auto a, auto b) { return std::min(a, b); };
  const auto sum = [](auto a, auto b) { return a + b; };
  most_of_real(cl_uint{}, CL_DEVICE_MAX_COMPUTE_UNITS, sum);
  most_of_real(cl_ulong{}, CL_DEVICE_LOCAL_MEM_SIZE, least);
  most_of_real(cl_ulong{}, CL_DEVICE_MAX_MEM_ALLOC_SIZE, least);
  most_of_real(std::size_t{}, CL_DEVICE_MAX_WORK_GROUP_SIZE, least);
  most_of_real(cl_uint{}, CL_DEVICE_MEM_BASE_ADDR_ALIGN, [](auto a, auto b) { return std::max(a, b); });
  BOOST_TEST(list_of<std::size_t>(table().clGetDeviceInfo, devices.front(), CL_DEVICE_MAX_WORK_ITEM_SIZES).size() ==
             device_value<cl_uint>(devices.front(), CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS));
}

BOOST_AUTO_TEST_CASE(memory_that_devices_share_with_the_host_counts_once) {
  if (!has_devices()) return;
  cl_ulong own = 0;
  cl_ulong shared = 0;
  for (std::size_t i = 1; i < devices.size(); ++i) {
    const auto size = device_value<cl_ulong>(devices[i], CL_DEVICE_GLOBAL_MEM_SIZE);
    if (device_value<cl_bool>(devices[i], CL_DEVICE_HOST_UNIFIED_MEMORY) == CL_TRUE) {
      shared = std::max(shared, size);
    } else {
      own += size;
    }
  }
  BOOST_TEST(device_value<cl_ulong>(devices.front(), CL_DEVICE_GLOBAL_MEM_SIZE) == own + shared);
}

/// Programs such as clinfo ask for everything. So the unified device must have an answer for every parameter of OpenCL
/// 1.2.
BOOST_AUTO_TEST_CASE(the_unified_device_answers_all_that_opencl_1_2_asks) {
  if (!has_devices()) return;
  for (cl_device_info what = CL_DEVICE_TYPE; what <= CL_DEVICE_PRINTF_BUFFER_SIZE; ++what) {
    std::size_t size = 0;
    BOOST_TEST(table().clGetDeviceInfo(devices.front(), what, 0, nullptr, &size) == CL_SUCCESS, "parameter " << what);
    BOOST_TEST(size > 0U, "parameter " << what);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
