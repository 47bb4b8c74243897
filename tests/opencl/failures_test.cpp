// Tests failures of drivers, devices and programs. The program must get an error code of the standard, and the user one
// line in the log.
#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build

#include <sstream>
#include <string>
#include <vector>

#include "tests/opencl/opencl_fixture.hpp"
#include "tests/support/environment_variable.hpp"
#include "tests/support/programs/child_program.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(failures)

namespace {

using Words = std::vector<std::string>;

bool can_fail() {
  const bool can = has_pocl() && std::filesystem::exists(TROUPE_OPENCL_LAUNCHING_PROGRAM);
  if (!can) skip("pocl or OpenCL's loader is not installed");
  return can;
}

/// Runs a program on Troupe with two devices of pocl. The second device fails in the way that `fault` says.
struct Failed {
  explicit Failed(const std::string& fault, Words words = {}, const std::string& copies = "") {
    const TemporaryFolder folder;
    (void)folder.write("1_troupe.icd", TROUPE_OPENCL_LIBRARY);
    (void)folder.write("2_failing.icd", TROUPE_FAKE_OPENCL_FOLDER "/libfake_opencl_failing.so");
    const EnvironmentVariable vendors("OCL_ICD_VENDORS", folder.path());
    run(fault, std::move(words), copies);
  }
  Failed(const std::string& fault, const TemporaryFolder& vendors) {
    const EnvironmentVariable variable("OCL_ICD_VENDORS", vendors.path());
    run(fault, {}, "");
  }

  void run(const std::string& fault, Words words, const std::string& copies) {
    const EnvironmentVariable devices("POCL_DEVICES", "basic basic");
    const EnvironmentVariable how("FAILING_OPENCL", fault);
    const EnvironmentVariable copied("TROUPE_OPENCL_COPIES", copies);
    words.insert(words.begin(), TROUPE_OPENCL_LAUNCHING_PROGRAM);
    result = run_with_input(words, "");
    std::istringstream lines(result.output);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("troupe: ")) logged.push_back(line);
    }
  }

  [[nodiscard]] bool has(const std::string& part) const { return result.output.find(part) != std::string::npos; }
  /// Checks that the log has exactly one line, which contains all these parts.
  void check_line(const Words& parts) const {
    BOOST_TEST_REQUIRE(logged.size() == 1U, result.output);
    BOOST_TEST(logged[0].starts_with("troupe: OpenCL: "), result.output);
    for (const std::string& part : parts)
      BOOST_TEST(logged[0].find(part) != std::string::npos, part + "\n" + logged[0]);
  }
  /// Returns the number after the name in the output. Before the name there must be a blank or the beginning of a line.
  [[nodiscard]] int number(const std::string& name) const {
    const std::string all = "\n" + result.output;
    const auto at = all.find(name + " ");
    BOOST_TEST_REQUIRE(at != std::string::npos, result.output);
    return std::stoi(all.substr(at + name.size() + 1));
  }

  ChildResult result;
  Words logged;
};

}  // namespace

BOOST_AUTO_TEST_CASE(nothing_is_written_where_nothing_fails) {
  if (!can_fail()) return;
  const Failed fine("nothing");
  BOOST_TEST(fine.logged.empty(), fine.result.output);
  BOOST_TEST(fine.has("failed 0 last 0\nread 8 right 8\ndone\n"), fine.result.output);
}

BOOST_AUTO_TEST_CASE(objects_that_end_behind_main_are_given_back_and_run_nothing) {
  if (!can_fail()) return;
  const Failed fine("nothing", {"end=static"});
  BOOST_TEST(fine.result.status == 0, fine.result.output);
  BOOST_TEST(fine.logged.empty(), fine.result.output);
  BOOST_TEST(fine.has("done\nclEnqueueNDRangeKernel -5\nlaunches refused at the end 8\nreleased\n"),
             fine.result.output);
}

BOOST_AUTO_TEST_CASE(a_policy_that_is_not_known) {
  if (!can_fail()) return;
  const Failed failed("nothing", {"policy=nonsense"});
  BOOST_TEST(failed.result.status == 2, failed.result.output);
  BOOST_TEST(failed.has("clCreateContext -64\n"), failed.result.output);
  failed.check_line({"policy \"nonsense\"", "known are"});
}

BOOST_AUTO_TEST_CASE(a_driver_that_cannot_be_loaded_and_others_are_used) {
  if (!can_fail()) return;
  const TemporaryFolder folder;
  (void)folder.write("1_troupe.icd", TROUPE_OPENCL_LIBRARY);
  std::filesystem::copy_file(kPoclFile, folder.path("2_pocl.icd"));
  (void)folder.write("3_missing.icd", "/nowhere/libmissing.so");
  const Failed failed("nothing", folder);
  failed.check_line({"not used: /nowhere/libmissing.so", "could not be loaded", "3_missing.icd"});
  BOOST_TEST(failed.has("read 8 right 8\ndone\n"), failed.result.output);
}

