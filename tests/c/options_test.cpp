// Tests that the runtime receives each option of a C program.
#include "c/options.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "actors/options/option_values.hpp"
#include "troupe/runtime.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(c_options)

namespace {

using c::to_runtime_options;

std::vector<std::string> told;

void tell(const char* what, void* user) { told.push_back(std::string(what) + " " + *static_cast<std::string*>(user)); }

/// The options given as text, each with a value that differs from its default.
const char* const kMore[] = {"clusters=1x2",
                             "regroup=true",
                             "restrict=potrf:cores",
                             "models=/folder/of/models",
                             "window=100",
                             "seed=9",
                             "trace_limit=1234",
                             "bind=false",
                             "hyperthreads=true",
                             "oversubscribe=true",
                             "cpus=0-3,8",
                             "gpu_memory=1000000B",
                             "emulated_gpus=2:memory=1MiB",
                             "opencl=cpu",
                             "opencl_memory=2000000B",
                             "eviction=lru",
                             "lookahead=2",
                             "issue-ahead=0",
                             "spin=20us",
                             "opencl_copies=true",
                             nullptr};

/// Returns every option except those for virtual time. When a new field is added to the struct, the initializer below
/// no longer compiles (-Wmissing-field-initializers). Then set the new field here and check it in the test below.
const troupe_options& every_option() {
  static std::string user = "to me";
  static const troupe_options options{
      sizeof(troupe_options), /*cores=*/3,       /*gpus=*/2,          /*policy=*/"heft", /*trace=*/1,
      /*why_after=*/0.25,     /*on_stall=*/tell, /*on_warning=*/tell, /*user=*/&user,    /*platform=*/nullptr,
      /*execute=*/0,          /*more=*/kMore,
  };
  return options;
}

bool says(const std::string& part) { return std::string(troupe_error_message()).find(part) != std::string::npos; }

}  // namespace

BOOST_AUTO_TEST_CASE(each_field_of_the_options_reaches_the_runtime) {
  const RuntimeOptions options = to_runtime_options(every_option());
  BOOST_TEST(options.cores == 3);
  BOOST_TEST(options.policy == "heft");
  BOOST_TEST(options.clusters == "1x2");
  BOOST_TEST(options.threads.regroup);
  BOOST_TEST(options.placement.restrict == "potrf:cores");
  BOOST_TEST(options.placement.models == "/folder/of/models");
  BOOST_TEST(options.window == 100U);
  BOOST_TEST(options.seed == 9U);
  BOOST_TEST(options.trace);
  BOOST_TEST(options.observation.trace_limit == 1234U);
  BOOST_TEST(!options.threads.bind);
  BOOST_TEST(options.threads.hyperthreads);
  BOOST_TEST(options.threads.oversubscribe);
  BOOST_TEST(options.threads.cpus == "0-3,8");
  BOOST_TEST(options.gpus == 2);
  BOOST_TEST(options.accelerators.gpu_memory.value().count == 1'000'000U);
  BOOST_TEST_REQUIRE(options.accelerators.emulated_gpus.size() == 2U);
  BOOST_TEST(options.accelerators.emulated_gpus[1].memory.count == std::uint64_t{1} << 20U);
  BOOST_TEST(options.accelerators.opencl == "cpu");
  BOOST_TEST(options.accelerators.opencl_memory.value().count == 2'000'000U);
  BOOST_TEST(options.accelerators.eviction == "lru");
  BOOST_TEST(options.accelerators.ahead.gpu == 2U);
  BOOST_TEST(options.accelerators.ahead.issue == 0U);
  BOOST_TEST((options.threads.spin == std::chrono::microseconds(20)));
  BOOST_TEST(options.accelerators.opencl_copies);
  BOOST_TEST((options.observation.why_after == std::chrono::milliseconds(250)));
  BOOST_TEST((options.simulation == nullptr));
  told.clear();
  options.observation.on_warning("careful");
  options.observation.on_stall(WhyReport{});
  BOOST_TEST_REQUIRE(told.size() == 2U);
  BOOST_TEST(told[0] == "careful to me");
  BOOST_TEST(told[1] == WhyReport{}.to_text() + " to me");
}

