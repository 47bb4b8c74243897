// Tests the options `--trace` and `--report`.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build
#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "proto/json/json.hpp"
#include "tests/apps/troupe_program.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/traces/files/chrome_trace_checks.hpp"
#include "tests/traces/files/paje_trace_checks.hpp"
#include "traces/picture/gnuplot.hpp"

namespace troupe::apps {

namespace command_trace {

using tests::contains;
using tests::run_program;
using tests::succeeds;
using tests::Words;

struct Fixture {
  tests::TemporaryFolder folder;

  /// Checks that the run gives its result and prints one warning.
  static void warns(const Words& arguments, const std::string& part, int code = 0) {
    const platform::ChildOutput ran = run_program(arguments);
    BOOST_TEST(ran.exit_status == code);
    BOOST_TEST(contains(ran.output, "GFlop/s"));
    BOOST_TEST(ran.errors.starts_with("troupe: warning: "), ran.errors);
    BOOST_TEST(contains(ran.errors, part), ran.errors);
    BOOST_TEST(std::count(ran.errors.begin(), ran.errors.end(), '\n') == 1);
  }
};

}  // namespace command_trace

BOOST_FIXTURE_TEST_SUITE(command_trace, Fixture)

BOOST_AUTO_TEST_CASE(of_a_cholesky_factorization_has_all_tasks_and_true_dependencies) {
  const std::string path = folder.path("t.json");
  const auto json = Json::parse(
      succeeds({"run", "cholesky", "--n", "400", "--tile", "40", "--tile-rows", "40", "--trace", path, "--json"}));
  BOOST_TEST(json["trace"] == path);
  const tests::ChromeContent content = tests::check_chrome(folder.read("t.json"));
  BOOST_TEST(content.tasks.size() == json["tasks"].get<std::size_t>());
  std::map<std::string, int> tasks;
  for (const auto& task : content.tasks) ++tasks[task["name"].get<std::string>()];
  // These numbers of tasks belong to a Cholesky factorization of 10 x 10 tiles.
  BOOST_TEST(tasks["potrf"] == 10);
  BOOST_TEST(tasks["trsm"] == 45);
  BOOST_TEST(tasks["syrk"] == 45);
  BOOST_TEST(tasks["gemm"] == 120);
  // Each trsm, and each syrk, waits for at least one task; each gemm waits for at least two.
  BOOST_TEST(content.flows >= 9U + 45U + 45U + 2U * 120U);
}

BOOST_AUTO_TEST_CASE(is_written_for_vite_too) {
  const std::string path = folder.path("t.paje");
  const std::string output = succeeds({"run", "lu", "--n", "300", "--tile", "50", "--trace", path});
  BOOST_TEST(contains(output, "Trace: " + path));
  tests::PajeContent content(folder.read("t.paje"));
  BOOST_TEST(content.counts["PajeSetState"] > 20U);
  BOOST_TEST(content.counts["PajeStartLink"] > 20U);
}

BOOST_AUTO_TEST_CASE(is_of_the_last_run_only) {
  const Words once{"run", "cholesky", "--n", "200", "--tile", "50", "--json", "--trace", folder.path("t.json")};
  Words often = once;
  often.insert(often.end(), {"--repeat", "3", "--check"});
  const auto json = Json::parse(succeeds(often));
  BOOST_TEST(tests::check_chrome(folder.read("t.json")).tasks.size() == json["tasks"].get<std::size_t>());
}

BOOST_AUTO_TEST_CASE(of_a_solution_has_the_factorization_that_succeeded) {
  const std::string matrix = folder.write(
      "a.mtx", "%%MatrixMarket matrix coordinate real symmetric\n3 3 5\n1 1 1\n2 1 2\n2 2 1\n3 2 -1\n3 3 4\n");
  const std::string output = succeeds({"solve", matrix, "--trace", folder.path("t.json"), "--report", "--tile", "1"});
  BOOST_TEST(contains(output, "LU with partial pivoting"));
  BOOST_TEST(contains(output, "Where the time went"));
  const tests::ChromeContent content = tests::check_chrome(folder.read("t.json"));
  BOOST_TEST(!content.tasks.empty());
  for (const auto& task : content.tasks) BOOST_TEST(task["name"] != "potrf");
}

BOOST_AUTO_TEST_CASE(report_explains_a_run_whose_parts_sum_up) {
  const auto json =
      Json::parse(succeeds({"run", "qr", "--n", "300", "--tile", "50", "--inner", "25", "--report", "--json"}));
  const auto& report = json["report"];
  BOOST_TEST(report["tasks"] == json["tasks"]);
  BOOST_TEST(!json.contains("trace"));
  const double seconds = report["seconds"];
  for (const auto& worker : report["workers"]) {
    double sum = 0;
    for (const char* part : {"kernel", "overhead", "searching", "waiting", "idle"}) {
      const double value = worker[std::string(part) + "_seconds"];
      BOOST_TEST(value >= 0);
      sum += value;
    }
    BOOST_TEST(sum == seconds, boost::test_tools::tolerance(1e-6));
  }
  BOOST_TEST(report["critical_path"]["seconds"].get<double>() <= seconds);
  BOOST_TEST(report["critical_path"]["seconds"].get<double>() > 0);
  BOOST_TEST(report["bound_seconds"].get<double>() <= seconds);
  const std::string text = succeeds({"run", "qr", "--n", "300", "--tile", "50", "--inner", "25", "--report"});
  for (const char* part : {"Where the time went", "critical path", "work / workers", "in kernels"}) {
    BOOST_TEST(contains(text, part), "no '" << part << "' in\n" << text);
  }
}

BOOST_AUTO_TEST_CASE(shares_of_a_very_short_run_do_not_exceed_it) {
  for (int i = 0; i < 5; ++i) {
    const auto json = Json::parse(succeeds({"run", "cholesky", "--n", "1", "--json"}));
    for (const auto& worker : json["workers"]) {
      const double sum = worker["busy_seconds"].get<double>() + worker["searching_seconds"].get<double>() +
                         worker["idle_seconds"].get<double>();
      BOOST_TEST(sum <= json["seconds"].get<double>() * (1 + 1e-9));
    }
  }
}

BOOST_AUTO_TEST_CASE(is_refused_before_the_run_where_it_cannot_be_written) {
  const auto start = std::chrono::steady_clock::now();
  std::filesystem::create_directory(folder.path("folder.json"));
  const std::string matrix = folder.write("a.mtx", "%%MatrixMarket matrix array real general\n1 1\n2\n");
  for (const char* name : {"t.txt", "trace", "no/folder/t.json", "folder.json"}) {
    const std::string path = folder.path(name);
    for (const Words& command :
         {Words{"run", "cholesky", "--n", "1000", "--repeat", "100000"}, Words{"solve", matrix}}) {
      Words arguments = command;
      arguments.insert(arguments.end(), {"--trace", path});
      const platform::ChildOutput ran = run_program(arguments);
      BOOST_TEST(ran.exit_status == 2);
      BOOST_TEST(ran.output == "");
      BOOST_TEST(contains(ran.errors, path), ran.errors);
    }
  }
  const platform::ChildOutput ran = run_program({"run", "lu", "--n", "50", "--trace", "t.svg"});
  BOOST_TEST(contains(ran.errors, ".json"), ran.errors);
  BOOST_TEST(contains(ran.errors, ".paje"), ran.errors);
  BOOST_TEST(run_program({"run", "lu", "--n", "50", "--report", "--trace-limit", "0"}).exit_status == 2);
  BOOST_TEST((std::chrono::steady_clock::now() - start < std::chrono::seconds(60)));
}

BOOST_AUTO_TEST_CASE(that_finds_no_space_fails_after_the_results_and_leaves_no_part) {
  {
    const tests::FileSizeLimit disk_is_full(1000);
    for (const char* name : {"t.json", "t.paje"}) {
      warns({"run", "cholesky", "--n", "200", "--tile", "50", "--trace", folder.path(name)}, folder.path(name), 1);
    }
  }
  BOOST_TEST(folder.names().empty());
}

BOOST_AUTO_TEST_CASE(that_finds_a_full_device_fails_after_the_results) {
  if (!std::filesystem::exists("/dev/full")) {
    tests::skip("there is no /dev/full");
    return;
  }
  std::filesystem::create_symlink("/dev/full", folder.path("full.json"));
  std::filesystem::create_symlink("/dev/full", folder.path("full.svg"));
  const std::string full = folder.path("full.json"), full_plot = folder.path("full.svg");
  warns({"run", "cholesky", "--n", "200", "--tile", "50", "--trace", full}, "No space left", 1);
  warns({"run", "sparse-lu", "--n", "4", "--block", "8", "--trace", full}, "No space left", 1);
  const Words simulate{"simulate", "cholesky", "--platform", "idgraf-double", "--n", "1024", "--policy", "heft"};
  for (const char* option : {"--trace", "--plot"}) {
    if (option == std::string("--plot") && !traces::check_gnuplot()) continue;
    Words words = simulate;
    words.insert(words.end(), {option, option == std::string("--plot") ? full_plot : full});
    const platform::ChildOutput ran = run_program(words);
    BOOST_TEST(ran.exit_status == 1, ran.errors);
    BOOST_TEST(contains(ran.output, "GFlop/s"), ran.output);
    BOOST_TEST(contains(ran.errors, "No space left"), ran.errors);
  }
  const std::string matrix = folder.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n");
  for (const Words& solve : {Words{"solve", matrix}, Words{"solve", "--sparse", matrix}}) {
    Words words = solve;
    words.insert(words.end(), {"--trace", full});
    const platform::ChildOutput ran = run_program(words);
    BOOST_TEST(ran.exit_status == 1, ran.errors);
    BOOST_TEST(contains(ran.output, "esidual"), ran.output);
  }
}

BOOST_AUTO_TEST_CASE(that_finds_a_full_file_system_fails_after_the_results_and_leaves_no_part) {
  const std::string mount = "mount -t tmpfs -o size=4k none " + folder.path();
  const auto can = platform::run_child({"unshare", "--mount", "sh", "-c", mount}, "", std::chrono::seconds(60));
  if (!can || can.value().exit_status != 0) {
    tests::skip("no file system can be mounted here");
    return;
  }
  const auto ran = platform::run_child({"unshare", "--mount", "sh", "-c",
                                        mount + " && " TROUPE_EXECUTABLE " run cholesky --n 200 --tile 20 --trace " +
                                            folder.path("t.json") + "; echo code $?; ls -A " + folder.path()},
                                       "", std::chrono::seconds(120));
  BOOST_TEST_REQUIRE(ran.ok());
  BOOST_TEST(contains(ran.value().errors, "warning"));
  BOOST_TEST(contains(ran.value().errors, "No space left on device"));
  BOOST_TEST(ran.value().output.ends_with("code 1\n"), ran.value().output);
}

BOOST_AUTO_TEST_CASE(that_goes_to_a_pipe_whose_reader_has_gone_fails_after_the_results) {
  const std::string pipe = folder.path("t.json");
  const std::string command = "mkfifo " + pipe + "; head -c 1 " + pipe +
                              " > /dev/null & " TROUPE_EXECUTABLE " run cholesky --n 400 --tile 20 --trace " + pipe +
                              "; echo code $?";
  const auto ran = platform::run_child({"sh", "-c", command}, "", std::chrono::seconds(120));
  BOOST_TEST_REQUIRE(ran.ok());
  BOOST_TEST(contains(ran.value().output, "GFlop/s"));
  BOOST_TEST(ran.value().output.ends_with("code 1\n"), ran.value().output << ran.value().errors);
  BOOST_TEST(contains(ran.value().errors, "Broken pipe"), ran.value().errors);
}

BOOST_AUTO_TEST_CASE(that_would_grow_too_large_ends_with_a_warning) {
  warns({"run", "cholesky", "--n", "400", "--tile", "40", "--trace", folder.path("t.json"), "--trace-limit", "100"},
        "--trace-limit 100");
  const tests::ChromeContent content = tests::check_chrome(folder.read("t.json"));
  BOOST_TEST(content.tasks.size() <= 100U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
