// Tests the command `troupe experiment opencl`.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build
#include <filesystem>
#include <string>

#include "lab/experiments/opencl/opencl_claims.hpp"
#include "proto/json/json.hpp"
#include "tests/apps/output_schema.hpp"
#include "tests/apps/troupe_program.hpp"
#include "tests/support/environment_variable.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(command_opencl_experiment)

namespace {

using tests::contains;
using tests::fails;
using tests::no_gnuplot;
using tests::succeeds;
using tests::Words;

constexpr const char* kPoclDriver = "/etc/OpenCL/vendors/pocl.icd";
/// In programs that have loaded drivers, the leak check may crash at the end, so it is off.
constexpr const char* kNoLeakCheck = "detect_leaks=0";

}  // namespace

BOOST_AUTO_TEST_CASE(leaves_figures_points_and_verdicts_of_virtual_time) {
  if (no_gnuplot()) return;
  const tests::TemporaryFolder folder;
  const std::string text =
      succeeds({"experiment", "opencl", "--quick", "--rows", "virtual", "--jobs", "1", "--out", folder.path("x")});
  for (const char* part : {"GPUs in turns", "nearly double", "aims for homeward", "x/report.md"}) {
    BOOST_TEST(contains(text, part), part);
  }
  BOOST_TEST(!contains(text, "this machine"));
  const auto json = Json::parse(folder.read("x/report.json"));
  tests::conforms(json, "experiment-opencl");
  BOOST_TEST(json["claims"].size() == opencl_virtual_claims().size());
  BOOST_TEST_REQUIRE(json["variants"].size() == 1U);
  // Three problems of Black-Scholes have 9 series each. One problem with reuse has 9 series, and one problem with
  // frames has 22 series.
  BOOST_TEST(json["variants"][0]["points"].size() == 4U * 9U + 22U);
  const std::string csv = folder.read("x/opencl.csv");
  BOOST_TEST(std::count(csv.begin(), csv.end(), '\n') == 1 + 4 * 9 + 22);
  const std::string markdown = folder.read("x/report.md");
  for (const char* figure : {"figure3", "figure3d", "figure5"}) {
    const std::string picture = folder.read(std::string("x/") + figure + ".svg");
    for (const char* part : {"</svg>", "10^6 a second", "GB moved", "GPUs in turns"}) {
      BOOST_TEST(contains(picture, part), figure << ": " << part);
    }
    BOOST_TEST(contains(markdown, std::string("](") + figure + ".svg)"), figure);
  }
  BOOST_TEST(contains(markdown, "described, not measured"));
  BOOST_TEST(contains(folder.read("x/claims.csv"), "three-gpus"));
}

BOOST_AUTO_TEST_CASE(says_that_nothing_was_measured_without_devices) {
  const tests::TemporaryFolder folder;
  const tests::EnvironmentVariable none("OCL_ICD_VENDORS", folder.path());
  const std::string text = succeeds({"experiment", "opencl", "--rows", "measured", "--out", folder.path("x")});
  BOOST_TEST(contains(text, "not measured: "));
  BOOST_TEST(!contains(text, "holds"));
  const auto json = Json::parse(folder.read("x/report.json"));
  tests::conforms(json, "experiment-opencl");
  BOOST_TEST_REQUIRE(json["claims"].size() == opencl_measured_claims().size());
  for (const auto& claim : json["claims"]) BOOST_TEST(claim["verdicts"][0]["verdict"] == "not tested");
  BOOST_TEST(json["on_this_machine"]["points"].empty());
}

