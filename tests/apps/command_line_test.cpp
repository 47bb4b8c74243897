#include "apps/command_line.hpp"

#include <unistd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/child_process.hpp"
#include "platform/host_memory.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/temporary_folder.hpp"

// The program itself, as a user runs it.
namespace troupe::apps {
namespace {

using tests::contains;
using tests::TemporaryFolder;
using Words = std::vector<std::string>;

ChildOutput run_program(Words arguments, const Words& launcher = {}) {
  arguments.insert(arguments.begin(), TROUPE_EXECUTABLE);
  arguments.insert(arguments.begin(), launcher.begin(), launcher.end());
  return run_child(arguments, "", std::chrono::seconds(120)).value_or_throw();
}

/// `%%MatrixMarket matrix FORM` and the lines after it.
std::string matrix_file(const std::string& form, const std::string& rest) {
  return "%%MatrixMarket matrix " + form + "\n" + rest;
}

/// The command fails with this exit code and one line that has all of `parts`; nothing is on standard output.
void fails(int code, const Words& arguments, const Words& parts, const Words& launcher = {}) {
  const ChildOutput ran = run_program(arguments, launcher);
  std::string command;
  for (const std::string& argument : arguments) command += argument + ' ';
  BOOST_TEST_CONTEXT("troupe " << command << ": " << ran.errors) {
    BOOST_TEST(ran.exit_status == code);
    BOOST_TEST(ran.output == "");
    BOOST_TEST(ran.errors.starts_with("troupe: "));
    BOOST_TEST(std::count(ran.errors.begin(), ran.errors.end(), '\n') == 1);
    BOOST_TEST(ran.errors.ends_with('\n'));
    for (const std::string& part : parts) BOOST_TEST(contains(ran.errors, part), "no '" << part << "'");
  }
}

std::string succeeds(const Words& arguments, const Words& launcher = {}) {
  const ChildOutput ran = run_program(arguments, launcher);
  BOOST_TEST_CONTEXT(ran.output << ran.errors) {
    BOOST_TEST(ran.exit_status == 0);
    BOOST_TEST(ran.errors == "");
  }
  return ran.output;
}

/// A program that others would need, for a test of something that can be done without.
bool absent(const Words& command, const char* what) {
  const auto ran = run_child(command, "", std::chrono::seconds(60));
  if (ran && ran.value().exit_status == 0) return false;
  std::cout << "skipped: " << what << "\n";
  return true;
}
bool no_gnuplot() { return absent({"gnuplot", "--version"}, "gnuplot is not installed"); }

BOOST_AUTO_TEST_SUITE(command_line)

BOOST_AUTO_TEST_CASE(placing_policies_keep_what_they_learn_and_say_how_good_it_was) {
  const TemporaryFolder folder;
  const Words command{"run", "cholesky", "--n", "600", "--tile", "60", "--check", "--policy", "heft", "--models"};
  const auto with = [&](Words more) {
    more.insert(more.begin(), command.begin(), command.end());
    return succeeds(more);
  };
  BOOST_TEST(contains(with({folder.path("models")}), "predicted"));
  const TemporaryFolder& kept = folder;
  BOOST_REQUIRE(kept.names() == Words{"models"});
  // All is known now.
  const auto json = nlohmann::json::parse(with({folder.path("models"), "--json"}));
  std::uint64_t predicted = 0;
  for (const auto& of : json["predictions"]) {
    predicted += of["tasks"].get<std::uint64_t>();
    BOOST_TEST(of["kind"] == "cpu core");
    BOOST_TEST(of["predicted_seconds"].get<double>() > 0);
    BOOST_TEST(of["measured_seconds"].get<double>() > 0);
    BOOST_TEST(of["relative_error"].get<double>() >= 0);
  }
  BOOST_TEST(predicted > 0U);
  BOOST_TEST(predicted <= json["tasks"].get<std::uint64_t>());
  BOOST_TEST(!contains(with({"none", "--policy", "lws"}), "predicted"));
}

BOOST_AUTO_TEST_CASE(damaged_kernel_times_cost_a_warning) {
  const TemporaryFolder folder;
  const Words command{"run",     "lu",       "--n", "300",      "--tile",     "60",
                      "--check", "--policy", "mct", "--models", folder.path()};
  (void)succeeds(command);
  BOOST_REQUIRE(folder.names().size() == 1U);
  const std::string name = folder.names()[0];
  folder.write(name, "{");
  const ChildOutput ran = run_program(command);
  BOOST_TEST(ran.exit_status == 0);
  BOOST_TEST(ran.errors.starts_with("troupe: warning: "));
  BOOST_TEST(contains(ran.errors, name));
  (void)succeeds(command);
}

BOOST_AUTO_TEST_CASE(info_lists_the_kernel_times_that_are_kept) {
  const TemporaryFolder folder;
  const Words cache{"env", "XDG_CACHE_HOME=" + folder.path()};
  BOOST_TEST(contains(succeeds({"info"}, cache), "none yet"));
  (void)succeeds({"run", "cholesky", "--n", "300", "--tile", "60", "--policy", "heft"}, cache);
  const std::string text = succeeds({"info"}, cache);
  BOOST_TEST(contains(text, folder.path("troupe/kernel-times-")));
  BOOST_TEST(contains(text, "potrf"));
  const auto json = nlohmann::json::parse(succeeds({"info", "--json"}, cache));
  BOOST_TEST(json["models"]["kernels"].size() >= 3U);
}

BOOST_AUTO_TEST_CASE(help_lists_every_command_and_option) {
  const auto lists = [](const Words& arguments, const Words& parts) {
    const std::string help = succeeds(arguments);
    for (const std::string& part : parts) BOOST_TEST(contains(help, part), "no '" << part << "' in\n" << help);
  };
  const Words runtime{"--policy", "--cores",   "--window",    "--seed",  "lws",
                      "eager",    "--metrics", "--why-after", "--models"};
  lists({"--help"}, {"solve", "run", "simulate", "experiment", "info", "bench", "--version", "--help"});
  lists({"solve", "--help"}, runtime);
  lists({"solve", "--help"},
        {"matrix", "--rhs", "--output", "--method", "auto", "cholesky", "lu", "qr", "--precision", "--tile", "--json"});
  lists({"run", "--help"}, runtime);
  lists({"run", "--help"},
        {"application", "--n", "--tile", "--tile-rows", "--inner", "--precision", "--pivoting", "--problem",
         "random-definite", "covariance", "poisson", "--repeat", "--check", "--peak", "--picture", "--json"});
  lists({"info", "--help"},
        {"--cores", "--json", "--platform", "h200-nvlink", "idgraf", "idgraf-double", "sirocco", "sirocco-double"});
}

BOOST_AUTO_TEST_CASE(prints_its_version) {
  const std::string version = succeeds({"--version"});
  BOOST_TEST(std::count(version.begin(), version.end(), '.') == 2);
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_command) {
  fails(2, {}, {"no command", "solve, run, simulate, experiment, info or bench", "`troupe --help`"});
  fails(2, {"fly"}, {"fly", "`troupe --help`"});
  fails(2, {"run"}, {"application", "`troupe run --help`"});
  fails(2, {"run", "sort"}, {"sort", "cholesky"});
  fails(2, {"run", "lu", "qr"}, {"qr"});
  fails(2, {"run", "lu", "--fast"}, {"--fast"});
  fails(2, {"solve"}, {"matrix"});
}

BOOST_AUTO_TEST_CASE(metrics_are_a_table_or_an_object_with_every_actor) {
  const std::string table = succeeds({"run", "cholesky", "--n", "300", "--cores", "1", "--metrics"});
  for (const char* part : {"Mailboxes", "received", "waiting", "worker 0", "supervisor"})
    BOOST_TEST(contains(table, part));
  BOOST_TEST(!contains(succeeds({"run", "cholesky", "--n", "300"}), "Mailboxes"));
  const auto json =
      nlohmann::json::parse(succeeds({"run", "cholesky", "--n", "300", "--cores", "1", "--metrics", "--json"}));
  const auto& mailboxes = json["metrics"]["mailboxes"];
  BOOST_TEST_REQUIRE(mailboxes.size() == 2U);
  for (const auto& one : mailboxes) {
    BOOST_TEST(one["received"].get<int>() >= 1);
    BOOST_TEST(one["received"].get<int>() ==
               one["processed"].get<int>() + one["dropped"].get<int>() + one["depth"].get<int>());
    BOOST_TEST(one["waiting"]["p50_seconds"].get<double>() <= one["waiting"]["max_seconds"].get<double>());
  }
}

BOOST_AUTO_TEST_CASE(solving_prints_metrics_too) {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.mtx", matrix_file("array real general", "2 2\n4\n1\n1\n3\n"));
  BOOST_TEST(contains(succeeds({"solve", file, "--metrics"}), "supervisor"));
  const auto json = nlohmann::json::parse(succeeds({"solve", file, "--metrics", "--json"}));
  BOOST_TEST(json["metrics"]["mailboxes"].size() >= 2U);
}

BOOST_AUTO_TEST_CASE(a_stall_is_explained_on_standard_error) {
  // One tile: a single kernel that takes far longer than a millisecond.
  const ChildOutput ran =
      run_program({"run", "cholesky", "--n", "1500", "--tile", "1500", "--why-after", "1ms", "--json"});
  BOOST_TEST(ran.exit_status == 0);
  BOOST_TEST(contains(ran.errors, "troupe: stalled"));
  BOOST_TEST(contains(ran.errors, "Nothing has started or ended for "));
  BOOST_TEST(contains(ran.errors, "which has been running on worker "));
  BOOST_TEST(nlohmann::json::parse(ran.output)["n"] == 1500);
  BOOST_TEST(succeeds({"run", "cholesky", "--n", "200", "--why-after", "60s", "--json"}) != "");
}

BOOST_AUTO_TEST_CASE(refuses_times_that_are_none) {
  for (const char* value : {"5", "-5s", "0s", "5 s", "soon", ""}) {
    fails(2, {"run", "cholesky", "--why-after", value}, {"--why-after"});
  }
  fails(2, {"solve", "nothing.mtx", "--why-after", "5"}, {"--why-after", "'5'", "5s, 500ms or 2m"});
}

BOOST_AUTO_TEST_CASE(refuses_numbers_that_make_no_sense) {
  for (const char* option : {"--n", "--tile", "--inner", "--repeat", "--cores", "--window"}) {
    for (const char* value : {"0", "-1", "many", "1.5", "", "99999999999999999999", "9223372036854775808"}) {
      fails(2, {"run", "cholesky", option, value}, {option});
    }
    fails(2, {"run", "cholesky", option}, {option});
  }
  fails(2, {"run", "cholesky", "--n", "3000000000"}, {"--n", "2147483647"});
  fails(2, {"run", "cholesky", "--seed", "x"}, {"--seed"});
  fails(2, {"run", "cholesky", "--seed", "-1"}, {"--seed"});
  fails(2, {"info", "--cores", "0"}, {"--cores"});
}

BOOST_AUTO_TEST_CASE(refuses_unknown_names_before_any_work) {
  for (const Words& command : {Words{"run", "cholesky", "--n", "20000"}, Words{"solve", "no-such-file.mtx"}}) {
    Words arguments = command;
    arguments.insert(arguments.end(), {"--policy", "fastest"});
    fails(2, arguments, {"--policy", "unknown policy 'fastest'", "eager", "ws", "lws"});
  }
  fails(2, {"run", "cholesky", "--precision", "half"}, {"--precision", "half", "double"});
  fails(2, {"run", "lu", "--pivoting", "rook"}, {"--pivoting", "rook", "partial"});
  fails(2, {"run", "cholesky", "--problem", "hard"}, {"--problem", "hard", "poisson"});
  fails(2, {"solve", "a.mtx", "--method", "guess"}, {"--method", "guess", "cholesky"});
}

BOOST_AUTO_TEST_CASE(refuses_more_cores_than_are_allowed) {
  fails(2, {"run", "cholesky", "--n", "100", "--cores", "100000"}, {"100000", "core"});
  fails(2, {"info", "--cores", "100000"}, {"100000", "core"});
}

BOOST_AUTO_TEST_CASE(refuses_tiles_that_do_not_fit_the_algorithm) {
  fails(2, {"run", "cholesky", "--n", "100", "--tile", "10", "--tile-rows", "25"}, {"--tile-rows", "25", "--tile"});
  fails(2, {"run", "qr", "--n", "100", "--tile", "10", "--tile-rows", "20"}, {"--tile-rows", "square"});
}

BOOST_AUTO_TEST_CASE(refuses_a_matrix_that_does_not_fit_into_memory_before_it_allocates) {
  const auto start = std::chrono::steady_clock::now();
  const double available = static_cast<double>(platform::read_host_memory().available.count);
  const auto too_large = std::to_string(static_cast<std::int64_t>(std::sqrt(available / 8) * 1.5));
  for (const char* application : {"cholesky", "lu", "qr"}) {
    fails(2, {"run", application, "--n", too_large}, {too_large + " x " + too_large, "memory", "smaller matrix"});
    fails(2, {"run", application, "--n", "2000000000", "--check"}, {"2000000000 x 2000000000", "memory"});
  }
  fails(2, {"run", "cholesky", "--n", "2147483647", "--tile", "1"}, {"memory"});
  // The matrix alone would fit, its tiles do not.
  const auto many_tiles = std::to_string(static_cast<std::int64_t>(std::sqrt(available / 256)));
  fails(2, {"run", "cholesky", "--n", many_tiles, "--tile", "1", "--tile-rows", "1"}, {"memory", "larger tiles"});
  const TemporaryFolder folder;
  const std::string file =
      folder.write("large.mtx", matrix_file("coordinate real general", "1000000 1000000 1\n1 1 1\n"));
  fails(2, {"solve", file}, {"1000000 x 1000000", "memory"});
  const std::string huge =
      folder.write("huge.mtx", matrix_file("coordinate real general", "2000000000 2000000000 1\n1 1 1\n"));
  fails(2, {"solve", huge}, {huge, "2000000000 x 2000000000", "too large"});
  BOOST_TEST((std::chrono::steady_clock::now() - start < std::chrono::seconds(60)));
}

BOOST_AUTO_TEST_CASE(runs_with_tiles_larger_than_the_matrix) {
  for (const char* application : {"cholesky", "lu", "qr"}) {
    succeeds({"run", application, "--n", "50", "--tile", "51", "--check"});
    succeeds({"run", application, "--n", "50", "--tile", "2147483647", "--check"});
    succeeds({"run", application, "--n", "1", "--check", "--precision", "float"});
  }
}

BOOST_AUTO_TEST_CASE(run_prints_json_that_has_the_documented_keys) {
  const auto json =
      nlohmann::json::parse(succeeds({"run", "lu", "--n", "200", "--tile", "32", "--repeat", "3", "--check", "--peak",
                                      "--seed", "5", "--json", "--policy", "ws", "--cores", "1"}));
  for (const char* key : {"app", "n", "tile", "precision", "policy", "cores", "gpus", "seed", "seconds", "gflops",
                          "residual", "tasks", "workers", "problem", "runs", "residuals", "share_of_peak"}) {
    BOOST_TEST(json.contains(key), "no key '" << key << "'");
  }
  BOOST_TEST(json["app"] == "lu");
  BOOST_TEST(json["n"] == 200);
  BOOST_TEST(json["tile"] == 32);
  BOOST_TEST(json["precision"] == "double");
  BOOST_TEST(json["policy"] == "ws");
  BOOST_TEST(json["cores"] == 1);
  BOOST_TEST(json["seed"] == 5);
  BOOST_TEST(json["runs"].size() == 3);
  BOOST_TEST(json["residual"].get<double>() < 30);
  BOOST_TEST(json["seconds"].get<double>() > 0);
  BOOST_TEST(json["gflops"].get<double>() > 0);
  BOOST_TEST(json["tasks"].get<int>() > 0);
  BOOST_REQUIRE(json["workers"].size() == 1);
  BOOST_TEST(json["workers"][0]["tasks"] == json["tasks"]);
}

BOOST_AUTO_TEST_CASE(info_prints_json_and_text) {
  const auto json = nlohmann::json::parse(succeeds({"info", "--json"}));
  for (const char* key : {"cores", "usable_cores", "memory_available_bytes", "workers", "policies", "memory_nodes"}) {
    BOOST_TEST(json.contains(key), "no key '" << key << "'");
  }
  const std::string text = succeeds({"info"});
  for (const char* part : {"Workers", "Memory", "lws", "GPU"}) BOOST_TEST(contains(text, part));
}

BOOST_AUTO_TEST_CASE(info_shows_a_described_machine_as_text_and_as_json) {
  const std::string text = succeeds({"info", "--platform", "sirocco"});
  for (const char* part : {"sirocco\n", "Source: StarPU", "Cores: 24 in 2 socket(s), Intel Xeon E5-2680 v3",
                           "gpu3  Tesla K40m", "11.2 GiB", "12-23", "host  10.52", "10.24", "23.38", "trsm_right_upper",
                           "320 640 960 1440", "27.9 at 320, 43.7 at 640, 46.6 at 960, 43.1 at 1440"}) {
    BOOST_TEST(contains(text, part), "no '" << part << "' in\n" << text);
  }
  const auto json = nlohmann::json::parse(succeeds({"info", "--platform", "idgraf-double", "--json"}));
  BOOST_TEST(json["platform"] == "idgraf-double");
  BOOST_TEST(json["cores"] == 12);
  BOOST_REQUIRE(json["gpus"].size() == 8);
  BOOST_TEST(json["gpus"][0]["memory_bytes"] == 2817982464U);
  BOOST_TEST(json["links"][0]["name"] == "host");
  BOOST_TEST(json["bandwidth_mb_per_s"][0][8] == 6026);
  BOOST_TEST(json["latency_us"][8][1] == 28);
  BOOST_TEST(json["routes"].size() == 72);
  const auto& potrf = json["kernels"][3];
  BOOST_TEST(potrf["kernel"] == "potrf");
  BOOST_TEST(potrf["tiles"][1]["tile"] == 512);
  BOOST_TEST(potrf["tiles"][1]["cpu_us"]["mean"] == 6659);
  BOOST_TEST(potrf["tiles"][1]["gpu_us"][7]["dev"] == 256.1);
  BOOST_TEST(std::abs(potrf["tiles"][1]["gpu_over_core"].get<double>() - 1.3) < 0.001);
}

BOOST_AUTO_TEST_CASE(info_shows_a_machine_from_a_file_and_says_what_is_wrong_with_one) {
  const TemporaryFolder folder;
  const std::string start = R"({"name": "cores only", "cpu": {"cores": )";
  const std::string rest = R"(}, "gpus": [], "kernels": [{"application": "a", "kernel": "k", "precision": "single",
                               "tile": 8, "cpu_us": {"mean": 5}}]})";
  const std::string text = succeeds({"info", "--platform", folder.write("good.json", start + "3" + rest)});
  for (const char* part : {"cores only", "Cores: 3 in 1 socket(s)", "GPUs: none"}) BOOST_TEST(contains(text, part));

  const auto wrong = [](const std::string& file, const Words& parts) { fails(2, {"info", "--platform", file}, parts); };
  wrong(folder.write("bad.json", start + "-3" + rest), {folder.path("bad.json"), "cpu.cores is -3", "whole number"});
  wrong(folder.write("short.json", start + "3}"), {folder.path("short.json"), "ends too early", "truncated"});
  wrong(folder.write("empty.json", ""), {"empty"});
  wrong(folder.path("absent.json"), {folder.path("absent.json"), "No such file"});
  wrong(folder.path(), {"Is a directory"});
  wrong("nowhere", {"no machine 'nowhere'", "h200-nvlink, idgraf, idgraf-double, sirocco, sirocco-double"});
  wrong("", {"no machine ''"});
  fails(2, {"info", "--platform"}, {"--platform: a value is missing", "`troupe info --help`"});
  fails(2, {"info", "--platform", "idgraf", "--cores", "2"}, {"--cores", "--platform"});
}

