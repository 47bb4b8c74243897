#include "actors/running/option_values.hpp"

#include <boost/test/unit_test.hpp>
#include <functional>

#include "tests/support/environment_variable.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe {

BOOST_AUTO_TEST_SUITE(option_values)

namespace {

BOOST_AUTO_TEST_CASE(numbers_of_tasks_ahead_have_one_range_each) {
  const auto fits = [](const std::function<void(RuntimeOptions&)>& set) {
    RuntimeOptions options;
    set(options);
    return check_ranges(options).ok();
  };
  for (std::size_t RuntimeOptions::*number :
       {&RuntimeOptions::gpu_lookahead, &RuntimeOptions::core_lookahead, &RuntimeOptions::issue_ahead}) {
    BOOST_TEST(fits([&](RuntimeOptions& options) { options.*number = 0; }));
    BOOST_TEST(fits([&](RuntimeOptions& options) { options.*number = 1024; }));
    BOOST_TEST(!fits([&](RuntimeOptions& options) { options.*number = 1025; }));
  }
  RuntimeOptions virtually;
  SimulationOptions simulation;
  simulation.issue_ahead = 2000;
  virtually.simulation = std::make_shared<const SimulationOptions>(simulation);
  const auto refused = check_ranges(virtually);
  BOOST_TEST_REQUIRE(!refused.ok());
  BOOST_TEST(refused.failure().message == "issue_ahead is 2000: 0 to 1024 can be used");
}

BOOST_AUTO_TEST_CASE(times_are_not_negative) {
  using namespace std::chrono_literals;
  for (Duration RuntimeOptions::*time : {&RuntimeOptions::spin, &RuntimeOptions::why_after}) {
    RuntimeOptions options;
    options.*time = 0s;
    BOOST_TEST(check_ranges(options).ok());
    options.*time = -1ns;
    BOOST_TEST(!check_ranges(options).ok());
  }
  RuntimeOptions options;
  options.spin = -250ms;
  const auto refused = check_ranges(options);
  BOOST_TEST_REQUIRE(!refused.ok());
  BOOST_TEST(refused.failure().message == "spin is -0.25 s: it must not be negative");
}

BOOST_AUTO_TEST_CASE(words_for_the_folder_of_kernel_times) {
  const tests::EnvironmentVariable cache("XDG_CACHE_HOME", "/somewhere");
  BOOST_TEST(model_folder_of("default") == "/somewhere/troupe");
  BOOST_TEST(model_folder_of("none") == "");
  BOOST_TEST(model_folder_of("") == "");
  BOOST_TEST(model_folder_of("./default") == "./default");
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