BOOST_AUTO_TEST_CASE(measures_the_examples_on_two_devices_of_pocl) {
  if (!std::filesystem::exists(kPoclDriver)) return tests::skip("pocl is not installed");
  const tests::TemporaryFolder folder;
  const tests::EnvironmentVariable pocl("OCL_ICD_VENDORS", kPoclDriver);
  const tests::EnvironmentVariable leaks("LSAN_OPTIONS", kNoLeakCheck);
  const std::string text = succeeds({"experiment", "opencl", "--quick", "--rows", "measured", "--scale", "0.0005",
                                     "--json", "--out", folder.path("x")},
                                    {"env", "-u", "POCL_DEVICES"});
  const auto json = Json::parse(text);
  tests::conforms(json, "experiment-opencl");
  if (json["on_this_machine"].contains("not_measured")) return tests::skip("OpenCL's loader is not installed");
  BOOST_TEST(json["on_this_machine"]["device_names"].size() == 2U);
  BOOST_TEST(contains(json["on_this_machine"]["remarks"].dump(), "POCL_DEVICES"));
  // Blocks, frames and one range are measured in three ways each, and the reuse in five ways.
  BOOST_TEST(json["on_this_machine"]["points"].size() == 3U * 3U + 5U);
  int with_bytes = 0;
  for (const auto& point : json["on_this_machine"]["points"]) {
    BOOST_TEST(point["seconds"].get<double>() > 0);
    if (!point.contains("bytes")) continue;
    ++with_bytes;
    BOOST_TEST(point["bytes"].get<double>() >= point["compulsory_bytes"].get<double>());
  }
  BOOST_TEST(with_bytes == 4);
  for (const auto& claim : json["claims"]) {
    // The command did not ask for measurements with SOCL.
    BOOST_TEST((claim["verdicts"][0]["checks"].get<int>() > 0) == (claim["name"] != "measured-socl"));
  }
}

BOOST_AUTO_TEST_CASE(programs_that_fail_are_in_the_report_and_in_the_exit_code) {
  const tests::TemporaryFolder folder;
  // The devices of this fake driver cannot compute.
  const tests::EnvironmentVariable fake("OCL_ICD_VENDORS", TROUPE_FAKE_OPENCL_FOLDER "/libfake_opencl.so");
  const tests::ChildOutput ran = tests::run_program(
      {"experiment", "opencl", "--quick", "--rows", "measured", "--scale", "0.0001", "--out", folder.path("x")});
  const auto json = Json::parse(folder.read("x/report.json"));
  tests::conforms(json, "experiment-opencl");
  if (json["on_this_machine"].contains("not_measured")) return tests::skip("OpenCL's loader is not installed");
  BOOST_TEST(ran.exit_status == 1, ran.errors);
  BOOST_TEST(contains(ran.errors, "of the programs failed"), ran.errors);
  BOOST_TEST(!json["on_this_machine"]["failures"].empty());
  BOOST_TEST(json["on_this_machine"]["points"].empty());
  for (const auto& claim : json["claims"]) BOOST_TEST(claim["verdicts"][0]["verdict"] == "not tested");
  BOOST_TEST(contains(folder.read("x/report.md"), "Failed: 100 blocks of 100 options, direct: "));
}

BOOST_AUTO_TEST_CASE(refuses_what_it_cannot_run_before_it_makes_a_folder) {
  const tests::TemporaryFolder folder;
  const auto refuses = [&](Words more, const Words& parts) {
    more.insert(more.begin(), {"experiment", "opencl", "--out", folder.path("y")});
    fails(2, more, parts);
    BOOST_TEST(!std::filesystem::exists(folder.path("y")));
  };
  refuses({"--rows", "some"}, {"--rows", "virtual"});
  refuses({"--scale", "0"}, {"--scale"});
  refuses({"--scale", "11"}, {"--scale"});
  refuses({"--policy", "none"}, {"none"});
  refuses({"--blocks", "20"}, {"--blocks", "multigrain"});
  refuses({"--jobs", "2"}, {"--jobs", "one at a time"});
  fails(2, {"experiment", "dada", "--scale", "0.1"}, {"--scale", "opencl"});
  fails(2, {"experiment", "multigrain", "--socl"}, {"--socl", "opencl"});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
