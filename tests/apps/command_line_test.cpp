#include "apps/command_line.hpp"

#include <unistd.h>
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <filesystem>
#include <string>

#include "platform/machine/host_memory.hpp"
#include "proto/json/json.hpp"
#include "tests/apps/troupe_program.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/temporary_folder.hpp"
#include "troupe/version.hpp"

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(command_line)

namespace {

using tests::absent;
using tests::contains;
using tests::fails;
using tests::run_program;
using tests::succeeds;
using tests::TemporaryFolder;
using tests::Words;

/// Returns the text of a file that begins with `%%MatrixMarket matrix FORM`, followed by `rest`.
std::string matrix_file(const std::string& form, const std::string& rest) {
  return "%%MatrixMarket matrix " + form + "\n" + rest;
}

BOOST_AUTO_TEST_CASE(placing_policies_keep_what_they_learn_and_say_how_good_it_was) {
  const TemporaryFolder folder;
  const Words command{"run", "cholesky", "--n", "600", "--tile", "60", "--check", "--policy", "heft", "--models"};
  const auto with = [&](Words more) {
    more.insert(more.begin(), command.begin(), command.end());
    return succeeds(more);
  };
  BOOST_TEST(contains(with({folder.path("models")}), "predicted"));
  BOOST_REQUIRE(folder.names() == Words{"models"});
  // The second run reads the times that the first run has kept, so it knows all times.
  const auto json = Json::parse(with({folder.path("models"), "--json"}));
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
  BOOST_TEST(!contains(succeeds({"run", "cholesky", "--n", "300", "--policy", "lws"}), "predicted"));
}

BOOST_AUTO_TEST_CASE(damaged_kernel_times_cost_a_warning) {
  const TemporaryFolder folder;
  const Words command{"run",     "lu",       "--n", "300",      "--tile",     "60",
                      "--check", "--policy", "mct", "--models", folder.path()};
  (void)succeeds(command);
  BOOST_REQUIRE(folder.names().size() == 1U);
  const std::string name = folder.names()[0];
  folder.write(name, "{");
  const platform::ChildOutput ran = run_program(command);
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
  const auto json = Json::parse(succeeds({"info", "--json"}, cache));
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
  const std::string text = succeeds({"--version"});
  const Version& built = version();
  BOOST_TEST(text.starts_with("troupe " + built.number + (built.commit.empty() ? "\n" : " (commit " + built.commit)));
  BOOST_TEST(std::count(built.number.begin(), built.number.end(), '.') == 2);
  BOOST_TEST(text.find("\nbuilt by " + built.compiler + ", " + built.build_type + "; with ") != std::string::npos);
  BOOST_TEST(!built.compiler.empty());
  const auto json = Json::parse(succeeds({"info", "--json"}))["troupe"];
  BOOST_TEST(json["version"] == built.number);
  BOOST_TEST(json["commit"] == built.commit);
  BOOST_TEST(json["service"] == built.service);
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_command) {
  fails(2, {}, {"no command", "solve, run, simulate, experiment, model, info, bench", "`troupe --help`"});
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
  const auto json = Json::parse(succeeds({"run", "cholesky", "--n", "300", "--cores", "1", "--metrics", "--json"}));
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
  const auto json = Json::parse(succeeds({"solve", file, "--metrics", "--json"}));
  BOOST_TEST(json["metrics"]["mailboxes"].size() >= 2U);
}

BOOST_AUTO_TEST_CASE(a_stall_is_explained_on_standard_error) {
  // The matrix is a single tile, so one kernel takes much longer than a millisecond.
  const platform::ChildOutput ran =
      run_program({"run", "cholesky", "--n", "1500", "--tile", "1500", "--why-after", "1ms", "--json"});
  BOOST_TEST(ran.exit_status == 0);
  BOOST_TEST(contains(ran.errors, "troupe: stalled"));
  BOOST_TEST(contains(ran.errors, "Nothing has started or ended for "));
  BOOST_TEST(contains(ran.errors, "which has been running on worker "));
  BOOST_TEST(Json::parse(ran.output)["n"] == 1500);
  BOOST_TEST(succeeds({"run", "cholesky", "--n", "200", "--why-after", "60s", "--json"}) != "");
}

BOOST_AUTO_TEST_CASE(refuses_times_that_are_none) {
  for (const char* value : {"5", "-5s", "5 s", "soon", ""}) {
    fails(2, {"run", "cholesky", "--why-after", value}, {"--why-after"});
  }
  fails(2, {"solve", "nothing.mtx", "--why-after", "5"}, {"--why-after", "'5'", "500ms, 5s or 2m"});
}

BOOST_AUTO_TEST_CASE(refuses_numbers_that_make_no_sense) {
  // `--cores 0` is valid: it means all cores that the process may use.
  for (const char* option : {"--n", "--tile", "--inner", "--repeat", "--cores", "--window"}) {
    for (const char* value : {option == std::string("--cores") ? "1048577" : "0", "-1", "many", "1.5", "",
                              "99999999999999999999", "18446744073709551616"}) {
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
  fails(2, {"run", "lu", "--pivoting", "rook"}, {"--pivoting", "rook", "partial", "incremental"});
  fails(2, {"run", "cholesky", "--problem", "hard"}, {"--problem", "hard", "poisson"});
  fails(2, {"solve", "a.mtx", "--method", "guess"}, {"--method", "guess", "cholesky"});
}

BOOST_AUTO_TEST_CASE(refuses_more_cores_than_are_allowed) {
  fails(2, {"run", "cholesky", "--n", "100", "--cores", "100000"}, {"100000", "core"});
  fails(2, {"info", "--cores", "100000"}, {"100000", "core"});
}

BOOST_AUTO_TEST_CASE(refuses_tiles_that_do_not_fit_the_algorithm) {
  fails(2, {"run", "cholesky", "--n", "100", "--tile", "10", "--tile-rows", "25"}, {"--tile-rows", "25", "--tile"});
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
  // The matrix would fit into memory, but the data of its many tiles do not.
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
  const auto json = Json::parse(succeeds({"run", "lu", "--n", "200", "--tile", "32", "--repeat", "3", "--check",
                                          "--peak", "--seed", "5", "--json", "--policy", "ws", "--cores", "1"}));
  for (const char* key : {"app", "n", "tile", "precision", "policy", "cores", "gpus", "seed", "seconds", "gflops",
                          "residual", "tasks", "workers", "problem", "runs", "residuals", "fraction_of_peak"}) {
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
  const auto json = Json::parse(succeeds({"info", "--json"}));
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
  const auto json = Json::parse(succeeds({"info", "--platform", "idgraf-double", "--json"}));
  BOOST_TEST(json["platform"] == "idgraf-double");
  BOOST_TEST(json["cores"] == 12);
  BOOST_REQUIRE(json["gpu_devices"].size() == 8);
  BOOST_TEST(json["gpu_devices"][0]["memory_bytes"] == 2817982464U);
  BOOST_TEST(json["links"][0]["name"] == "host");
  BOOST_TEST(json["bandwidth_matrix_mb_per_s"][0][8] == 6026);
  BOOST_TEST(json["latency_matrix_us"][8][1] == 28);
  BOOST_TEST(json["routes"].size() == 72);
  const auto& potrf = json["kernels"][3];
  BOOST_TEST(potrf["kernel"] == "potrf");
  BOOST_TEST(potrf["tiles"][1]["tile"] == 512);
  BOOST_TEST(potrf["tiles"][1]["cpu_us"]["mean_us"] == 6659);
  BOOST_TEST(potrf["tiles"][1]["gpu_us"][7]["deviation_us"] == 256.1);
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
  const std::string with_slip =
      R"(3}, "gpus": [], "kernels": [{"application": "a", "kernel": "k", "precision": "single",
                                    "tile": 8, "cpu_uss": {"mean": 5}}]})";
  wrong(folder.write("slip.json", start + with_slip),
        {folder.path("slip.json"), "kernels[0].cpu_uss", "did you mean \"cpu_us\"?"});
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
  // Without pivoting, the factorization of this matrix is usually inaccurate.
  const platform::ChildOutput ran = run_program({"run", "lu", "--n", "300", "--pivoting", "none", "--problem", "random",
                                                 "--precision", "float", "--tile", "8", "--check", "--seed", "3"});
  if (ran.exit_status == 0) return;  // The result was accurate enough by chance.
  BOOST_TEST(ran.exit_status == 1);
  BOOST_TEST(contains(ran.output, "NOT below"));
  BOOST_TEST(contains(ran.errors, "the check failed"));
}