BOOST_AUTO_TEST_CASE(a_failed_check_is_a_failure_that_still_shows_what_was_measured) {
  // Without pivoting this is unstable.
  const ChildOutput ran = run_program({"run", "lu", "--n", "300", "--pivoting", "none", "--problem", "random",
                                       "--precision", "float", "--tile", "8", "--check", "--seed", "3"});
  if (ran.exit_status == 0) return;  // luck
  BOOST_TEST(ran.exit_status == 1);
  BOOST_TEST(contains(ran.output, "NOT below"));
  BOOST_TEST(contains(ran.errors, "the check failed"));
}

BOOST_AUTO_TEST_CASE(says_that_standard_output_is_full) {
  if (!std::filesystem::exists("/dev/full")) {
    std::cout << "skipped: there is no /dev/full\n";
    return;
  }
  for (const char* command : {"info", "info --json", "run lu --n 50", "run lu --n 50 --json"}) {
    const auto ran = run_child({"sh", "-c", std::string(TROUPE_EXECUTABLE) + " " + command + " > /dev/full"}, "",
                               std::chrono::seconds(60));
    BOOST_TEST_REQUIRE(ran.ok());
    BOOST_TEST(ran.value().exit_status == 1);
    BOOST_TEST(contains(ran.value().errors, "standard output"));
  }
}

