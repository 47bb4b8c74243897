// Runs the programs of docs/examples/opencl, on a driver directly and through Troupe. Each program checks its own
// results.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build

#include "tests/opencl/opencl_fixture.hpp"
#include "tests/support/environment_variable.hpp"
#include "tests/support/programs/child_program.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(examples)

namespace {

using Words = std::vector<std::string>;

/// The programs with small sizes, which are no multiples of a work-group's size.
const std::vector<Words> kSmall{
    {"black_scholes", "--block", "1009", "--blocks", "6", "--iterations", "3"},
    {"nbody", "--bodies", "211", "--steps", "5"},
    {"mandelbrot", "--width", "157", "--height", "83", "--steps", "90"},
    {"tone_mapping", "--width", "101", "--height", "67", "--frames", "3"},
};

ChildResult run_example(Words words, const Words& more) {
  words.front().insert(0, TROUPE_OPENCL_EXAMPLES "/");
  words.insert(words.end(), more.begin(), more.end());
  return run_with_input(words, "");
}

bool can_run_examples() {
  if (!has_pocl()) skip("pocl is not installed");
  if (!has_pocl()) return false;
  const bool built = std::filesystem::exists(TROUPE_OPENCL_EXAMPLES "/black_scholes");
  if (!built) skip("OpenCL's loader is not installed");
  return built;
}

/// Registers pocl and Troupe, as the OpenCL loader expects.
struct ExampleVendors {
  ExampleVendors() : variable("OCL_ICD_VENDORS", folder.path()) {
    if (has_pocl()) std::filesystem::copy_file(kPoclFile, folder.path("1_pocl.icd"));
    (void)folder.write("2_troupe.icd", TROUPE_OPENCL_LIBRARY);
  }

  TemporaryFolder folder;
  EnvironmentVariable variable;
  EnvironmentVariable devices{"POCL_DEVICES", "basic basic"};
  // In programs that have loaded drivers, the leak check may crash at the end. Other tests check for leaks in this
  // process.
  EnvironmentVariable leaks{"LSAN_OPTIONS", "detect_leaks=0"};
};

void is_correct(const Words& example, const Words& more, const std::string& device) {
  const ChildResult result = run_example(example, more);
  BOOST_TEST_CONTEXT(example.front() << ": " << result.output) {
    BOOST_TEST(result.status == 0);
    BOOST_TEST(result.output.ends_with("\ncorrect\n"));
    BOOST_TEST(result.output.find("\ntime: ") != std::string::npos);
    BOOST_TEST(result.output.substr(0, result.output.find('\n')).find(device) != std::string::npos);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(are_correct_on_a_driver_and_on_troupe) {
  if (!can_run_examples()) return;
  const ExampleVendors vendors;
  for (const Words& example : kSmall) {
    is_correct(example, {"--platform", "Portable"}, "of Portable Computing Language, in order");
    is_correct(example, {"--platform", "Troupe"}, "Troupe (all devices) of Troupe, in order");
    is_correct(example, {"--platform", "Troupe", "--device", "first", "--in-order"}, "basic");
    is_correct(example, {"--platform", "Troupe", "--device", "unified", "--out-of-order", "--repeat", "3"},
               "Troupe (all devices) of Troupe, out of order");
    is_correct(example, {"--platform", "Troupe", "--device", "2", "--warm-up", "0"}, "basic");
  }
  is_correct(kSmall.front(), {"--platform", "Troupe", "--policy", "heft"}, "of Troupe");
}

BOOST_AUTO_TEST_CASE(refuse_what_they_do_not_understand) {
  if (!can_run_examples()) return;
  const ExampleVendors vendors;
  const auto refuses = [](const Words& more, const std::string& part) {
    for (const Words& example : kSmall) {
      const ChildResult result = run_example(example, more);
      BOOST_TEST_CONTEXT(example.front() << " " << more.front() << ": " << result.output) {
        BOOST_TEST(result.status == 2);
        BOOST_TEST(result.output.starts_with(example.front() + ": "));
        BOOST_TEST(std::ranges::count(result.output, '\n') == 1);
        BOOST_TEST(result.output.find(part) != std::string::npos);
      }
    }
  };
  refuses({"--colour"}, "'--colour' is not known");
  refuses({"--platform", "Nobody"}, "none has 'Nobody' in its name; there are: ");
  refuses({"--platform"}, "--platform needs a value");
  refuses({"--platform", "Portable", "--device", "7"}, "there is no device 7");
  refuses({"--platform", "Portable", "--device", "unified"}, "no device that stands for all");
  refuses({"--device", "gpu"}, "'unified' or 'first'");
  refuses({"--repeat", "0"}, "from 1 to 1000");
  refuses({"--repeat", "-1"}, "from 1 to 1000");
  refuses({"--in-order", "--out-of-order"}, "exclude each other");
  refuses({"--platform", "Portable", "--policy", "heft"}, "does not know the policy 'heft'");
  const ChildResult result = run_example({"nbody", "--bodies", "1"}, {});
  BOOST_TEST(result.status == 2, result.output);
  // Troupe prints the known policies in the line before.
  const ChildResult policy = run_example(kSmall.front(), {"--platform", "Troupe", "--policy", "nonsense"});
  BOOST_TEST(policy.status == 2, policy.output);
  BOOST_TEST(policy.output.find("\nblack_scholes: the platform 'Troupe' does not know") != std::string::npos,
             policy.output);
}

BOOST_AUTO_TEST_CASE(say_where_there_is_no_driver) {
  if (!can_run_examples()) return;
  const TemporaryFolder empty;
  const EnvironmentVariable variable("OCL_ICD_VENDORS", empty.path());
  for (const Words& example : kSmall) {
    const ChildResult result = run_example(example, {});
    BOOST_TEST(result.status == 2, result.output);
    BOOST_TEST(result.output.find("OpenCL has no platform") != std::string::npos, result.output);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
