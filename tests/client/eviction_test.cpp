/// Tests of hints that decide which data a full memory evicts.
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "troupe/runtime.hpp"
#include "troupe/simulation_options.hpp"

namespace troupe {

BOOST_AUTO_TEST_SUITE(eviction_hints)

namespace {

/// Returns options for one GPU that has room for two pieces of data and runs all tasks.
RuntimeOptions options_with(const std::string& eviction) {
  platform::MachineDescription machine;
  machine.name = "test";
  machine.cores = 2;
  machine.sockets = 1;
  machine.gpus.push_back({"GPU", Bytes{std::uint64_t{1} << 20U}, {}});
  machine.links.push_back({"link", 1000, {}});
  machine.routes.resize(4);
  machine.routes[1] = machine.routes[2] = {{0}, 1000, std::chrono::microseconds(10)};
  platform::TileTimes times{1000, 0, platform::KernelTime{100, 0}, {}};
  times.gpus.push_back({10, 0});
  machine.kernels.emplace_back("test", "kernel", "double", std::vector{times}, std::size_t{1});
  SimulationOptions simulation;
  simulation.machine = std::move(machine);
  simulation.gpus = {0};
  simulation.cores = 1;
  simulation.accelerators.gpu_memory = Bytes{2048};
  simulation.accelerators.ahead.gpu = 0;
  RuntimeOptions options;
  options.simulation = std::make_shared<const SimulationOptions>(std::move(simulation));
  options.policy = "eager";
  options.accelerators.eviction = eviction;
  return options;
}

struct Program {
  explicit Program(const RuntimeOptions& options) : runtime(options) {
    look.implement(DeviceKind::cuda, [](const KernelContext&) {});
    look.timed_as("test/kernel/double");
    for (int i = 0; i < 4; ++i) data.push_back(runtime.vector(values[i], "x" + std::to_string(i)));
  }
  /// Runs one task for each number in `order`, one after the other. The task uses the data with this number.
  void use(const std::vector<int>& order) {
    for (const int i : order) {
      runtime.submit(look, {data[static_cast<std::size_t>(i)]});
      runtime.wait();
    }
  }
  [[nodiscard]] std::uint64_t loads() const { return runtime.report().transfers.total().count / 1024; }

  std::vector<double> values[4] = {std::vector<double>(128), std::vector<double>(128), std::vector<double>(128),
                                   std::vector<double>(128)};
  Codelet look{"look", std::vector{AccessMode::read}};
  Runtime runtime;
  std::vector<Data> data;
};

BOOST_AUTO_TEST_CASE(an_unknown_policy_is_refused_when_the_runtime_starts) {
  RuntimeOptions options;
  options.accelerators.eviction = "fifo";
  BOOST_CHECK_EXCEPTION(Runtime{options}, Error, [](const Error& error) {
    return error.code() == ErrorCode::invalid_argument &&
           std::string(error.what()).find("next-use") != std::string::npos;
  });
}

BOOST_AUTO_TEST_CASE(the_highest_reuse_index_stays) {
  Program program(options_with("reuse"));
  program.runtime.set_reuse(program.data[0], 10);
  program.use({0, 1, 2, 0});
  BOOST_TEST(program.loads() == 3U);
  Program without(options_with("reuse"));
  without.use({0, 1, 2, 0});
  BOOST_TEST(without.loads() == 4U);
}

BOOST_AUTO_TEST_CASE(what_is_kept_stays_until_it_is_let_go) {
  Program program(options_with("lru"));
  {
    KeptData first = program.runtime.keep(program.data[0]);
    const KeptData kept = std::move(first);
    first.let_go();  // `first` has been moved, so it keeps no data in memory any more.
    program.use({0, 1, 2, 0});
    BOOST_TEST(program.loads() == 3U);
  }
  program.use({1, 3, 0});
  BOOST_TEST(program.loads() == 6U);
}

BOOST_AUTO_TEST_CASE(what_is_known_to_come_stays) {
  Program program(options_with("next-use"));
  for (const std::size_t i : {0, 1, 2, 0, 1}) program.runtime.submit(program.look, {program.data[i]});
  program.runtime.wait();
  BOOST_TEST(program.loads() == 4U);
}

BOOST_AUTO_TEST_CASE(one_run_learns_for_the_next) {
  const tests::TemporaryFolder folder;
  const auto run = [&] {
    RuntimeOptions options = options_with("reuse");
    options.accelerators.reuse_profile = folder.path() + "/profile.json";
    Program program(options);
    program.use({0, 1, 2, 0, 3, 0});
    return program.loads();
  };
  BOOST_TEST(run() > 4U);
  BOOST_TEST(std::filesystem::exists(folder.path() + "/profile.json"));
  BOOST_TEST(run() == 4U);
}

BOOST_AUTO_TEST_CASE(hints_for_data_that_are_gone_are_refused) {
  for (const bool simulated : {true, false}) {
    RuntimeOptions options = options_with("lru");
    if (!simulated) {
      options = {};
      options.cores = 1;
    }
    Runtime runtime(options);
    double value = 0;
    Data data = runtime.scalar(value);
    const Handle handle = data;
    runtime.set_reuse(handle, 1);
    std::optional<KeptData> kept = runtime.keep(handle);
    data.release();
    kept.reset();
    const auto gone = [](const Error& error) { return error.code() == ErrorCode::invalid_handle; };
    BOOST_CHECK_EXCEPTION(runtime.set_reuse(handle, 1), Error, gone);
    BOOST_CHECK_EXCEPTION((void)runtime.keep(handle), Error, gone);
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