BOOST_AUTO_TEST_SUITE_END()

struct FolderFixture {
  TemporaryFolder folder;

  std::string general(const std::string& entries, const std::string& size = "3 3 3") const {
    return folder.write("a.mtx", matrix_file("coordinate real general", size + "\n" + entries));
  }
  std::string array(const std::string& name, const std::string& content) const {
    return folder.write(name, matrix_file("array real general", content));
  }
  /// Nothing but what the test put there.
  void has(Words names) const {
    std::sort(names.begin(), names.end());
    BOOST_TEST(folder.names() == names, boost::test_tools::per_element());
  }
};

BOOST_FIXTURE_TEST_SUITE(command_line_solve, FolderFixture)

BOOST_AUTO_TEST_CASE(solves_by_every_method_and_writes_the_solution) {
  const std::string file = folder.write(
      "spd.mtx", matrix_file("coordinate integer symmetric", "3 3 5\n1 1 4\n2 1 -1\n2 2 4\n3 2 -1\n3 3 4\n"));
  const std::string b = array("b.mtx", "3 2\n2\n4\n10\n3\n2\n3\n");  // solutions: 1 2 3 and 1 1 1
  const std::string x = folder.path("x.mtx");
  for (const char* method : {"auto", "cholesky", "lu", "qr"}) {
    for (const char* precision : {"float", "double"}) {
      succeeds({"solve", file, "--rhs", b, "--method", method, "--output", x, "--precision", precision, "--tile", "2"});
      std::istringstream lines(folder.read("x.mtx"));
      std::string line;
      while (std::getline(lines, line) && line.starts_with('%')) {
      }
      BOOST_TEST(line == "3 2");
      for (const double expected : {1, 2, 3, 1, 1, 1}) {
        double value = 0;
        lines >> value;
        BOOST_TEST(value == expected, boost::test_tools::tolerance(1e-5));
      }
    }
  }
  has({"spd.mtx", "b.mtx", "x.mtx"});
}

