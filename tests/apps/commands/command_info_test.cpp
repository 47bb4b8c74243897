// Tests the part of `troupe info` about OpenCL devices, with a fake driver.
#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build

#include <string>

#include "proto/json/json.hpp"
#include "tests/apps/troupe_program.hpp"
#include "tests/support/temporary_folder.hpp"

extern "C" {
[[gnu::weak]] char* openblas_get_corename();
}

namespace troupe::apps {
namespace {

using tests::contains;
using tests::succeeds;
using tests::TemporaryFolder;
using tests::Words;

/// Returns environment words with which `troupe info` uses the fake driver. tests/support/fake_opencl/ lists the
/// faults.
Words with_fake_driver(const std::string& fault) {
  return {"env", "OCL_ICD_FILENAMES=", "OCL_ICD_VENDORS=" TROUPE_FAKE_OPENCL_FOLDER "/libfake_opencl.so",
          "FAKE_OPENCL=" + fault};
}

Words without_drivers(const TemporaryFolder& empty) {
  return {"env", "OCL_ICD_FILENAMES=", "OCL_ICD_VENDORS=" + empty.path()};
}

/// Returns the lines from the heading to the next blank line.
std::string section_of(const std::string& text) {
  const auto begin = text.find("\nOpenCL devices");
  BOOST_TEST_REQUIRE(begin != std::string::npos);
  return text.substr(begin + 1, text.find("\n\n", begin) - begin);
}

}  // namespace

BOOST_AUTO_TEST_SUITE(command_info)

BOOST_AUTO_TEST_CASE(info_lists_opencl_devices) {
  const std::string section = section_of(succeeds({"info"}, with_fake_driver("")));
  BOOST_TEST(section ==
             "OpenCL devices\n"
             "  device 0: Fake GPU (gpu), Fake One, 8 compute unit(s), 1.0 GiB; OpenCL 1.2\n"
             "  device 1: Fake CPU (cpu), Fake One, 2 compute unit(s), 1.0 GiB of the host; OpenCL 1.2\n"
             "    works on copies of data: its driver lacks functions for that\n"
             "  device 2: Fake accelerator (accelerator), Fake Two, 1 compute unit(s), 1.0 GiB; OpenCL 1.2\n");
}

BOOST_AUTO_TEST_CASE(info_lists_opencl_devices_as_json) {
  const auto json = Json::parse(succeeds({"info", "--json"}, with_fake_driver("unavailable")));
  BOOST_TEST_REQUIRE(json["opencl_devices"].size() == 2U);
  const auto& gpu = json["opencl_devices"][0];
  BOOST_TEST(gpu["index"] == 0);
  BOOST_TEST(gpu["name"] == "Fake GPU");
  BOOST_TEST(gpu["vendor"] == "Nobody");
  BOOST_TEST(gpu["platform"] == "Fake One");
  BOOST_TEST(gpu["version"] == "OpenCL 1.2 fake");
  BOOST_TEST(gpu["driver_version"] == "0.1");
  BOOST_TEST(gpu["sort"] == "gpu");
  BOOST_TEST(gpu["compute_units"] == 8);
  BOOST_TEST(gpu["memory_bytes"] == 1 << 30);
  BOOST_TEST(gpu["largest_buffer_bytes"] == 1 << 28);
  BOOST_TEST(gpu["local_memory_bytes"] == 1 << 15);
  BOOST_TEST(gpu["shares_host_memory"] == false);
  BOOST_TEST(gpu["in_place"] == false);
  BOOST_TEST(gpu["not_in_place_because"] == "it has memory of its own");
  BOOST_TEST_REQUIRE(json["opencl_skipped"].size() == 1U);
  BOOST_TEST(contains(json["opencl_skipped"][0]["what"].get<std::string>(), "Fake CPU"));
  BOOST_TEST(contains(json["opencl_skipped"][0]["why"].get<std::string>(), "not available"));
}

BOOST_AUTO_TEST_CASE(info_says_why_a_driver_is_not_used) {
  const std::string section = section_of(succeeds({"info"}, with_fake_driver("platforms_fail")));
  BOOST_TEST(section.starts_with("OpenCL devices: none that could be used\n  not used: "));
  BOOST_TEST(contains(section, "libfake_opencl.so: clIcdGetPlatformIDsKHR failed: CL_OUT_OF_HOST_MEMORY (-6)"));
}

BOOST_AUTO_TEST_CASE(info_says_in_a_line_that_there_is_no_driver) {
  const TemporaryFolder empty;
  BOOST_TEST(section_of(succeeds({"info"}, without_drivers(empty))) ==
             "OpenCL devices: none: no driver is installed\n");
  const auto json = Json::parse(succeeds({"info", "--json"}, without_drivers(empty)));
  BOOST_TEST(json["opencl_devices"].empty());
  BOOST_TEST(json["opencl_skipped"].empty());
}

BOOST_AUTO_TEST_CASE(blas_kernels_for_older_processors_are_told) {
#ifdef __x86_64__
  if (openblas_get_corename == nullptr || !__builtin_cpu_supports("avx2")) {
    return tests::skip("no OpenBLAS on a processor with AVX2");
  }
  const auto errors_with = [](const std::string& kernels, const Words& command) {
    Words words{"env", "OPENBLAS_CORETYPE=" + kernels, tests::program_path()};
    words.insert(words.end(), command.begin(), command.end());
    return tests::run_child(words, "", std::chrono::seconds(240)).value_or_throw().errors;
  };
  for (const Words& command : {Words{"info"}, Words{"run", "cholesky", "--n", "256"}}) {
    const std::string errors = errors_with("Prescott", command);
    BOOST_TEST(errors.starts_with(tests::kBlasWarning + "Prescott on a processor that has AVX"));
    BOOST_TEST(contains(errors, "set OPENBLAS_CORETYPE="));
    BOOST_TEST(errors_with("Haswell", command) == "");
  }
#else
  tests::skip("no x86-64");
#endif
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
