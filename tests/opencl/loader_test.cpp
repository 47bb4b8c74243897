// Tests the library as an OpenCL loader finds it, and programs that use it through the loader.
#include <dlfcn.h>
#include <sys/wait.h>

#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build

#include "tests/opencl/opencl_fixture.hpp"
#include "tests/support/environment_variable.hpp"
#include "tests/support/programs/child_program.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(loaders)

namespace {

constexpr const char* kOclgrind = "/usr/lib/oclgrind/liboclgrind-rt-icd.so";

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// A folder in which Troupe and pocl are registered, as the OpenCL loader expects.
struct Registered {
  Registered() : folder_variable("OCL_ICD_VENDORS", folder.path()) {
    (void)folder.write("1_troupe.icd", TROUPE_OPENCL_LIBRARY);
    if (has_pocl()) std::filesystem::copy_file(kPoclFile, folder.path("2_pocl.icd"));
  }
  void add_oclgrind() const { (void)folder.write("3_oclgrind.icd", kOclgrind); }

  TemporaryFolder folder;
  EnvironmentVariable folder_variable;
  EnvironmentVariable devices{"POCL_DEVICES", "basic basic"};
};

bool can_run_program() {
  if (!has_pocl()) skip("pocl is not installed");
  if (has_pocl() && !std::filesystem::exists(TROUPE_OPENCL_PROGRAM)) skip("OpenCL's loader is not installed");
  return has_pocl() && std::filesystem::exists(TROUPE_OPENCL_PROGRAM);
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_library_exports_what_loaders_look_for_and_nothing_else) {
  void* library = ::dlopen(TROUPE_OPENCL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  BOOST_TEST_REQUIRE((library != nullptr), ::dlerror());
  for (const char* name : {"clGetExtensionFunctionAddress", "clIcdGetPlatformIDsKHR", "clGetPlatformInfo"}) {
    BOOST_TEST((::dlsym(library, name) != nullptr), name);
  }
  for (const char* name : {"clGetPlatformIDs", "clCreateContext", "_ZN6troupe6opencl14dispatch_tableEv"}) {
    BOOST_TEST((::dlsym(library, name) == nullptr), name);
  }
  using Find = void* (*)(const char*);
  const auto find = reinterpret_cast<Find>(::dlsym(library, "clGetExtensionFunctionAddress"));
  BOOST_TEST((find("clIcdGetPlatformIDsKHR") != nullptr));
  BOOST_TEST((find("clGetPlatformInfo") != nullptr));
  BOOST_TEST((find("clCreateContext") == nullptr));
  BOOST_TEST((find(nullptr) == nullptr));
  ::dlclose(library);
}

BOOST_AUTO_TEST_CASE(a_program_finds_the_platform_and_builds_for_its_devices) {
  if (!can_run_program()) return;
  const Registered registered;
  const ChildResult result = run_with_input({TROUPE_OPENCL_PROGRAM}, "");
  BOOST_TEST(result.status == 0, result.output);
  BOOST_TEST(result.output.starts_with("device Troupe (all devices)\n"), result.output);
  // There are three devices: the unified device and the two devices of pocl.
  BOOST_TEST(occurrences(result.output, "\nbuilt for ") == 3U, result.output);
  BOOST_TEST(occurrences(result.output, ": yes\n") == 3U, result.output);
  BOOST_TEST(result.output.ends_with("done\n"), result.output);
}

BOOST_AUTO_TEST_CASE(devices_of_two_vendors_are_in_one_context) {
  if (!can_run_program()) return;
  if (!std::filesystem::exists(kOclgrind)) return skip("oclgrind is not installed");
  const Registered registered;
  registered.add_oclgrind();
  const ChildResult result = run_with_input({TROUPE_OPENCL_PROGRAM}, "");
  BOOST_TEST(result.status == 0, result.output);
  BOOST_TEST(occurrences(result.output, ": yes\n") == 4U, result.output);
  BOOST_TEST(result.output.find("Oclgrind") != std::string::npos, result.output);
  BOOST_TEST(result.output.ends_with("done\n"), result.output);
}

BOOST_AUTO_TEST_CASE(without_another_driver_there_is_no_platform) {
  if (!std::filesystem::exists(TROUPE_OPENCL_PROGRAM)) return skip("OpenCL's loader is not installed");
  const TemporaryFolder folder;
  const EnvironmentVariable variable("OCL_ICD_VENDORS", folder.path());
  (void)folder.write("troupe.icd", TROUPE_OPENCL_LIBRARY);
  const ChildResult result = run_with_input({TROUPE_OPENCL_PROGRAM}, "");
  BOOST_TEST(result.status == 1, result.output);
  BOOST_TEST(result.output.find("clGetPlatformIDs failed: -1001") != std::string::npos, result.output);
}

BOOST_AUTO_TEST_CASE(clinfo_lists_the_platform) {
#ifdef TROUPE_SANITIZED
  return skip("clinfo cannot load a library with sanitizers");
#endif
  if (!has_pocl()) return skip("pocl is not installed");
  const Registered registered;
  const ChildResult result = run_with_input({"clinfo"}, "");
  if (result.status == 127) return skip("clinfo is not installed");
  BOOST_TEST(result.status == 0, result.output);
  BOOST_TEST(result.output.find("Troupe (all devices)") != std::string::npos, result.output);
  BOOST_TEST(occurrences(result.output, "OpenCL 1.2 Troupe") >= 4U, result.output);
  // The program clinfo prints these words if a query returns an unexpected result.
  for (const char* complaint : {"<printDevice", "error "}) {
    BOOST_TEST(
        result.output.substr(0, result.output.find("Portable Computing Language")).find(complaint) == std::string::npos,
        result.output);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