BOOST_AUTO_TEST_CASE(prints_json_that_has_the_documented_keys) {
  const std::string file = general("1 1 1\n2 2 2\n3 3 3\n");
  const auto json = nlohmann::json::parse(succeeds({"solve", file, "--json", "--seed", "4"}));
  for (const char* key : {"app", "n", "tile", "precision", "policy", "cores", "gpus", "seed", "seconds", "gflops",
                          "residual", "tasks", "workers", "matrix", "method"}) {
    BOOST_TEST(json.contains(key), "no key '" << key << "'");
  }
  BOOST_TEST(json["app"] == "solve");
  BOOST_TEST(json["matrix"] == file);
  BOOST_TEST(json["method"] == "lu");
  BOOST_TEST(json["n"] == 3);
  BOOST_TEST(!json.contains("remark"));
}

BOOST_AUTO_TEST_CASE(prints_json_for_a_file_whose_name_is_no_text) {
  const std::string file = folder.write("\xff\xfe.mtx", matrix_file("coordinate real general", "1 1 1\n1 1 2\n"));
  BOOST_TEST(nlohmann::json::parse(succeeds({"solve", file, "--json"}))["n"] == 1);
}

BOOST_AUTO_TEST_CASE(says_why_cholesky_became_lu) {
  const std::string file =
      folder.write("a.mtx", matrix_file("coordinate real symmetric", "3 3 4\n1 1 1\n2 1 5\n2 2 1\n3 3 1\n"));
  const std::string text = succeeds({"solve", file});
  BOOST_TEST(contains(text, "leading minor of order 2"));
  BOOST_TEST(contains(text, "LU with partial pivoting instead of Cholesky"));
  const auto json = nlohmann::json::parse(succeeds({"solve", file, "--json"}));
  BOOST_TEST(json["method"] == "lu");
  BOOST_TEST(contains(json["remark"].get<std::string>(), "leading minor of order 2"));
  fails(2, {"solve", file, "--method", "cholesky"},
        {file, "not positive definite", "leading minor of order 2", "--method lu"});
  has({"a.mtx"});
}

