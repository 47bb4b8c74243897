// Tests that every option of every benchmark changes the arguments of the runners, the report, or a file.
#include <CLI/CLI.hpp>
#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build
#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "lab/bench/driver/command_line.hpp"
#include "platform/files/child_process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::bench {

BOOST_AUTO_TEST_SUITE(every_option_of_bench)

using tests::TemporaryFolder;
using Words = std::vector<std::string>;

/// A runner that prints constants and its own arguments.
constexpr const char* kRunner =
    "#!/bin/sh\n"
    "echo '{\"us_per_task\": 2, \"metg_us\": 3, \"gflops\": 4, \"iterations_per_second\": 1, \"seconds\": 5, "
    "\"residual\": 0.5, \"kernel_share\": 0.9, \"checksum\": \"c0ffee\", \"bytes_per_task\": 6, \"peak_mib\": 7, "
    "\"latency_us\": 8, \"latency_p99_us\": 9, \"stored_bytes\": 10, \"times\": 11, \"ms\": 12, \"ns\": 13, "
    "\"told\": \"'\"$*\"'\"}'\n";

/// The arguments that are added to the shortest command of a benchmark to test an option. "FILE NAME" means that the
/// file must exist afterwards.
const std::map<std::string, Words> kCommon{{"--rounds", {"--rounds", "2"}},
                                           {"--cores", {"--cores", "1"}},
                                           {"--runtimes", {"--runtimes", "troupe"}},
                                           {"--json", {"--json", "FILE a.json"}},
                                           {"--markdown", {"--markdown", "FILE a.md"}},
                                           {"--plot", {"--plot", "FILE a.svg"}}};
const std::map<std::string, std::map<std::string, Words>> kOwn{
    {"overhead",
     {{"--shape", {"--shape", "tree"}}, {"--handles", {"--handles", "3"}}, {"--tasks", {"--tasks", "777"}}}},
    {"granularity",
     {{"--pattern", {"--pattern", "fft"}},
      {"--width", {"--width", "3"}},
      {"--dependencies", {"--pattern", "nearest", "--dependencies", "2"}}}},
    {"steal", {}},
    {"linalg", {{"--algorithm", {"--algorithm", "qr"}}, {"--n", {"--n", "333"}}, {"--tile", {"--tile", "77"}}}},
    {"sparse", {{"--points", {"--points", "7"}}}},
    {"sparse-lu",
     {{"--n", {"--n", "11"}}, {"--structure", {"--structure", "bots"}}, {"--grain", {"--grain", "coarse"}}}},
    {"constructs", {{"--construct", {"--construct", "wait"}}, {"--runtimes", {"--runtimes", "starpu"}}}},
    {"recursion", {{"--program", {"--program", "queens"}}}},
    {"memory", {}}};

struct Bench {
  Bench() {
    for (const char* name : {"peak", "troupe", "starpu"}) {
      const std::string file = runners.write(std::string("troupe-bench-runner-") + name, kRunner);
      std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    }
  }

  [[nodiscard]] std::string run(Words arguments) const {
    arguments.insert(arguments.begin(), std::string(TROUPE_BENCH_FOLDER) + "/troupe-bench");
    const auto ran = platform::run_child(arguments, "", std::chrono::seconds(120)).value_or_throw();
    BOOST_TEST_CONTEXT(ran.errors) { BOOST_TEST(ran.exit_status == 0); }
    return ran.output;
  }
  /// Returns the report, which contains the runners' arguments and results.
  [[nodiscard]] std::string report(const std::string& benchmark, const Words& more) const {
    Words arguments{benchmark, "--json", "-", "--tiny", "--runners", runners.path()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    if (more.empty() || more.front() != "--rounds") arguments.insert(arguments.end(), {"--rounds", "1"});
    return run(arguments);
  }
  /// Checks that the additional words change the report or write the file. `least` is the report without them.
  void changes_something(const std::string& benchmark, const std::string& least, Words words) const {
    const std::string file = words.back().starts_with("FILE ") ? out.path(words.back().substr(5)) : std::string();
    if (file.empty()) {
      BOOST_TEST((report(benchmark, words) != least));
      return;
    }
    words.back() = file;
    std::filesystem::remove(file);
    Words arguments{benchmark, "--tiny", "--rounds", "1", "--runners", runners.path()};
    arguments.insert(arguments.end(), words.begin(), words.end());
    (void)run(arguments);
    BOOST_TEST(std::filesystem::exists(file));
  }

  TemporaryFolder runners;
  TemporaryFolder out;
};

BOOST_FIXTURE_TEST_CASE(changes_what_is_measured_or_written, Bench) {
  const bool draws = platform::run_child({"gnuplot", "--version"}, "", std::chrono::seconds(60)).ok();
  apps::Command unused;
  const auto application = make_bench(unused);
  for (const CLI::App* benchmark : application->get_subcommands([](const CLI::App*) { return true; })) {
    const auto own = kOwn.find(benchmark->get_name());
    BOOST_TEST_REQUIRE((own != kOwn.end()), benchmark->get_name());
    const std::string least = report(benchmark->get_name(), {});
    for (const CLI::Option* option : benchmark->get_options()) {
      const std::string name = option->get_name();
      BOOST_TEST_CONTEXT(benchmark->get_name() << " " << name) {
        if (name == "--help") continue;
        if (name == "--runners") {
          // The word "told" in the report comes from the runners in this folder, so `--runners` has an effect.
          BOOST_TEST((least.find("\"told\"") != std::string::npos));
        } else if (name == "--tiny") {
          Words arguments{benchmark->get_name(), "--json", "-", "--rounds", "1", "--runners", runners.path()};
          BOOST_TEST((run(arguments) != least));
        } else if (const auto found = own->second.find(name); found != own->second.end()) {
          changes_something(benchmark->get_name(), least, found->second);
        } else {
          const auto common = kCommon.find(name);
          BOOST_TEST_REQUIRE((common != kCommon.end()), "no case for this option");
          if (name != "--plot" || draws) changes_something(benchmark->get_name(), least, common->second);
        }
      }
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::bench
