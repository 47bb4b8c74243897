// Tests the program `troupe-bench` with sizes that take little time. The tests do not check speeds.
#include "lab/bench/driver/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build
#include <cmath>
#include <fstream>
#include <iterator>

#include "apps/reference/reference_documents.hpp"
#include "lab/bench/constructs.hpp"
#include "platform/files/child_process.hpp"
#include "proto/json/json.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::bench {

BOOST_AUTO_TEST_SUITE(bench_command_line)

namespace {

using tests::contains;
using tests::TemporaryFolder;
using Words = std::vector<std::string>;

platform::ChildOutput run_bench(Words arguments) {
  arguments.insert(arguments.begin(), std::string(TROUPE_BENCH_FOLDER) + "/troupe-bench");
  return platform::run_child(arguments, "", std::chrono::seconds(120)).value_or_throw();
}

void fails(const Words& arguments, const Words& parts) {
  const platform::ChildOutput ran = run_bench(arguments);
  BOOST_TEST_CONTEXT(ran.errors) {
    BOOST_TEST(ran.exit_status == 2);
    BOOST_TEST(ran.output == "");
    BOOST_TEST(std::count(ran.errors.begin(), ran.errors.end(), '\n') == 1);
    for (const std::string& part : parts) BOOST_TEST(contains(ran.errors, part), "no '" << part << "'");
  }
}

Json measure(Words arguments) {
  arguments.insert(arguments.end(), {"--tiny", "--json", "-"});
  const platform::ChildOutput ran = run_bench(arguments);
  BOOST_TEST_CONTEXT(ran.errors) { BOOST_TEST_REQUIRE(ran.exit_status == 0); }
  return Json::parse(ran.output);
}

void check_estimate(const Json& figure) {
  BOOST_TEST(figure["low"].get<double>() <= figure["median"].get<double>());
  BOOST_TEST(figure["median"].get<double>() <= figure["high"].get<double>());
  BOOST_TEST(figure["low"].get<double>() > 0);
}

/// Checks every row of a report, whatever the benchmark measures.
void check_rows(const Json& report, std::size_t rounds) {
  BOOST_TEST(!report["rows"].empty());
  for (const auto& row : report["rows"]) {
    for (const auto& entry : row["runtimes"]) {
      if (entry.contains("skipped")) continue;
      for (const auto& [key, figure] : entry["figures"].items()) {
        check_estimate(figure);
        BOOST_TEST(figure["samples"].size() == rounds);
      }
      if (entry.contains("ratio")) check_estimate(entry["ratio"]);
    }
  }
}

BOOST_AUTO_TEST_CASE(refuses_what_it_does_not_know) {
  fails({}, {"no command", "overhead", "troupe bench --help"});
  fails({"speed"}, {"speed"});
  fails({"overhead", "--shape", "round"}, {"--shape", "round", "fork_join"});
  fails({"overhead", "--handles", "5"}, {"--handles"});
  fails({"overhead", "--shape", "tree", "--handles", "1"}, {"nothing to measure", "--handles 0"});
  fails({"overhead", "--runtimes", "troupe,cilk"}, {"unknown runtime 'cilk'", "starpu"});
  fails({"granularity", "--pattern", "paisley"}, {"--pattern", "paisley", "stencil_1d"});
  fails({"granularity", "--dependencies", "6"}, {"--dependencies"});
  fails({"linalg", "--algorithm", "svd"}, {"svd", "cholesky"});
  fails({"overhead", "--rounds", "0"}, {"--rounds"});
  fails({"sparse-lu", "--structure", "half"}, {"--structure", "half", "third-closed"});
  fails({"sparse-lu", "--grain", "medium"}, {"--grain", "medium", "multi"});
  fails({"sparse-lu", "--n", "0"}, {"--n"});
  fails({"constructs", "--construct", "bridge"}, {"--construct", "bridge", "recorded-task"});
  fails({"recursion", "--program", "hanoi"}, {"--program", "hanoi", "barnes-hut"});
  fails({"overhead", "--cores", "100000"}, {"100000"});
}

BOOST_AUTO_TEST_CASE(refuses_files_that_cannot_be_written_before_it_measures) {
  fails({"overhead", "--json", "/no/such/folder/a.json"}, {"/no/such/folder/a.json"});
  fails({"overhead", "--plot", "/no/such/folder/a.svg"}, {"/no/such/folder/a.svg"});
  fails({"overhead", "--plot", "a.jpg"}, {"a.jpg", ".svg", ".png"});
}

BOOST_AUTO_TEST_CASE(numbers_are_consistent) {
  check_rows(measure({"overhead", "--shape", "chain,independent", "--handles", "1", "--rounds", "3"}), 3);
  check_rows(measure({"memory"}), 2);
  check_rows(measure({"granularity", "--pattern", "stencil_1d", "--width", "2", "--rounds", "1"}), 1);
}

/// The rate, the granularity and the efficiency of a point are calculated from the same time, so they must agree. METG
/// (the minimum effective task granularity) lies within the curve.
BOOST_AUTO_TEST_CASE(curves_are_consistent) {
  const Json report = measure({"granularity", "--pattern", "tree", "--width", "4", "--rounds", "1"});
  for (const auto& entry : report["rows"][0]["runtimes"]) {
    if (!entry.contains("outputs")) continue;
    const Json& output = entry["outputs"][0];
    const double per_core = output["peak_iterations_per_second"].get<double>() / report["cores"].get<int>();
    double largest = 0;
    for (const auto& point : output["curve"]) {
      const double granularity_us = point["granularity_us"].get<double>();
      const double ideal_us = 1e6 * point["iterations"].get<double>() / per_core;
      BOOST_TEST(std::abs(ideal_us / granularity_us / point["efficiency"].get<double>() - 1) < 1e-9);
      largest = std::max(largest, granularity_us);
    }
    BOOST_TEST(output["metg_us"].get<double>() > 0);
    BOOST_TEST(output["metg_us"].get<double>() <= 2 * largest);
    BOOST_TEST(output["metg_us"].get<double>() == entry["figures"]["metg_us"]["median"].get<double>());
  }
}

BOOST_AUTO_TEST_CASE(ratios_are_those_of_the_rounds) {
  const Json report =
      measure({"overhead", "--shape", "chain", "--handles", "1", "--runtimes", "troupe,openmp", "--rounds", "3"});
  const auto& row = report["rows"][0]["runtimes"];
  if (row[1].contains("skipped")) {
    tests::skip("there is no runner for openmp");
    return;
  }
  std::vector<double> ratios;
  for (std::size_t i = 0; i < 3; ++i) {
    ratios.push_back(row[0]["figures"]["us_per_task"]["samples"][i].get<double>() /
                     row[1]["figures"]["us_per_task"]["samples"][i].get<double>());
  }
  std::sort(ratios.begin(), ratios.end());
  BOOST_TEST(std::abs(row[1]["ratio"]["median"].get<double>() / ratios[1] - 1) < 1e-9);
  BOOST_TEST(row[1]["ratio"]["of"].get<std::string>() == "troupe");
  BOOST_TEST(!row[0].contains("ratio"));
}

BOOST_AUTO_TEST_CASE(the_program_troupe_passes_arguments_and_exit_code_on) {
  const auto run_troupe = [](Words arguments) {
    arguments.insert(arguments.begin(), {TROUPE_EXECUTABLE, "bench"});
    return platform::run_child(arguments, "", std::chrono::seconds(120)).value_or_throw();
  };
  BOOST_TEST(contains(run_troupe({"--help"}).output, "granularity"));
  BOOST_TEST(contains(run_troupe({"steal", "--help"}).output, "--rounds"));
  BOOST_TEST(contains(run_troupe({"--", "steal", "--help"}).output, "--rounds"));
  BOOST_TEST(run_troupe({"overhead", "--shape", "round"}).exit_status == 2);
  BOOST_TEST(contains(run_troupe({"memory", "--tiny", "--runtimes", "troupe"}).output, "bytes per task in flight"));
}

/// This benchmark needs two cores, and some machines have only one.
BOOST_AUTO_TEST_CASE(steals_are_measured) {
  const Json report = measure({"steal", "--runtimes", "troupe", "--rounds", "1"});
  if (report["cores"].get<int>() < 2) {
    tests::skip("stealing needs two cores");
    return;
  }
  check_rows(report, 1);
  BOOST_TEST(report["rows"][0]["runtimes"][0].contains("figures"));
}

BOOST_AUTO_TEST_CASE(a_peer_that_is_missing_is_named_and_skipped) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink(std::string(TROUPE_BENCH_FOLDER) + "/troupe-bench-runner-troupe",
                                  folder.path("troupe-bench-runner-troupe"));
  const platform::ChildOutput ran =
      run_bench({"overhead", "--tiny", "--shape", "chain", "--handles", "1", "--runners", folder.path()});
  BOOST_TEST(ran.exit_status == 0);
  BOOST_TEST(contains(ran.output, "chain  1        troupe"), ran.output);
  BOOST_TEST(contains(ran.output, "starpu skipped"), ran.output);
  BOOST_TEST(contains(ran.errors, "starpu is missing"), ran.errors);
}