BOOST_AUTO_TEST_CASE(refuses_files_that_cannot_be_used) {
  const std::string missing = folder.path("missing.mtx");
  fails(2, {"solve", missing}, {missing, "No such file"});
  fails(2, {"solve", folder.path()}, {folder.path(), "irectory"});
  fails(2, {"solve", ""}, {"matrix", "empty"});
  fails(2, {"solve", missing, "--rhs", ""}, {"--rhs", "empty"});
  fails(2, {"solve", missing, "--output", ""}, {"--output", "empty"});
  fails(2, {"solve", folder.write("empty.mtx", "")}, {"empty.mtx"});
  fails(2, {"solve", folder.write("text.mtx", "hello\n")}, {"text.mtx", "MatrixMarket"});
  fails(2, {"solve", general("1 1 1\n2 2 1\n")}, {"a.mtx", "3"});
  fails(2, {"solve", general("1 1 1\n2 2 1\n3 3")}, {"a.mtx", "line 5"});
  fails(2, {"solve", general("1 1 1\n2 2 nan\n3 3 1\n")}, {"a.mtx", "line 4", "nan"});
  fails(2, {"solve", general("1 1 1\n2 2 inf\n3 3 1\n")}, {"a.mtx", "line 4"});
  fails(2, {"solve", general("1 1 1\n2 2 1\n4 3 1\n")}, {"a.mtx", "line 5", "4"});
  fails(2, {"solve", general("1 1 1\n2 2 1\n0 3 1\n")}, {"a.mtx", "line 5", "0"});
  fails(2, {"solve", general("1 1 1\n2 2 1\n3 3 1\n", "3 4 3")}, {"a.mtx", "3 x 4", "square"});
  fails(2, {"solve", folder.write("p.mtx", matrix_file("coordinate pattern general", "1 1 1\n1 1\n"))},
        {"p.mtx", "pattern"});
  fails(2, {"solve", folder.write("c.mtx", matrix_file("coordinate complex general", "1 1 1\n1 1 1 0\n"))},
        {"c.mtx", "complex"});
  fails(2, {"solve", general("1 1 1\n2 2 1\n3 3 1\n"), "--method", "cholesky"}, {"a.mtx", "symmetric", "--method lu"});
}

