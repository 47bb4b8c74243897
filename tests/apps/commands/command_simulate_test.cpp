// Tests the command `troupe simulate`.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/apps/troupe_program.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/traces/files/chrome_trace_checks.hpp"
#include "tests/traces/files/paje_trace_checks.hpp"

namespace troupe::apps {
namespace {

using tests::contains;
using tests::no_gnuplot;
using tests::run_program;
using tests::succeeds;
using tests::Words;

struct Fixture {
  tests::TemporaryFolder folder;

  /// Returns the command for a small matrix on the machine idgraf-double. `more` may change the options.
  static Words cholesky(const Words& more) {
    Words arguments{"simulate", "cholesky", "--platform", "idgraf-double", "--n", "2048", "--tile", "512"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  static nlohmann::json json_of(Words arguments) {
    arguments.emplace_back("--json");
    return nlohmann::json::parse(succeeds(arguments));
  }
  static void refuses(const Words& arguments, const Words& parts) { tests::fails(2, arguments, parts); }
};

BOOST_FIXTURE_TEST_SUITE(command_simulate, Fixture)

BOOST_AUTO_TEST_CASE(lu_with_incremental_pivoting_has_the_graph_of_qr_and_says_where_its_times_are_from) {
  const Words where{"--platform", "idgraf-double", "--n", "4096", "--tile", "512", "--gpus", "2", "--policy", "heft"};
  const auto simulate = [&](Words what) {
    what.insert(what.begin(), "simulate");
    what.insert(what.end(), where.begin(), where.end());
    return what;
  };
  const auto lu = json_of(simulate({"lu", "--pivoting", "incremental"}));
  const auto qr = json_of(simulate({"qr"}));
  BOOST_TEST(lu["pivoting"] == "incremental");
  BOOST_TEST(lu["results"][0]["tasks"] == qr["results"][0]["tasks"]);
  BOOST_TEST(lu["derived_kernels"].size() == 4U);
  BOOST_TEST(lu["derived_kernels"][3] == (nlohmann::json{{"kernel", "ssssm"}, {"from", "tsmqr"}, {"factor", 0.5}}));
  // The kernels of this LU are described as taking half the times of the kernels of QR.
  BOOST_TEST(lu["results"][0]["bound_seconds"].get<double>() == qr["results"][0]["bound_seconds"].get<double>() / 2,
             boost::test_tools::tolerance(1e-3));
  const std::string text = succeeds(simulate({"lu", "--pivoting", "incremental", "--no-peer-copies"}));
  for (const char* part :
       {"lu (pivoting: incremental) on idgraf-double", "not in the machine's description: getrf_incpiv",
        "half the times of geqrt", "copies between GPUs go through host memory"}) {
    BOOST_TEST(contains(text, part), part);
  }
  const auto plain = json_of(simulate({"lu"}));
  BOOST_TEST(plain["pivoting"] == "none");
  BOOST_TEST(!plain.contains("derived_kernels"));
  BOOST_TEST(plain["options"]["peer_copies"] == true);
  refuses({"simulate", "lu", "--pivoting", "incremental", "--platform", "idgraf", "--n", "960", "--policy", "heft"},
          {"getrf_incpiv", "idgraf", "'qr'", "derived"});
  refuses({"simulate", "lu", "--pivoting", "partial", "--platform", "idgraf", "--n", "960", "--policy", "heft"},
          {"--pivoting", "partial", "incremental"});
  refuses({"simulate", "qr", "--pivoting", "none", "--platform", "idgraf-double", "--n", "960", "--policy", "heft"},
          {"--pivoting", "no effect", "lu"});
}

BOOST_AUTO_TEST_CASE(a_policy_that_leaves_the_gpus_idle_is_told_of_once_and_placing_ones_are_not) {
  const auto told = [](const Words& more) {
    const auto ran = run_program(cholesky(more));
    BOOST_TEST(ran.exit_status == 0);
    return ran.errors;
  };
  const std::string errors = told({"--n", "8192", "--gpus", "4,8", "--policy", "lws", "--policy", "homeward"});
  BOOST_TEST(contains(errors, "troupe: warning: under policy lws the GPUs were busy "), errors);
  BOOST_TEST(std::ranges::count(errors, '\n') == 1);
  BOOST_TEST(told({"--n", "1024", "--gpus", "8", "--policy", "heft"}) == "");
  BOOST_TEST(told({"--gpus", "0", "--policy", "lws"}) == "");
}

BOOST_AUTO_TEST_CASE(json_has_a_result_for_each_size_number_of_gpus_and_policy) {
  const auto json = json_of(cholesky({"--n", "1024", "--gpus", "0-2", "--policy", "heft", "--policy", "mct:cp"}));
  BOOST_TEST(json["virtual"] == true);
  BOOST_TEST(json["app"] == "cholesky");
  BOOST_TEST(json["platform"] == "idgraf-double");
  BOOST_TEST(json["precision"] == "double");
  BOOST_TEST(json["tile"] == 512);
  BOOST_TEST(json["seed"] == 1);
  BOOST_TEST(json["repeat"] == 1);
  BOOST_TEST(json["options"]["noise"] == false);
  const auto& results = json["results"];
  BOOST_TEST_REQUIRE(results.size() == 2U * 3U * 2U);
  BOOST_TEST(results[0]["n"] == 2048);
  BOOST_TEST(results[6]["n"] == 1024);
  BOOST_TEST(results[5]["policy"] == "mct:cp");
  BOOST_TEST(results[5]["policy_options"] == nlohmann::json({{"cp", true}}));
  for (const auto& result : results) {
    const int gpus = result["gpus"];
    BOOST_TEST(result["cores"] == 12 - gpus);
    BOOST_TEST(result["gpu_numbers"].size() == static_cast<std::size_t>(gpus));
    BOOST_TEST(result["workers"].size() == 12U);
    // The matrix of order 2048 has 4 x 4 tiles, which give 20 tasks. The matrix of order 1024 has 2 x 2 tiles and 4
    // tasks.
    BOOST_TEST(result["tasks"] == (result["n"] == 2048 ? 20 : 4));
    BOOST_TEST(result["seconds"].get<double>() > 0);
    BOOST_TEST(result["gflops"].get<double>() > 0);
    BOOST_TEST(!result.contains("seconds_margin"));
    const double moved = result["bytes_host_to_device"].get<double>() + result["bytes_device_to_host"].get<double>() +
                         result["bytes_device_to_device"].get<double>();
    BOOST_TEST(result["bytes"].get<double>() == moved);
    BOOST_TEST((gpus > 0 || moved == 0));
    BOOST_TEST(result["runs"].size() == 1U);
    // No schedule can be better than the bound.
    BOOST_TEST(result["fraction_of_bound"].get<double>() <= 1);
    BOOST_TEST(result["fraction_of_bound"].get<double>() > 0);
    BOOST_TEST(result["bound_bytes"].get<double>() <= moved);
    BOOST_TEST(result.contains("bytes_fraction_of_bound") == (moved > 0));
    if (moved > 0) {
      const double share = result["bound_bytes"].get<double>() / moved;
      BOOST_TEST(result["bytes_fraction_of_bound"].get<double>() == share, boost::test_tools::tolerance(1e-12));
    }
    BOOST_TEST(result["utilization_of_cores"].get<double>() <= 1);
    BOOST_TEST(result.contains("utilization_of_gpus") == (gpus > 0));
  }
}

BOOST_AUTO_TEST_CASE(repeats_vary_and_have_margins) {
  const auto json = json_of(cholesky({"--gpus", "2", "--policy", "heft", "--repeat", "4", "--seed", "7"}));
  BOOST_TEST(json["options"]["noise"] == true);
  const auto& result = json["results"][0];
  BOOST_TEST(result["seconds_margin"].get<double>() > 0);
  BOOST_TEST(result["gflops_margin"].get<double>() > 0);
  // Each run draws its own kernel times, so each run has its own bound.
  std::set<double> bounds;
  for (const auto& run : result["runs"]) {
    BOOST_TEST(run["bound_seconds"].get<double>() <= run["seconds"].get<double>());
    bounds.insert(run["bound_seconds"].get<double>());
  }
  BOOST_TEST(bounds.size() == 4U);
  std::set<double> times;
  double sum = 0;
  for (const auto& run : result["runs"]) {
    times.insert(run["seconds"].get<double>());
    sum += run["seconds"].get<double>();
  }
  BOOST_TEST(times.size() == 4U);
  BOOST_TEST(result["seconds"].get<double>() == sum / 4, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(result["runs"][3]["seed"] == 10);
}

BOOST_AUTO_TEST_CASE(a_seed_means_the_same_run_whatever_the_number_of_jobs) {
  const Words common =
      cholesky({"--gpus", "1-3", "--policy", "heft", "--policy", "heteroprio", "--repeat", "3", "--json"});
  const auto with_jobs = [&](const std::string& jobs) {
    Words arguments = common;
    arguments.insert(arguments.end(), {"--jobs", jobs});
    return succeeds(arguments);
  };
  const std::string once = with_jobs("1");
  BOOST_TEST(once == with_jobs("1"));
  BOOST_TEST(once == with_jobs("2"));
  BOOST_TEST(once == with_jobs("5"));
}

BOOST_AUTO_TEST_CASE(the_table_names_every_policy_and_number_of_gpus) {
  const std::string text = succeeds(
      cholesky({"--gpus", "1,3", "--policy", "heft", "--policy", "mct", "--repeat", "2", "--assume", "starpu"}));
  for (const char* part : {"cholesky on idgraf-double, double precision, tile 512, virtual time, 2 runs each", "heft",
                           "mct", "GFlop/s", "+-", "of bound", "GPU to GPU", "at least", "10 us per kernel launch",
                           "0.9 of each GPU's memory", "finished tiles written back early"}) {
    BOOST_TEST(contains(text, part), "no '" << part << "' in\n" << text);
  }
}

BOOST_AUTO_TEST_CASE(options_override_what_a_preset_sets) {
  const auto options = json_of(cholesky({"--gpus", "1", "--policy", "heft", "--assume", "starpu", "--memory-fraction",
                                         "0.5", "--kernel-overhead-us", "3"}))["options"];
  BOOST_TEST(options["memory_fraction"] == 0.5);
  BOOST_TEST(options["kernel_overhead_us"].get<double>() == 3.0, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(options["copy_overhead_us"].get<double>() == 10.0, boost::test_tools::tolerance(1e-9));
  BOOST_TEST(options["write_back"] == true);
}

BOOST_AUTO_TEST_CASE(the_preset_of_starpu_lets_copies_go_as_in_streams_and_tasks_without_priorities) {
  const auto options = [](const Words& more) {
    Words arguments = cholesky({"--gpus", "2", "--policy", "mct:dmda"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto json = json_of(arguments)["options"];
    return std::pair<bool, bool>(json["copy_streams"], json["priorities"]);
  };
  BOOST_TEST((options({}) == std::pair(false, true)));
  BOOST_TEST((options({"--assume", "starpu"}) == std::pair(true, false)));
  BOOST_TEST((options({"--assume", "starpu", "--no-copy-streams", "--priorities"}) == std::pair(false, true)));
  BOOST_TEST((options({"--copy-streams", "--no-priorities"}) == std::pair(true, false)));
}

BOOST_AUTO_TEST_CASE(tile_and_precision_default_to_what_the_machine_has) {
  const auto json =
      json_of({"simulate", "cholesky", "--platform", "idgraf", "--n", "1920", "--gpus", "1", "--policy", "heft"});
  BOOST_TEST(json["precision"] == "float");
  BOOST_TEST(json["tile"] == 960);
}

BOOST_AUTO_TEST_CASE(lu_and_qr_are_simulated_too) {
  for (const char* application : {"lu", "qr"}) {
    Words arguments = cholesky({"--gpus", "2", "--policy", "heft"});
    arguments[1] = application;
    const auto json = json_of(arguments);
    BOOST_TEST(json["app"] == application);
    BOOST_TEST(json["results"][0]["tasks"] == 30);
    BOOST_TEST(json["results"][0]["fraction_of_bound"].get<double>() <= 1);
    BOOST_TEST(json["results"][0]["bytes_fraction_of_bound"].get<double>() <= 1);
  }
}

BOOST_AUTO_TEST_CASE(a_trace_has_all_tasks_and_copies_and_is_the_same_again) {
  const auto trace = [&](const std::string& name) {
    const Words arguments =
        cholesky({"--gpus", "3", "--policy", "heft", "--noise", "--seed", "5", "--trace", folder.path(name)});
    BOOST_TEST(contains(succeeds(arguments), "Trace: " + folder.path(name)));
    return folder.read(name);
  };
  const std::string chrome = trace("a.json");
  BOOST_TEST(chrome == trace("b.json"));
  const tests::ChromeContent content = tests::check_chrome(chrome);
  BOOST_TEST(content.tasks.size() == 20U);
  const auto copies = std::count_if(content.states.begin(), content.states.end(),
                                    [](const auto& event) { return event["cat"] == "copy"; });
  BOOST_TEST(copies > 0);
  const bool named = std::any_of(content.threads.begin(), content.threads.end(),
                                 [](const auto& thread) { return thread.second == "copies host to GPU 0"; });
  BOOST_TEST(named);
  const std::string paje = trace("a.paje");
  BOOST_TEST(paje == trace("b.paje"));
  tests::PajeContent states(paje);
  BOOST_TEST(states.counts["PajeSetState"] > 40U);
  BOOST_TEST(contains(paje, "\"copies host to GPU 0\""));
  BOOST_TEST(contains(paje, " copying\n"));
}

BOOST_AUTO_TEST_CASE(a_plot_is_drawn) {
  if (no_gnuplot()) return;
  const std::string path = folder.path("f.svg");
  const std::string text =
      succeeds(cholesky({"--gpus", "1-3", "--policy", "heft", "--policy", "mct", "--repeat", "2", "--plot", path}));
  BOOST_TEST(contains(text, "Plot: " + path));
  const std::string svg = folder.read("f.svg");
  for (const char* part : {"<svg", "</svg>", "GFlop/s", "GB moved", "heft", "mct"}) BOOST_TEST(contains(svg, part));
}

BOOST_AUTO_TEST_CASE(gpus_too_small_for_a_task_leave_it_to_cores_with_a_warning) {
  const platform::ChildOutput ran =
      run_program(cholesky({"--gpus", "2", "--policy", "heft", "--gpu-memory", "1MiB", "--json"}));
  BOOST_TEST(ran.exit_status == 0);
  BOOST_TEST(contains(ran.errors, "troupe: warning: the data of one task, up to 6.0 MiB in tiles of 512"), ran.errors);
  const auto result = nlohmann::json::parse(ran.output)["results"][0];
  BOOST_TEST(result["tasks"] == 20);
}

BOOST_AUTO_TEST_CASE(clusters_of_cores_need_times) {
  refuses(cholesky({"--policy", "heft", "--clusters", "2x2"}),
          {"machine 'idgraf-double' has no times for kernel 'cholesky/", "on clusters of cores: add cluster_us",
           "or run it on single cores"});
  const nlohmann::json json = json_of({"simulate", "cholesky", "--platform", "sirocco-double", "--n", "9600", "--tile",
                                       "960", "--gpus", "1", "--clusters", "2x10", "--policy", "heft"});
  BOOST_TEST(json["results"][0]["bound_seconds"].get<double>() <= json["results"][0]["seconds"].get<double>());
}

BOOST_AUTO_TEST_CASE(bad_machines_are_refused) {
  const auto on = [](const std::string& platform) {
    return Words{"simulate", "cholesky", "--platform", platform, "--n", "2048", "--policy", "heft"};
  };
  refuses(on("nowhere"), {"nowhere", "idgraf", "sirocco"});
  refuses(on(folder.path("missing.json")), {"missing.json"});
  std::ifstream whole(std::string(TROUPE_SOURCE_DIR) + "/platform/described/machines/idgraf.json");
  std::stringstream text;
  text << whole.rdbuf();
  refuses(on(folder.write("cut.json", text.str().substr(0, 5000))), {"cut.json", "truncated"});
  refuses({"simulate", "qr", "--platform", "idgraf", "--n", "2048", "--policy", "heft"}, {"idgraf", "geqrt", "qr"});
  // The descriptions of machines call float precision "single", so both names are accepted.
  for (const char* name : {"float", "single"}) {
    const Words single = cholesky({"--policy", "heft", "--precision", name});
    refuses(single, {"idgraf-double", "potrf", "single", "take --precision double"});
  }
}

BOOST_AUTO_TEST_CASE(a_kernel_that_is_missing_is_named_and_precision_only_where_it_is_the_reason) {
  std::ifstream whole(std::string(TROUPE_SOURCE_DIR) + "/platform/described/machines/idgraf.json");
  nlohmann::json machine = nlohmann::json::parse(whole);
  auto& kernels = machine["kernels"];
  const auto is_trsm = [](const auto& one) { return one["application"] == "cholesky" && one["kernel"] == "trsm"; };
  kernels.erase(std::remove_if(kernels.begin(), kernels.end(), is_trsm), kernels.end());
  const Words arguments{"simulate", "cholesky", "--platform", folder.write("no-trsm.json", machine.dump()),
                        "--n",      "960",      "--policy",   "heft"};
  for (const char* precision : {"", "float", "double"}) {
    Words asked = arguments;
    if (*precision != 0) asked.insert(asked.end(), {"--precision", precision});
    const platform::ChildOutput ran = run_program(asked);
    BOOST_TEST(ran.exit_status == 2);
    const std::string missing = *precision == 'd' ? "potrf" : "trsm";
    BOOST_TEST(contains(ran.errors, "no times for kernel '" + missing + "' of application 'cholesky', of which it has"),
               ran.errors);
    BOOST_TEST(!contains(ran.errors, "--precision"), ran.errors);
  }
  refuses({"simulate", "lu", "--platform", "sirocco-double", "--n", "960", "--policy", "heft"},
          {"sirocco-double", "none for application 'lu'", "getrf_nopiv or getrf, trsm_right_upper"});
}

BOOST_AUTO_TEST_CASE(a_description_with_a_slip_is_refused) {
  std::ifstream whole(std::string(TROUPE_SOURCE_DIR) + "/platform/described/machines/idgraf-double.json");
  const nlohmann::json good = nlohmann::json::parse(whole);
  const auto spoilt = [&](const char* pointer, const nlohmann::json& value, const Words& parts) {
    nlohmann::json machine = good;
    machine[nlohmann::json::json_pointer(pointer)] = value;
    refuses({"simulate", "cholesky", "--platform", folder.write("spoilt.json", machine.dump()), "--n", "960",
             "--policy", "heft"},
            parts);
  };
  spoilt("/kernels/5/cpu_uss", {{"mean", 1}}, {"spoilt.json", "kernels[5].cpu_uss", "did you mean \"cpu_us\"?"});
  spoilt("/kernels/5/tile", 320.5, {"kernels[5].tile is 320.5", "whole number"});
  spoilt("/kernels/5/gpu_us/3/dev", 1e9, {"kernels[5].gpu_us[3].dev is", "at most 10 times the mean"});
  spoilt("/kernels/5/cpu_us/mean", 1e3 * good["kernels"][5]["cpu_us"]["mean"].get<double>(),
         {"kernels[5].cpu_us has", "1/30"});
}

BOOST_AUTO_TEST_CASE(bad_numbers_of_gpus_are_refused) {
  for (const char* gpus : {"9", "1-9"}) refuses(cholesky({"--policy", "heft", "--gpus", gpus}), {"has 8 GPUs"});
  for (const char* gpus : {"1-", "8-1", "1,1", "x", "-1", ""}) {
    refuses(cholesky({"--policy", "heft", "--gpus", gpus}), {"--gpus"});
  }
  refuses(cholesky({"--policy", "heft", "--gpus", "2", "--gpu-order", "far"}), {"--gpu-order", "far"});
  refuses(cholesky({"--policy", "heft", "--gpus", "3", "--gpu-order", "0,4"}), {"--gpu-order", "names 2 GPUs"});
  refuses(cholesky({"--policy", "heft", "--cores", "13"}), {"has 12 cores, not 13"});
}

BOOST_AUTO_TEST_CASE(bad_policies_are_refused) {
  refuses(cholesky({"--policy", "nonsense"}), {"--policy", "unknown policy 'nonsense'", "heft"});
  refuses(cholesky({"--policy", "dada:alpha=1.5"}), {"--policy", "alpha", "1.5"});
  refuses(cholesky({"--policy", "dada:alpha=-0.1"}), {"--policy", "alpha"});
  refuses(cholesky({"--policy", "heft:colour=red"}), {"--policy", "colour"});
}

BOOST_AUTO_TEST_CASE(the_default_policy_is_one_that_uses_what_is_there) {
  const auto results = json_of(cholesky({"--gpus", "0,4"}))["results"];
  BOOST_REQUIRE(results.size() == 2U);
  BOOST_TEST(results[0]["policy"] == "lws");
  BOOST_TEST(results[1]["policy"] == "homeward");
}

BOOST_AUTO_TEST_CASE(kernels_are_restricted_to_kinds_models_and_workers) {
  const auto seconds = [](Words more) {
    more.insert(more.end(), {"--gpus", "2", "--policy", "heft"});
    return json_of(cholesky(more))["results"][0]["seconds"].get<double>();
  };
  // The restriction moves nearly all of the work to the slower devices.
  BOOST_TEST(seconds({"--restrict", "gemm,syrk:cores"}) > 1.2 * seconds({}));
  // These options restrict the work: to one of the two GPUs, by name or by number; to both GPUs, by their model; to one
  // core.
  const double by_one = seconds({"--restrict", "gemm,syrk,trsm,potrf:GPU 1"});
  BOOST_TEST(by_one > 1.1 * seconds({}));
  BOOST_TEST(by_one == seconds({"--restrict", "gemm,syrk,trsm,potrf:#10"}));
  BOOST_TEST(seconds({"--restrict", "gemm,syrk:c2050"}) == seconds({"--restrict", "gemm,syrk:gpus"}));
  BOOST_TEST(seconds({"--restrict", "gemm,syrk:#3"}) > 5 * by_one);
  refuses(cholesky({"--gpus", "2", "--restrict", "gemm:h200"}),
          {"'gemm' is restricted to h200", "'h200' is neither a model nor a worker here", "Tesla C2050"});
  refuses(cholesky({"--gpus", "2", "--restrict", "gemm:#12"}), {"there is no worker #12", "#0 to #11"});
  refuses(cholesky({"--gpus", "2", "--restrict", "gem:cores"}), {"--restrict", "no kernel is called 'gem'", "gemm"});
  refuses(cholesky({"--gpus", "2", "--restrict", "gemm"}), {"--restrict", "potrf,trsm:cores"});
  refuses(cholesky({"--gpus", "0", "--restrict", "gemm:gpus"}), {"'gemm' is restricted to", "the runtime has none"});
}

BOOST_AUTO_TEST_CASE(bad_sizes_are_refused) {
  const auto sized = [](const std::string& n, const std::string& tile) {
    return Words{"simulate", "cholesky", "--platform", "idgraf-double", "--n", n, "--tile", tile, "--policy", "heft"};
  };
  refuses(sized("0", "512"), {"--n"});
  refuses(sized("-8", "512"), {"--n"});
  refuses(sized("2048", "0"), {"--tile"});
  refuses(sized("2048", "1000000"), {"--tile", "65536"});
  refuses(sized("100000", "16"), {"tasks", "use larger tiles"});
}

BOOST_AUTO_TEST_CASE(a_task_that_no_device_can_hold_is_refused) {
  // All eight cores are needed to drive the eight GPUs, so no core is left as a worker.
  std::ifstream file(std::string(TROUPE_SOURCE_DIR) + "/platform/described/machines/idgraf-double.json");
  auto machine = nlohmann::json::parse(file);
  machine["cpu"]["cores"] = 8;
  machine["cpu"]["sockets"] = 1;
  for (auto& gpu : machine["gpus"]) gpu.erase("near_cores");
  refuses({"simulate", "cholesky", "--platform", folder.write("small.json", machine.dump()), "--n", "2048", "--tile",
           "512", "--gpus", "8", "--policy", "heft", "--gpu-memory", "1MiB"},
          {"6.0 MiB", "1.0 MiB", "GPU 0, 1", "no core can run it"});
}

BOOST_AUTO_TEST_CASE(options_that_do_not_fit_together_are_refused) {
  refuses(cholesky({"--policy", "heft", "--repeat", "3", "--no-noise"}), {"--repeat"});
  for (const char* name : {"noise", "copy-streams", "priorities"}) {
    const std::string yes = std::string("--") + name;
    const std::string no = std::string("--no-") + name;
    refuses(cholesky({"--policy", "heft", no, yes}), {yes, no, "exclude one another"});
  }
  refuses(cholesky({"--policy", "heft", "--gpus", "1-2", "--trace", folder.path("t.json")}), {"--trace", "not of 2"});
  refuses(cholesky({"--policy", "heft", "--trace", folder.path("t.txt")}), {".json", ".paje"});
  refuses(cholesky({"--policy", "heft", "--plot", folder.path("t.jpg")}), {".svg", ".png"});
  refuses(cholesky({"--policy", "heft", "--memory-fraction", "1.5"}), {"--memory-fraction"});
  refuses(cholesky({"--policy", "heft", "--kernel-error", "0.5"}), {"--kernel-error"});
  refuses(cholesky({"--policy", "heft", "--model", "learned", "--kernel-error", "1.5"}), {"--kernel-error"});
  refuses(cholesky({"--policy", "heft", "--gpu-memory", "much"}), {"--gpu-memory"});
  refuses(cholesky({"--policy", "heft", "--gpu-memory", "0"}), {"--gpu-memory"});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace troupe::apps