BOOST_AUTO_TEST_CASE(lu_says_which_rows_it_exchanges) {
  const std::vector<std::string> run{"run", "lu", "--n", "150", "--tile", "16", "--check", "--cores", "2"};
  for (const std::string pivoting : {"partial", "incremental"}) {
    std::vector<std::string> arguments = run;
    arguments.insert(arguments.end(), {"--pivoting", pivoting, "--json"});
    const auto json = Json::parse(succeeds(arguments));
    BOOST_TEST(json["pivoting"] == pivoting);
    BOOST_TEST(json["residuals"].size() == 2U);
  }
  const std::string text = succeeds({"run", "lu", "--n", "150", "--tile", "16", "--tile-rows", "16", "--inner", "4",
                                     "--pivoting", "incremental", "--check", "--report"});
  for (const char* part : {"lu (pivoting: incremental)", "|A - L U| / (n g |A| eps)", "tstrf", "ssssm"}) {
    BOOST_TEST(contains(text, part), part);
  }
}

BOOST_AUTO_TEST_CASE(refuses_options_that_have_no_effect) {
  fails(2, {"run", "cholesky", "--inner", "4"}, {"--inner", "no effect", "qr"});
  fails(2, {"run", "qr", "--pivoting", "none"}, {"--pivoting", "no effect", "lu"});
  fails(2, {"run", "lu", "--inner", "4"}, {"--inner", "no effect", "lu --pivoting incremental"});
  fails(2, {"simulate", "lu", "--platform", "idgraf", "--n", "512", "--policy", "heft", "--inner", "4"}, {"--inner"});
  fails(2, {"experiment", "dada", "--policy", "heft"}, {"--policy", "no effect", "eviction"});
  fails(2, {"experiment", "--", "dada", "--policy", "heft"}, {"--policy", "no effect", "eviction"});
  fails(2, {"experiment", "dada", "--model-error", "2"}, {"--model-error", "policies"});
  fails(2, {"experiment", "eviction", "--out", "x"}, {"--out", "no effect", "dada"});
  fails(2, {"experiment", "eviction", "--repeat", "3"}, {"--repeat", "no effect"});
  fails(2, {"experiment", "--quick", "scaling", "cholesky", "--policy", "heft", "--platform", "idgraf"},
        {"--quick", "no effect", "scaling"});
}