BOOST_AUTO_TEST_CASE(options_that_are_zero_are_those_of_the_runtime) {
  const RuntimeOptions options = to_runtime_options({});
  const RuntimeOptions usual;
  BOOST_TEST(options.cores == usual.cores);
  BOOST_TEST(options.policy == usual.policy);
  BOOST_TEST(options.window == usual.window);
  BOOST_TEST(options.seed == usual.seed);
  BOOST_TEST(options.trace == usual.trace);
  BOOST_TEST(options.observation.trace_limit == usual.observation.trace_limit);
  BOOST_TEST(options.threads.bind);
  BOOST_TEST(options.accelerators.eviction == usual.accelerators.eviction);
  BOOST_TEST(!options.accelerators.gpu_memory.has_value());
  BOOST_TEST(!options.accelerators.opencl_memory.has_value());
  BOOST_TEST(options.placement.models.empty());
  BOOST_TEST((options.observation.on_warning == nullptr && options.observation.on_stall == nullptr &&
              options.simulation == nullptr));
  const char* const more[] = {"models=default", nullptr};
  troupe_options given{};
  given.more = more;
  BOOST_TEST(model_folder_of(to_runtime_options(given).placement.models) == default_model_folder());
}

BOOST_AUTO_TEST_CASE(names_that_are_no_option_are_refused) {
  for (const char* wrong : {"lookahaed=2", "lookahead", "=2", ""}) {
    const char* const more[] = {"seed=7", wrong, nullptr};
    troupe_options given{};
    given.more = more;
    BOOST_CHECK_EXCEPTION((void)to_runtime_options(given), Error, [&](const Error& error) {
      return std::string(error.what()).starts_with("troupe_options.more: '" + std::string(wrong) + "' is no option");
    });
  }
}

BOOST_AUTO_TEST_CASE(options_of_runs_in_virtual_time_are_of_the_described_machine) {
  troupe_options given = every_option();
  given.platform = "idgraf-double";
  const RuntimeOptions options = to_runtime_options(given);
  BOOST_TEST_REQUIRE((options.simulation != nullptr));
  const SimulationOptions& simulation = *options.simulation;
  BOOST_TEST(simulation.machine.name == "idgraf-double");
  BOOST_TEST(simulation.cores == 3);
  BOOST_TEST(simulation.clusters == "1x2");
  BOOST_TEST(simulation.seed == 9U);
  BOOST_TEST(simulation.gpus == (std::vector<int>{0, 1}), boost::test_tools::per_element());
  BOOST_TEST(simulation.accelerators.gpu_memory.value().count == 1'000'000U);
  BOOST_TEST(!simulation.real_buffers);
  // Four is the default of a runtime, and two that of a run in virtual time.
  for (const char* const lookahead : {"lookahead=4", "lookahead=7"}) {
    const char* const more[] = {lookahead, nullptr};
    troupe_options ahead{};
    ahead.platform = "idgraf-double";
    ahead.more = more;
    BOOST_TEST(to_runtime_options(ahead).simulation->accelerators.ahead.gpu == (lookahead[10] == '4' ? 4U : 7U));
  }
  BOOST_TEST(options.cores == 0);
  BOOST_TEST(options.gpus == 0);
  BOOST_TEST(options.policy == "heft");
  BOOST_TEST(options.window == 100U);
  given.execute = 1;
  BOOST_TEST(to_runtime_options(given).simulation->real_buffers);
}

BOOST_AUTO_TEST_CASE(options_of_older_and_newer_programs_are_understood) {
  // The struct of an older program ends after the policy.
  troupe_options options{};
  options.size = offsetof(troupe_options, trace);
  options.cores = 1;
  options.platform = reinterpret_cast<const char*>(1);
  troupe_runtime* runtime = nullptr;
  BOOST_REQUIRE_MESSAGE(troupe_start_with(&options, &runtime) == TROUPE_OK, troupe_error_message());
  size_t workers = 0;
  BOOST_TEST(troupe_workers(runtime, &workers) == TROUPE_OK);
  BOOST_TEST(workers == 1U);
  BOOST_TEST(troupe_runtime_free(runtime) == TROUPE_OK);
  // The struct of a newer program has more fields. The program works if they are zero; otherwise the call fails.
  struct Newer {
    troupe_options options;
    double more;
  } newer{};
  newer.options.size = sizeof newer;
  newer.options.cores = 1;
  BOOST_REQUIRE_MESSAGE(troupe_start_with(&newer.options, &runtime) == TROUPE_OK, troupe_error_message());
  BOOST_TEST(troupe_runtime_free(runtime) == TROUPE_OK);
  newer.more = 1;
  BOOST_TEST(troupe_start_with(&newer.options, &runtime) == TROUPE_INVALID_ARGUMENT);
  BOOST_TEST(says("version"));
}

BOOST_AUTO_TEST_CASE(sizes_of_options_that_cannot_be_are_named) {
  troupe_options options{};
  troupe_runtime* runtime = nullptr;
  for (const size_t size : {size_t{0}, size_t{65537}, std::numeric_limits<size_t>::max()}) {
    options.size = size;
    BOOST_TEST(troupe_start_with(&options, &runtime) == TROUPE_INVALID_ARGUMENT);
    BOOST_TEST(says("is " + std::to_string(size) + ": set it to sizeof(troupe_options)"), troupe_error_message());
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