BOOST_AUTO_TEST_CASE(refuses_singular_matrices) {
  const std::string file = general("1 1 1\n2 3 1\n3 3 1\n");  // column 2 is empty
  for (const char* method : {"auto", "lu"}) {
    fails(2, {"solve", file, "--method", method, "--output", folder.path("x.mtx")},
          {file, "singular", "pivot 2 is exactly zero", "no solution"});
  }
  fails(2, {"solve", file, "--method", "qr"}, {file, "singular", "element 2 on the diagonal of R"});
  const std::string symmetric =
      folder.write("s.mtx", matrix_file("coordinate real symmetric", "2 2 3\n1 1 1\n2 1 1\n2 2 1\n"));
  fails(2, {"solve", symmetric}, {symmetric, "singular", "pivot 2"});
  has({"a.mtx", "s.mtx"});
}

BOOST_AUTO_TEST_CASE(writes_no_solution_that_is_not_accurate) {
  // The elements of the factors overflow.
  const std::string file = array("a.mtx", "2 2\n1e-200\n1e200\n1e200\n1e-200\n");
  const std::string b = array("b.mtx", "2 1\n1e308\n1e-308\n");
  const ChildOutput ran = run_program({"solve", file, "--rhs", b, "--method", "qr", "--output", folder.path("x.mtx")});
  if (ran.exit_status != 0) has({"a.mtx", "b.mtx"});
}