BOOST_AUTO_TEST_CASE(no_other_platform) {
  if (!can_fail()) return;
  const TemporaryFolder folder;
  (void)folder.write("1_troupe.icd", TROUPE_OPENCL_LIBRARY);
  (void)folder.write("2_missing.icd", "/nowhere/libmissing.so");
  const Failed failed("nothing", folder);
  BOOST_TEST(failed.result.status == 1, failed.result.output);
  BOOST_TEST(failed.has("clGetPlatformIDs -1001\n"), failed.result.output);
  failed.check_line({"there is no platform", "/nowhere/libmissing.so", "could not be loaded"});
}

BOOST_AUTO_TEST_CASE(a_program_that_builds_on_one_device_only_runs_there) {
  if (!can_fail()) return;
  const Failed everywhere("nothing", {"once=yes"});
  BOOST_TEST(everywhere.has("clBuildProgram -11\n"), everywhere.result.output);
  everywhere.check_line(
      {"for OpenCL device 0", "not for OpenCL device 1", "CL_BUILD_PROGRAM_FAILURE", "not for the second"});
  BOOST_TEST(everywhere.has("failed 0 last 0\nread 8 right 8\ndone\n"), everywhere.result.output);
  const Failed there("nothing", {"once=yes", "device=2"});
  BOOST_TEST(there.has("clEnqueueNDRangeKernel -45\n"), there.result.output);
  BOOST_TEST(there.number("\nfailed") == 80);
}

BOOST_AUTO_TEST_CASE(a_kernel_that_needs_more_local_memory_than_one_device_has_runs_on_the_other) {
  if (!can_fail()) return;
  const Words line{"kernel scramble needs 60000 bytes of local memory", "OpenCL device 1", "32768"};
  const Failed everywhere("local 32768", {"local=60000"});
  everywhere.check_line(line);
  BOOST_TEST(everywhere.has("failed 0 last 0\nread 8 right 8\ndone\n"), everywhere.result.output);
  const Failed there("local 32768", {"local=60000", "device=2"});
  BOOST_TEST(there.has("clEnqueueNDRangeKernel -5\n"), there.result.output);
  there.check_line(line);
}

BOOST_AUTO_TEST_CASE(a_vendor_without_a_context_or_queue) {
  if (!can_fail()) return;
  const Failed context("clCreateContext -6 0");
  BOOST_TEST(context.has("clBuildProgram -5\n"), context.result.output);
  context.check_line({"OpenCL device 1", "making a context failed", "CL_OUT_OF_HOST_MEMORY (-6)"});
  const Failed queue("clCreateCommandQueue -6 0");
  BOOST_TEST(queue.has("clEnqueueNDRangeKernel -5\n"), queue.result.output);
  queue.check_line({"the runtime cannot be started", "OpenCL device 1", "CL_OUT_OF_HOST_MEMORY (-6)"});
  BOOST_TEST(queue.has("done\n"), queue.result.output);
}

BOOST_AUTO_TEST_CASE(a_vendor_that_fails_in_the_middle_ends_events_with_its_code) {
  if (!can_fail()) return;
  const Failed launch("clEnqueueNDRangeKernel -5 10", {"device=2"});
  launch.check_line({"launching kernel scramble on OpenCL device 1", "CL_OUT_OF_RESOURCES (-5)"});
  BOOST_TEST(launch.number("\nfailed") == 70);
  BOOST_TEST(launch.number("\nread") == 8);
  // Troupe first tries whether the device can work in place. The function fails only after 20 calls, so it does not
  // fail in this trial.
  const Failed map("clEnqueueMapBuffer -12 20", {"device=2"});
  map.check_line({"a command has failed", "OpenCL device 1", "CL_MAP_FAILURE (-12)"});
  BOOST_TEST(map.number("\nfailed") > 0);
  const Failed copy("clEnqueueWriteBuffer -5 12", {"device=2"}, "1");
  copy.check_line({"a command has failed", "could not be copied to OpenCL device 1"});
  BOOST_TEST(copy.number("\nfailed") > 0);
}

BOOST_AUTO_TEST_CASE(a_device_that_has_stopped_working_gets_nothing_any_more) {
  if (!can_fail()) return;
  for (const std::string copies : {"", "1"}) {
    for (const std::string policy : {"homeward", "eager", "lws"}) {
      const Failed all("lost -5 2", {"policy=" + policy}, copies);
      BOOST_TEST_CONTEXT(policy << (copies.empty() ? " in place" : " on copies") << "\n" << all.result.output) {
        all.check_line({"OpenCL device 1", "CL_OUT_OF_RESOURCES (-5)"});
        BOOST_TEST(all.number("\nfailed") >= 1);
        // With copies, all of the newest contents may have been on the lost device.
        BOOST_TEST((!copies.empty() || all.number(" last") < 8));
        BOOST_TEST((!copies.empty() || all.number(" right") > 0));
        BOOST_TEST(all.has("done\n"));
      }
      const Failed alone("lost -5 2", {"device=2", "policy=" + policy}, copies);
      BOOST_TEST_CONTEXT(policy << (copies.empty() ? " in place" : " on copies") << "\n" << alone.result.output) {
        alone.check_line({"OpenCL device 1", "CL_OUT_OF_RESOURCES (-5)"});
        BOOST_TEST(alone.number(" last") == 8);
        BOOST_TEST(alone.has("done\n"));
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
