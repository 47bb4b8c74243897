#include "client/environment/environment.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "actors/scheduler/policy.hpp"
#include "tests/client/fixture.hpp"
#include "tests/support/captured_errors.hpp"
#include "tests/support/environment_variable.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe {

BOOST_AUTO_TEST_SUITE(environment)

namespace {

using client::FromEnvironment;
using client::Settings;
using client::Variable;
using tests::contains;
using tests::EnvironmentVariable;
using tests::failure;
using tests::with_workers;

/// An environment variable that does not belong to an option. The tests in tests/options cover the variables of
/// options.
struct Example {
  const char* name;
  const char* good;
  /// A value that is invalid; null if every value is valid.
  const char* bad;
  bool (*arrived)(const Settings&);
};

const std::vector<Example>& examples() {
  using S = const Settings&;
  static const std::vector<Example> all{
      {"TROUPE_CORES", "3", "three", [](S s) { return s.options.cores == 3; }},
      {"TROUPE_REGROUP", "On", "sometimes", [](S s) { return s.options.threads.regroup; }},
      {"TROUPE_SPIN", "20us", "20", [](S s) { return s.options.threads.spin == std::chrono::microseconds(20); }},
      {"TROUPE_GPU_MEMORY", "8GiB", "8",
       [](S s) { return s.options.accelerators.gpu_memory == Bytes{std::uint64_t{8} << 30U}; }},
      {"TROUPE_EMULATED_GPUS", "2:memory=1MiB", "2:colour=red",
       [](S s) {
         return s.options.accelerators.emulated_gpus.size() == 2 &&
                s.options.accelerators.emulated_gpus[0].memory.count == 1U << 20U;
       }},
      {"TROUPE_TRACE", "t.json", nullptr, [](S s) { return s.options.trace && s.at_stop.trace == "t.json"; }},
      {"TROUPE_REPORT", "1", "2", [](S s) { return s.options.trace && s.at_stop.report; }},
      {"TROUPE_METRICS", "true", "?", [](S s) { return !s.options.trace && s.at_stop.metrics; }},
      {"TROUPE_WHY_AFTER", "250ms", "5",
       [](S s) {
         return s.options.observation.why_after == std::chrono::milliseconds(250) && s.options.observation.on_stall;
       }},
  };
  return all;
}

template <class... Parts>
bool contains_all(const std::string& text, Parts... parts) {
  BOOST_TEST_MESSAGE(text);
  return (contains(text, parts) && ...);
}

FromEnvironment taken(const RuntimeOptions& options = {}) { return client::with_environment(options).value_or_throw(); }

}  // namespace

BOOST_AUTO_TEST_CASE(every_variable_sets_its_option) {
  BOOST_TEST(taken().taken.empty());
  for (const Example& example : examples()) {
    const EnvironmentVariable variable(example.name, example.good);
    const FromEnvironment result = taken();
    BOOST_TEST(example.arrived(result.settings), example.name << "=" << example.good);
    BOOST_TEST(!example.arrived(Settings{}), example.name);
    BOOST_TEST(result.taken == std::vector{example.name + std::string("=") + example.good},
               boost::test_tools::per_element());
  }
}

BOOST_AUTO_TEST_CASE(a_value_that_cannot_be_used_is_named_with_its_variable_and_what_is_possible) {
  for (const Example& example : examples()) {
    if (example.bad == nullptr || *example.bad == 0) continue;
    const EnvironmentVariable variable(example.name, example.bad);
    const auto result = client::with_environment({});
    BOOST_REQUIRE_MESSAGE(!result, example.name << "=" << example.bad);
    BOOST_TEST_CONTEXT(result.failure().message) {
      BOOST_TEST((result.failure().code == ErrorCode::invalid_argument));
      BOOST_TEST(contains_all(result.failure().message, std::string(example.name) + ": ",
                              "'" + std::string(example.bad) + "'"));
      BOOST_TEST(result.failure().message.size() > 60U);
    }
  }
  const EnvironmentVariable variable("TROUPE_POLICY", "hfet");
  BOOST_CHECK_EXCEPTION(Runtime(), Error,
                        failure(ErrorCode::invalid_argument, "TROUPE_POLICY: ", "'hfet'", "homeward", "lws"));
}

BOOST_AUTO_TEST_CASE(what_the_program_sets_wins_over_the_environment) {
  const EnvironmentVariable cores("TROUPE_CORES", "2");
  const EnvironmentVariable policy("TROUPE_POLICY", "eager");
  const EnvironmentVariable bind("TROUPE_BIND", "1");
  // The option overrides the environment variable, so the invalid value is never read.
  const EnvironmentVariable window("TROUPE_WINDOW", "nonsense");
  RuntimeOptions options = with_workers(1);
  options.window = 10;
  {
    Runtime runtime(options);
    BOOST_TEST(runtime.workers() == 1U);
    BOOST_TEST(runtime.policy() == "eager");
  }
  BOOST_TEST(!taken(options).settings.options.threads.bind);
  options.policy = "heft";
  BOOST_TEST(Runtime(options).policy() == "heft");
  options.policy = "default";
  options.placement.make_policy = [] { return std::unique_ptr<scheduler::PlacingPolicy>(); };
  BOOST_TEST(taken(options).settings.options.policy == "default");
}