BOOST_AUTO_TEST_CASE(refuses_a_right_hand_side_that_does_not_fit) {
  const std::string file = general("1 1 1\n2 2 1\n3 3 1\n");
  fails(2, {"solve", file, "--rhs", array("b.mtx", "2 1\n1\n1\n")}, {"b.mtx", "2 rows", "a.mtx", "3"});
  fails(2, {"solve", file, "--rhs", folder.path("none.mtx")}, {"none.mtx", "No such file"});
  fails(2, {"solve", file, "--rhs", array("b.mtx", "3 1\n1\n1\n")}, {"b.mtx"});
  fails(2, {"solve", file, "--rhs", array("b.mtx", "3 1\n1\nnan\n1\n")}, {"b.mtx", "nan"});
  fails(2, {"solve", file, "--rhs", array("b.mtx", "3 2000000000\n1\n")}, {"memory"});
}

BOOST_AUTO_TEST_CASE(refuses_an_output_that_cannot_be_written_before_it_reads_the_matrix) {
  const std::string damaged = general("1 1 1\n2 2 nan\n3 3 1\n");
  fails(2, {"solve", damaged, "--output", folder.path("no/folder/x.mtx")}, {"no/folder/x.mtx", "No such file"});
  fails(2, {"solve", damaged, "--output", folder.path()}, {folder.path(), "irectory"});
  has({"a.mtx"});
}

BOOST_AUTO_TEST_CASE(leaves_no_part_of_a_solution_where_there_is_no_space) {
  std::string numbers;
  for (int i = 0; i < 900; ++i) numbers += i % 31 == 0 ? "1\n" : "0\n";
  const std::string file = array("a.mtx", "30 30\n" + numbers);
  folder.write("x.mtx", "what was there");
  {
    const tests::FileSizeLimit disk_is_full(10);
    const ChildOutput ran = run_program({"solve", file, "--output", folder.path("x.mtx")});
    BOOST_TEST(ran.exit_status == 1);
    BOOST_TEST(contains(ran.errors, "x.mtx"));
  }
  has({"a.mtx", "x.mtx"});
  BOOST_TEST(folder.read("x.mtx") == "what was there");
  if (std::filesystem::exists("/dev/full")) {
    const ChildOutput ran = run_program({"solve", file, "--output", "/dev/full"});
    BOOST_TEST(ran.exit_status == 1);
    BOOST_TEST(contains(ran.errors, "/dev/full"));
  }
}

BOOST_AUTO_TEST_CASE(refuses_what_the_user_may_not_touch) {
  Words as_user;
  if (::getuid() == 0) {
    as_user = {"setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"};
    Words version = as_user;
    version.insert(version.end(), {TROUPE_EXECUTABLE, "--version"});
    if (absent(version, "run as root, and no other user can run the program")) return;
  }
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  const std::string file = general("1 1 1\n2 2 1\n3 3 1\n");
  const std::string secret = folder.write("secret.mtx", folder.read("a.mtx"));
  std::filesystem::permissions(secret, std::filesystem::perms::none);
  fails(2, {"solve", secret}, {secret, "Permission denied"}, as_user);
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  fails(2, {"solve", file, "--output", folder.path("x.mtx")}, {"x.mtx", "Permission denied"}, as_user);
  if (!no_gnuplot()) {
    fails(2, {"run", "lu", "--n", "50", "--picture", folder.path("x.svg")}, {"x.svg", "Permission denied"}, as_user);
  }
  has({"a.mtx", "secret.mtx"});
}

