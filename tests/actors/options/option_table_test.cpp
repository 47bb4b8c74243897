#include "actors/options/option_table.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "actors/memory/eviction/eviction_policies.hpp"
#include "tests/support/environment_variable.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe {

BOOST_AUTO_TEST_SUITE(option_table)

namespace {

std::string refusal(const std::function<void(RuntimeOptions&)>& set) {
  RuntimeOptions options;
  set(options);
  const Result<void> checked = check_options(options);
  BOOST_REQUIRE(!checked.ok());
  BOOST_TEST((checked.failure().code == ErrorCode::invalid_argument));
  return checked.failure().message;
}

BOOST_AUTO_TEST_CASE(every_option_has_a_name_of_its_own_a_text_and_values) {
  std::set<std::string_view> fields;
  std::set<std::string_view> words;
  for (const RuntimeOption& option : runtime_options()) {
    BOOST_TEST_CONTEXT(option.field) {
      BOOST_TEST(fields.insert(option.field).second);
      BOOST_TEST(words.insert(option.word).second);
      BOOST_TEST(option_of(option.word) == &option);
      BOOST_TEST(option.meaning.size() > 10U);
      BOOST_TEST((option.kind == OptionKind::whole || option.kind == OptionKind::number) == option.examples.empty());
      BOOST_TEST(option.least <= option.most);
      BOOST_TEST(check_options({}).ok());
    }
  }
  BOOST_TEST((option_of("issue-ahead") == option_of("issue_ahead")));
  BOOST_TEST((option_of("issue") == nullptr));
}

BOOST_AUTO_TEST_CASE(texts_of_values_read_back) {
  for (const RuntimeOption& option : runtime_options()) {
    std::vector<std::string> texts = option.example_list();
    if (option.kind == OptionKind::whole) texts = {std::to_string(option.least), std::to_string(option.most)};
    texts.push_back(option.default_text());
    for (const std::string& text : texts) {
      RuntimeOptions options;
      const Result<void> set = option.read(option, options, text);
      BOOST_TEST(set.ok(), option.field << " = " << text);
      RuntimeOptions again;
      BOOST_TEST(option.read(option, again, option.text(options)).ok());
      BOOST_TEST(option.text(again) == option.text(options));
      BOOST_TEST(check_options(options).ok(), option.field << " = " << text);
    }
  }
}

BOOST_AUTO_TEST_CASE(values_of_programs_are_refused_as_elsewhere) {
  using namespace std::chrono_literals;
  using O = RuntimeOptions;
  BOOST_TEST(refusal([](O& o) { o.accelerators.ahead.gpu = 2000; }) ==
             "RuntimeOptions::accelerators.ahead.gpu: '2000' is too large: give a whole number from 0 to 1024");
  BOOST_TEST(refusal([](O& o) { o.cores = -1; }) ==
             "RuntimeOptions::cores: '-1' is negative: give a whole number from 0 to 1048576");
  BOOST_TEST(refusal([](O& o) { o.window = 0; }) ==
             "RuntimeOptions::window: '0' is too small: give a whole number from 1 to 18446744073709551615");
  BOOST_TEST(refusal([](O& o) {
               o.threads.spin = -250ms;
             }).starts_with("RuntimeOptions::threads.spin: '-250ms' is negative: give "));
  BOOST_TEST(refusal([](O& o) {
               o.accelerators.gpu_memory = Bytes{0};
             }).starts_with("RuntimeOptions::accelerators.gpu_memory: '0B' is no "));
  BOOST_TEST(refusal([](O& o) { o.accelerators.eviction = "lur"; }).ends_with("did you mean lru?"));
  BOOST_TEST(refusal([](O& o) { o.policy = "hfet"; }).starts_with("RuntimeOptions::policy: "));
  BOOST_TEST(refusal([](O& o) {
               o.accelerators.opencl = "some";
             }).starts_with("RuntimeOptions::accelerators.opencl: OpenCL devices 'some': "));
  BOOST_TEST(refusal([](O& o) {
               o.accelerators.emulated_gpus.resize(65);
             }).starts_with("RuntimeOptions::accelerators.emulated_gpus: "));
  SimulationOptions simulation;
  simulation.accelerators.ahead.issue = 2000;
  BOOST_TEST(refusal([&](O& o) { o.simulation = std::make_shared<const SimulationOptions>(simulation); }) ==
             "SimulationOptions::accelerators.ahead.issue: '2000' is too large: give a whole number from 0 to 1024");
}

BOOST_AUTO_TEST_CASE(the_default_folder_of_kernel_times_must_be_there) {
  const tests::EnvironmentVariable cache("XDG_CACHE_HOME", std::nullopt);
  const tests::EnvironmentVariable home("HOME", std::nullopt);
  BOOST_TEST(
      refusal([](RuntimeOptions& o) { o.placement.models = "default"; }) ==
      "RuntimeOptions::placement.models: 'default' is no folder here, since neither XDG_CACHE_HOME nor HOME is set: "
      "name a folder, or none");
}

BOOST_AUTO_TEST_CASE(the_words_for_eviction_are_its_policies) {
  const auto names = memory::eviction_policy_names();
  const std::vector<std::string> words = option_of("eviction")->example_list();
  BOOST_TEST(std::set<std::string>(words.begin(), words.end()) == std::set<std::string>(names.begin(), names.end()),
             boost::test_tools::per_element());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
