// Each option of a C program as the runtime receives it.
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

/// Every option except those of runs in virtual time, each with a value unlike its default. When an option is added,
/// this no longer compiles (-Wmissing-field-initializers). Then set the option here and check it below.
const troupe_options& every_option() {
  static std::string user = "to me";
  static const troupe_options options{
      sizeof(troupe_options),
      /*cores=*/3,
      /*policy=*/"heft",
      /*clusters=*/"1x2",
      /*regroup=*/1,
      /*restrict_tasks=*/"potrf:cores",
      /*models=*/"/folder/of/models",
      /*window=*/100,
      /*seed=*/9,
      /*trace=*/1,
      /*trace_limit=*/1234,
      /*unbound=*/1,
      /*hyperthreads=*/1,
      /*oversubscribe=*/1,
      /*cpus=*/"0-3,8",
      /*gpus=*/2,
      /*gpu_memory=*/1'000'000,
      /*emulated_gpus=*/"2:memory=1MiB",
      /*opencl=*/"cpu",
      /*opencl_memory=*/2'000'000,
      /*eviction=*/"lru",
      /*why_after=*/0.25,
      /*on_stall=*/tell,
      /*on_warning=*/tell,
      /*user=*/&user,
      /*platform=*/nullptr,
      /*execute=*/0,
      /*more=*/nullptr,
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
  BOOST_TEST(options.regroup);
  BOOST_TEST(options.restrict == "potrf:cores");
  BOOST_TEST(options.model_folder == "/folder/of/models");
  BOOST_TEST(options.window == 100U);
  BOOST_TEST(options.seed == 9U);
  BOOST_TEST(options.trace);
  BOOST_TEST(options.trace_limit == 1234U);
  BOOST_TEST(!options.bind);
  BOOST_TEST(options.use_hyperthreads);
  BOOST_TEST(options.oversubscribe);
  BOOST_TEST(options.restrict_to == "0-3,8");
  BOOST_TEST(options.gpus == 2);
  BOOST_TEST(options.gpu_memory.value().count == 1'000'000U);
  BOOST_TEST_REQUIRE(options.emulated_gpus.size() == 2U);
  BOOST_TEST(options.emulated_gpus[1].memory.count == std::uint64_t{1} << 20U);
  BOOST_TEST(options.opencl == "cpu");
  BOOST_TEST(options.opencl_memory.value().count == 2'000'000U);
  BOOST_TEST(options.eviction == "lru");
  BOOST_TEST((options.why_after == std::chrono::milliseconds(250)));
  BOOST_TEST((options.simulation == nullptr));
  told.clear();
  options.on_warning("careful");
  options.on_stall(WhyReport{});
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
  BOOST_TEST(options.trace_limit == usual.trace_limit);
  BOOST_TEST(options.bind);
  BOOST_TEST(options.eviction == usual.eviction);
  BOOST_TEST(!options.gpu_memory.has_value());
  BOOST_TEST(!options.opencl_memory.has_value());
  BOOST_TEST(options.model_folder.empty());
  BOOST_TEST((options.on_warning == nullptr && options.on_stall == nullptr && options.simulation == nullptr));
  troupe_options given{};
  given.models = "default";
  BOOST_TEST(model_folder_of(to_runtime_options(given).model_folder) == default_model_folder());
  // Threads are bound unless `unbound` or `oversubscribe` asks for the opposite.
  given = {};
  given.unbound = 1;
  BOOST_TEST(!to_runtime_options(given).bind);
  given = {};
  given.oversubscribe = 1;
  BOOST_TEST(!to_runtime_options(given).bind);
}

BOOST_AUTO_TEST_CASE(further_options_are_given_by_name) {
  const char* more[] = {"lookahead=2", "issue-ahead=0", "spin=20us", "opencl_copies=true", nullptr};
  troupe_options given{};
  given.more = more;
  const RuntimeOptions options = to_runtime_options(given);
  BOOST_TEST(options.gpu_lookahead == 2U);
  BOOST_TEST(options.issue_ahead == 0U);
  BOOST_TEST((options.spin == std::chrono::microseconds(20)));
  BOOST_TEST(options.opencl_copies);
  for (const char* wrong : {"lookahaed=2", "lookahead", "=2", ""}) {
    more[0] = wrong;
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
  BOOST_TEST(simulation.gpu_memory.value().count == 1'000'000U);
  BOOST_TEST(!simulation.real_buffers);
  BOOST_TEST(options.cores == 0);
  BOOST_TEST(options.gpus == 0);
  BOOST_TEST(options.policy == "heft");
  BOOST_TEST(options.window == 100U);
  given.execute = 1;
  BOOST_TEST(to_runtime_options(given).simulation->real_buffers);
}

BOOST_AUTO_TEST_CASE(options_of_older_and_newer_programs_are_understood) {
  // An older program has no fields after the seed.
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
  // A newer program works if its further fields are zero, and is refused if it needs them.
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