BOOST_AUTO_TEST_CASE(refuses_options_without_a_value_and_those_that_are_given_twice) {
  fails(2, {"run", "cholesky", "--tile"}, {"--tile: a value is missing"});
  fails(2, {"run", "cholesky", "--policy", "lws", "--policy", "eager"}, {"--policy: given more than once"});
  for (const Words& command : {Words{"run", "cholesky"}, Words{"info"},
                               Words{"simulate", "cholesky", "--platform", "sirocco-double", "--n", "960"}}) {
    Words arguments = command;
    arguments.insert(arguments.end(), {"--clusters", ""});
    fails(2, arguments, {"--clusters: the value is empty", "2x10"});
  }
  fails(2, {"run", "cholesky", "--restrict", ""}, {"--restrict: the value is empty", "potrf,trsm:cores"});
}

BOOST_AUTO_TEST_CASE(repeats_what_it_did_not_expect_as_it_was_written) {
  fails(2, {"run", "cholesky", "--nn", "100"}, {"--nn: `troupe run` has no such option; did you mean --n?"});
}

BOOST_AUTO_TEST_CASE(models_that_are_not_there_are_said_to_be_missing) {
  const tests::TemporaryFolder folder;
  fails(2, {"model", "show", "--models", "none"}, {"--models none"});
  fails(2, {"model", "show", "--models", folder.path(), "--kernel", "nope"}, {"'nope'", folder.path()});
}

BOOST_AUTO_TEST_CASE(says_that_standard_output_is_full) {
  if (!std::filesystem::exists("/dev/full")) {
    tests::skip("there is no /dev/full");
    return;
  }
  for (const char* command :
       {"info", "info --json", "run lu --n 50", "run lu --n 50 --json", "--version", "run --help"}) {
    const auto ran = platform::run_child({"sh", "-c", tests::program_path() + " " + command + " > /dev/full"}, "",
                                         std::chrono::seconds(60));
    BOOST_TEST_REQUIRE(ran.ok());
    BOOST_TEST(ran.value().exit_status == 1);
    BOOST_TEST(contains(ran.value().errors, "standard output"));
    BOOST_TEST(contains(ran.value().errors, "No space left"));
  }
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