BOOST_AUTO_TEST_CASE(solves_real_matrices) {
  const std::string data = TROUPE_SOURCE_DIR "/../shared/data/";
  if (!std::filesystem::exists(data + "bcsstk13.mtx")) {
    std::cout << "skipped: no real matrices beside the repository\n";
    return;
  }
  const auto json = nlohmann::json::parse(succeeds({"solve", data + "bcsstk13.mtx", "--json"}));
  BOOST_TEST(json["method"] == "cholesky");
  BOOST_TEST(json["residual"].get<double>() < 30);
  for (const char* method : {"lu", "qr"}) {
    const auto other = nlohmann::json::parse(succeeds({"solve", data + "watt_2.mtx", "--method", method, "--json"}));
    BOOST_TEST(other["residual"].get<double>() < 30);
  }
  fails(2, {"solve", data + "rajat01.mtx"}, {"rajat01.mtx", "pattern"});
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_FIXTURE_TEST_SUITE(command_line_picture, FolderFixture)

BOOST_AUTO_TEST_CASE(is_drawn_and_named) {
  if (no_gnuplot()) return;
  const auto json = nlohmann::json::parse(
      succeeds({"run", "cholesky", "--n", "200", "--tile", "50", "--picture", folder.path("run.png"), "--json"}));
  BOOST_TEST(json["picture"]["svg"] == folder.path("run.svg"));
  BOOST_TEST(json["picture"]["png"] == folder.path("run.png"));
  has({"run.svg", "run.png"});
}

BOOST_AUTO_TEST_CASE(is_refused_before_the_run_where_it_cannot_be_written) {
  const auto start = std::chrono::steady_clock::now();
  for (const char* name : {"run.pdf", "run", "no/folder/run.svg"}) {
    const std::string path = folder.path(name);
    fails(2, {"run", "cholesky", "--n", "1000", "--repeat", "100000", "--picture", path}, {path});
  }
  fails(2, {"run", "cholesky", "--picture", ""}, {"--picture", "empty"});
  BOOST_TEST((std::chrono::steady_clock::now() - start < std::chrono::seconds(60)));
  has({});
}

BOOST_AUTO_TEST_CASE(that_finds_no_space_leaves_no_part_and_the_results_are_shown) {
  if (no_gnuplot()) return;
  const tests::FileSizeLimit disk_is_full(1000);
  const ChildOutput ran =
      run_program({"run", "cholesky", "--n", "200", "--tile", "50", "--picture", folder.path("run.svg")});
  BOOST_TEST(ran.exit_status == 1);
  BOOST_TEST(contains(ran.errors, "run.svg"));
  BOOST_TEST(contains(ran.output, "GFlop/s"));
  has({});
}

BOOST_AUTO_TEST_CASE(that_finds_a_full_file_system_leaves_no_part) {
  if (no_gnuplot()) return;
  const std::string mount = "mount -t tmpfs -o size=4k none " + folder.path();
  if (absent({"unshare", "--mount", "sh", "-c", mount}, "no file system can be mounted here")) return;
  const auto ran = run_child({"unshare", "--mount", "sh", "-c",
                              mount + " && " TROUPE_EXECUTABLE " run cholesky --n 200 --tile 50 --picture " +
                                  folder.path("run.svg") + "; echo code $?; ls -A " + folder.path()},
                             "", std::chrono::seconds(120));
  BOOST_TEST_REQUIRE(ran.ok());
  BOOST_TEST(contains(ran.value().errors, "No space left on device"));
  BOOST_TEST(ran.value().output.ends_with("code 1\n"), ran.value().output);
}

BOOST_AUTO_TEST_CASE(of_an_interrupted_run_is_not_there) {
  if (absent({"timeout", "10", "true"}, "there is no timeout command")) return;
  const auto ran = run_child({"timeout", "-s", "INT", "2", TROUPE_EXECUTABLE, "run", "lu", "--n", "500", "--repeat",
                              "1000000", "--picture", folder.path("run.svg")},
                             "", std::chrono::seconds(60));
  BOOST_TEST_REQUIRE(ran.ok());
  BOOST_TEST(ran.value().exit_status == 124);
  has({});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::apps