BOOST_AUTO_TEST_CASE(a_runner_that_fails_is_reported) {
  const TemporaryFolder folder;
  const std::string runner = folder.write("troupe-bench-runner-troupe", "#!/bin/sh\necho broken >&2\nexit 7\n");
  std::filesystem::permissions(runner, std::filesystem::perms::owner_all);
  const platform::ChildOutput ran = run_bench(
      {"overhead", "--tiny", "--shape", "chain", "--handles", "1", "--runtimes", "troupe", "--runners", folder.path()});
  BOOST_TEST(ran.exit_status == 1);
  BOOST_TEST(contains(ran.output, "exit status 7: broken"), ran.output);
}

/// These runners print constants, so the expected results of the driver are known.
BOOST_AUTO_TEST_CASE(factorizations_are_compared_with_the_peak_and_the_peers) {
  const TemporaryFolder folder;
  const auto add_runner = [&folder](const std::string& name, const std::string& line) {
    const std::string file = folder.write("troupe-bench-runner-" + name, "#!/bin/sh\necho '" + line + "'\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  };
  add_runner("peak", R"({"gflops": 50})");
  add_runner("troupe", R"({"gflops": 40, "seconds": 2, "residual": 0.5})");
  add_runner("lapack", R"({"gflops": 20, "seconds": 4, "residual": 0.5})");
  const Json report =
      measure({"linalg", "--algorithm", "lu", "--n", "100,200", "--runners", folder.path(), "--rounds", "9"});
  BOOST_TEST(report["rows"].size() == 2U);
  BOOST_TEST(report["rows"][1]["n"].get<std::string>() == "200");
  const auto& entries = report["rows"][0]["runtimes"];
  BOOST_TEST(std::abs(entries[0]["figures"]["fraction_of_peak"]["median"].get<double>() - 0.8) < 1e-12);
  BOOST_TEST(entries[1]["runtime"].get<std::string>() == "starpu");
  BOOST_TEST(entries[1].contains("skipped"));
  BOOST_TEST(entries[2]["ratio"]["median"].get<double>() == 2);
}

/// These runners print constants. The driver must report a runtime whose result differs, because runtimes can only be
/// compared if they do the same work.
BOOST_AUTO_TEST_CASE(a_result_that_differs_is_a_failure) {
  const TemporaryFolder folder;
  for (const auto& [name, checksum] :
       {std::pair<std::string, std::string>{"troupe", "c0ffee"}, {"starpu", "c0ffee"}, {"openmp", "decade"}}) {
    const std::string file = folder.write("troupe-bench-runner-" + name,
                                          R"sh(#!/bin/sh
echo '{"gflops": 4, "kernel_share": 0.97, "seconds": 2, "checksum": ")sh" +
                                              checksum + "\"}'\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }
  const platform::ChildOutput ran =
      run_bench({"sparse-lu", "--n", "20", "--grain", "multi", "--runners", folder.path(), "--rounds", "3"});
  BOOST_TEST(ran.exit_status == 1);
  BOOST_TEST(contains(ran.output, "openmp (20, multi) failed: its checksum is not that of troupe"), ran.output);
  BOOST_TEST(contains(ran.output, "20      multi           starpu"), ran.output);
}

BOOST_AUTO_TEST_CASE(sparse_factorizations_are_measured_by_grain) {
  const Json report = measure({"sparse-lu", "--rounds", "2"});
  check_rows(report, 2);
  BOOST_TEST_REQUIRE(report["rows"].size() == 2U);
  BOOST_TEST(report["rows"][0]["Troupe's tasks"].get<std::string>() == "fine");
  BOOST_TEST(report["rows"][1]["Troupe's tasks"].get<std::string>() == "multi");
  for (const char* key : {"gflops", "kernel_share", "seconds"}) {
    BOOST_TEST(report["rows"][1]["runtimes"][0]["figures"].contains(key));
  }
}

/// These runners print constants, so the expected ratios and means are known.
BOOST_AUTO_TEST_CASE(recursive_programs_are_compared_with_their_means) {
  const TemporaryFolder folder;
  const std::string peer =
      R"(case "$*" in *queens*) echo '{"ms": 4, "checksum": "1"}' ;; *) echo '{"ms": 1, "checksum": "1"}' ;; esac)";
  for (const auto& [name, body] :
       {std::pair<std::string, std::string>{"troupe", R"(echo '{"ms": 2, "checksum": "1"}')"}, {"tbb", peer}}) {
    const std::string file = folder.write("troupe-bench-runner-" + name, "#!/bin/sh\n" + body + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }
  const Json report = measure({"recursion", "--program", "queens,fibonacci", "--runners", folder.path()});
  BOOST_TEST_REQUIRE(report["rows"].size() == 2U);
  BOOST_TEST(report["rows"][0]["program"].get<std::string>() == "fibonacci");
  BOOST_TEST(report["rows"][0]["runtimes"][2]["ratio"]["median"].get<double>() == 0.5);
  BOOST_TEST(report["rows"][1]["runtimes"][2]["ratio"]["median"].get<double>() == 2);
  BOOST_TEST_REQUIRE(report["geometric_means"].size() == 1U);
  BOOST_TEST(report["geometric_means"][0]["runtime"].get<std::string>() == "tbb");
  BOOST_TEST(std::abs(report["geometric_means"][0]["ratio"].get<double>() - 1) < 1e-12);
}

BOOST_AUTO_TEST_CASE(constructs_are_measured) {
  const Json report = measure({"constructs"});
  check_rows(report, 2);
  BOOST_TEST(report["rows"].size() == kConstructs.size());
  for (const Json& row : report["rows"]) {
    BOOST_TEST(row["runtimes"][0].contains("figures"), row["construct"].get<std::string>());
  }
}

BOOST_AUTO_TEST_CASE(recursive_programs_are_measured) {
  const Json report = measure({"recursion"});
  check_rows(report, 2);
  BOOST_TEST(report["rows"].size() == 12U);
  BOOST_TEST(report["rows"][0]["runtimes"][0].contains("figures"));
}

/// A graph that another runtime builds once and runs many times is compared with Troupe's recorded graph, if the
/// recorded graph was measured.
BOOST_AUTO_TEST_CASE(kept_graphs_are_compared_with_the_recorded_one) {
  const TemporaryFolder folder;
  const std::string recorded =
      R"(case "$*" in *mode=recorded*) echo '{"metg_us": 1}' ;; *) echo '{"metg_us": 3}' ;; esac)";
  for (const auto& [name, body] :
       {std::pair<std::string, std::string>{"peak", R"(echo '{"iterations_per_second": 1}')"},
        {"troupe", recorded},
        {"taskflow", R"(echo '{"metg_us": 2}')"}}) {
    const std::string file = folder.write("troupe-bench-runner-" + name, "#!/bin/sh\n" + body + "\n");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  }
  const Json report = measure({"granularity", "--pattern", "fft", "--width", "2", "--runners", folder.path(),
                               "--runtimes", "troupe,taskflow,troupe/recorded,taskflow/static"});
  const auto& entries = report["rows"][0]["runtimes"];
  BOOST_TEST(entries[1]["ratio"]["median"].get<double>() == 1.5);
  BOOST_TEST(entries[3]["ratio"]["median"].get<double>() == 0.5);
  BOOST_TEST(entries[3]["ratio"]["of"].get<std::string>() == "troupe/recorded");
}

BOOST_AUTO_TEST_CASE(reports_are_written_to_files) {
  const TemporaryFolder folder;
  const platform::ChildOutput ran = run_bench(
      {"memory", "--tiny", "--runtimes", "troupe", "--json", folder.path("a.json"), "--markdown", folder.path("a.md")});
  BOOST_TEST(ran.exit_status == 0);
  BOOST_TEST(Json::parse(folder.read("a.json"))["benchmark"].get<std::string>() == "memory");
  BOOST_TEST(contains(folder.read("a.md"), "| what | runtime |"));
}

BOOST_AUTO_TEST_CASE(draws_a_plot) {
  const auto gnuplot = platform::run_child({"gnuplot", "--version"}, "", std::chrono::seconds(60));
  if (!gnuplot) {
    tests::skip("gnuplot is not installed");
    return;
  }
  const TemporaryFolder folder;
  BOOST_TEST(run_bench({"memory", "--tiny", "--runtimes", "troupe", "--plot", folder.path("a.svg")}).exit_status == 0);
  BOOST_TEST(contains(folder.read("a.svg"), "</svg>"));
  BOOST_TEST(contains(folder.read("a.svg"), "bytes per task"));
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_manual_has_every_option) {
  apps::Command unused;
  const auto document = apps::options_document(apps::page_of(*make_bench(unused)));
  BOOST_TEST(document.file == "bench.md");
  std::ifstream file(std::string(TROUPE_SOURCE_DIR) + "/docs/reference/bench.md");
  const std::string kept{std::istreambuf_iterator<char>(file), {}};
  BOOST_TEST((kept == document.text), "run: cmake --build BUILD --target reference_documents");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::bench
