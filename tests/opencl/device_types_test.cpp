// Tests programs that choose devices by their type.
#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build

#include <filesystem>
#include <string>

#include "tests/opencl/opencl_fixture.hpp"
#include "tests/support/environment_variable.hpp"
#include "tests/support/programs/child_program.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(device_types)

namespace {

/// Troupe with two devices of pocl. The second device says that it is a GPU.
struct TwoTypes {
  explicit TwoTypes(std::string word = "") {
    (void)folder.write("1_troupe.icd", TROUPE_OPENCL_LIBRARY);
    (void)folder.write("2_failing.icd", TROUPE_FAKE_OPENCL_FOLDER "/libfake_opencl_failing.so");
    const EnvironmentVariable vendors("OCL_ICD_VENDORS", folder.path());
    const EnvironmentVariable devices("POCL_DEVICES", "basic basic");
    const EnvironmentVariable how("FAILING_OPENCL", "type 4");
    output = run_with_input({TROUPE_OPENCL_TYPES_PROGRAM, std::move(word)}, "").output;
  }
  [[nodiscard]] bool has(const std::string& line) const {
    return ("\n" + output).find("\n" + line) != std::string::npos;
  }

  TemporaryFolder folder;
  std::string output;
};

bool can_run() {
  const bool can = has_pocl() && std::filesystem::exists(TROUPE_OPENCL_TYPES_PROGRAM);
  if (!can) skip("pocl or OpenCL's loader is not installed");
  return can;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_context_for_a_type_runs_on_devices_of_it_alone) {
  if (!can_run()) return;
  const TwoTypes types;
  for (const char* line :
       {"all devices 3 [Troupe (all devices)]", "default devices 1 [Troupe (all devices)]\n", "cpu devices 1 [",
        "gpu devices 1 [", "accelerator devices -1\n", "accelerator context -1\n"}) {
    BOOST_TEST(types.has(line), line << "\n" << types.output);
  }
  BOOST_TEST(types.has("cpu: cpu 8 gpu 0 failed 0\n"), types.output);
  BOOST_TEST(types.has("gpu: cpu 0 gpu 8 failed 0\n"), types.output);
}

BOOST_AUTO_TEST_CASE(several_devices_of_a_type_are_united_beside_others) {
  if (!can_run()) return;
  const TemporaryFolder folder;
  (void)folder.write("1_troupe.icd", TROUPE_OPENCL_LIBRARY);
  (void)folder.write("2.icd", TROUPE_FAKE_OPENCL_FOLDER "/libfake_opencl.so");
  (void)folder.write("3.icd", TROUPE_FAKE_OPENCL_FOLDER "/libfake_opencl_exporting.so");
  const EnvironmentVariable vendors("OCL_ICD_VENDORS", folder.path());
  const std::string output = run_with_input({TROUPE_OPENCL_TYPES_PROGRAM, "list"}, "").output;
  for (const char* line :
       {"all devices 10 [Troupe (all devices)] [Troupe (all GPUs)] [Troupe (all CPUs)] [Troupe (all accelerators)]",
        "\ngpu devices 3 [Troupe (all GPUs)]", "\ncpu devices 3 [Troupe (all CPUs)]",
        "\naccelerator devices 3 [Troupe (all accelerators)]", "\ndefault devices 1 [Troupe (all devices)]\n"}) {
    BOOST_TEST(output.find(line) != std::string::npos, line << "\n" << output);
  }
}

BOOST_AUTO_TEST_CASE(a_user_can_have_all_queues_be_context_queues) {
  if (!can_run()) return;
  const TwoTypes named("dynamic");
  BOOST_TEST(named.has("named: cpu 0 gpu 0 failed 8\n"), named.output);
  const EnvironmentVariable dynamic("SOCL_FORCE_DYNAMIC", "1");
  const TwoTypes anywhere("dynamic");
  BOOST_TEST(anywhere.has("named the last\n"), anywhere.output);
  BOOST_TEST(anywhere.has("named: cpu 8 gpu 0 failed 0\n"), anywhere.output);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