BOOST_AUTO_TEST_CASE(runs_that_repeat_themselves_only_let_themselves_be_watched) {
  const EnvironmentVariable seed("TROUPE_SEED", "7");
  const EnvironmentVariable policy("TROUPE_POLICY", "heft");
  const EnvironmentVariable why("TROUPE_WHY_AFTER", "1s");
  const EnvironmentVariable report("TROUPE_REPORT", "1");
  RuntimeOptions simulated;
  simulated.simulation = std::make_shared<SimulationOptions>();
  RuntimeOptions shared;
  shared.threads.shared = true;
  for (const RuntimeOptions& options : {tests::deterministic(2), simulated, shared}) {
    const FromEnvironment result = taken(options);
    BOOST_TEST(result.taken == std::vector<std::string>{"TROUPE_REPORT=1"}, boost::test_tools::per_element());
    BOOST_TEST(result.settings.options.seed == 1U);
    BOOST_TEST(result.settings.options.policy == "default");
    BOOST_TEST(result.settings.options.trace);
  }
}

BOOST_AUTO_TEST_CASE(a_runtime_that_cannot_start_says_what_the_environment_has) {
  const EnvironmentVariable cores("TROUPE_CORES", "1000000");
  BOOST_CHECK_EXCEPTION(Runtime(), Error, failure(ErrorCode::platform, "1000000", "TROUPE_CORES=1000000"));
  RuntimeOptions own;
  own.cores = 999999;
  BOOST_CHECK_EXCEPTION(Runtime{own}, Error, [](const Error& error) { return !contains(error.what(), "TROUPE_"); });
}

BOOST_AUTO_TEST_CASE(an_empty_variable_counts_as_not_set) {
  const EnvironmentVariable cores("TROUPE_CORES", "");
  BOOST_TEST(taken().taken.empty());
  BOOST_TEST(client::set_variables().empty());
}

BOOST_AUTO_TEST_CASE(variables_that_nothing_reads_are_remarked_on_and_slips_are_told_once) {
  const EnvironmentVariable slip("TROUPE_POLCY", "heft");
  const EnvironmentVariable foreign("TROUPE_WAREHOUSE", "Covent Garden");
  const EnvironmentVariable known("TROUPE_CUDA_LIBRARIES", "/opt");
  const EnvironmentVariable bad("TROUPE_CORES", "two");
  std::vector<std::string> said;
  for (const client::SetVariable& one : client::set_variables()) said.push_back(one.name + ": " + one.remark);
  const std::vector<std::string> expected{
      "TROUPE_CORES: 'two' is no whole number: give a whole number from 0 to 1048576",
      "TROUPE_CUDA_LIBRARIES: ", "TROUPE_POLCY: nothing reads it: did you mean TROUPE_POLICY?",
      "TROUPE_WAREHOUSE: nothing reads it"};
  BOOST_TEST(said == expected, boost::test_tools::per_element());
  BOOST_TEST(client::likely_mistakes().size() == 1U);

  const EnvironmentVariable good("TROUPE_CORES", "1");
  std::vector<std::string> warnings;
  RuntimeOptions options;
  options.observation.on_warning = [&](const std::string& what) { warnings.push_back(what); };
  const tests::CapturedErrors errors;
  for (int i = 0; i < 2; ++i) Runtime runtime(options);
  BOOST_TEST_REQUIRE(warnings.size() == 1U);
  BOOST_TEST(contains_all(warnings[0], "TROUPE_POLCY", "TROUPE_POLICY"));
  BOOST_TEST(errors.text().empty());
}

BOOST_AUTO_TEST_CASE(a_stall_is_explained_on_standard_error) {
  const EnvironmentVariable why("TROUPE_WHY_AFTER", "5ms");
  const tests::CapturedErrors errors;
  double x = 1;
  const Codelet nap = Codelet("nap", {AccessMode::read_write}).cpu([&errors](double&) {
    for (int i = 0; i < 2000 && !contains(errors.text(), "nap"); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  });
  Runtime runtime(with_workers(1));
  const Data data = runtime.scalar(x);
  runtime.submit(nap, {data});
  runtime.wait();
  BOOST_TEST(contains_all(errors.text(), "troupe: stalled", "nap"));
}

BOOST_AUTO_TEST_CASE(a_writer_that_is_not_there_is_said) {
  // This program is not linked with the library for traces, so the trace cannot be written.
  const EnvironmentVariable trace("TROUPE_TRACE", "t.json");
  const tests::CapturedErrors errors;
  { Runtime runtime(with_workers(1)); }
  BOOST_TEST(contains_all(errors.text(), "TROUPE_TRACE", "not written", "library for traces"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
