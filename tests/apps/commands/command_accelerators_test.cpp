// Tests commands that use accelerators: emulated accelerators or the fake CUDA GPUs. The tests run the program like a
// user.
#include <boost/test/unit_test.hpp>
#include <built_paths.hpp>  // written by the build
#include <filesystem>
#include <iostream>
#include <set>
#include <string>

#include "apps/arguments/accelerator_arguments.hpp"
#include "platform/cuda/cuda_devices.hpp"
#include "proto/json/json.hpp"
#include "tests/apps/troupe_program.hpp"
#include "tests/support/environment_variable.hpp"
#include "tests/support/fake_cuda/control.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/traces/files/chrome_trace_checks.hpp"

namespace troupe::apps {

namespace command_accelerators {

using tests::contains;
using tests::fails;
using tests::no_gnuplot;
using tests::run_program;
using tests::succeeds;
using tests::TemporaryFolder;
using tests::Words;

struct Fixture {
  /// Returns the command for a small matrix on two emulated accelerators, each with memory for a quarter of the matrix.
  /// `more` may change the accelerators.
  static Words run(const std::string& application, const Words& more = {}) {
    Words arguments{"run", application, "--n", "512", "--tile", "64", "--policy", "heft", "--models", "none"};
    if (more.empty() || more[0] != "--emulated-gpus") {
      arguments.insert(arguments.end(), {"--emulated-gpus", "2:memory=512KiB,bandwidth=20GB/s,latency=1us"});
    }
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  static Json json_of(Words arguments) {
    arguments.emplace_back("--json");
    return Json::parse(succeeds(arguments));
  }
  /// Returns the number of GPUs.
  static std::size_t gpus() {
    const auto there = platform::list_cuda_devices();
    return there ? there.value().size() : 0;
  }
  static Words scaling(const Words& more) {
    Words arguments{"experiment", "scaling", "cholesky", "--n", "256", "--tile", "64", "--models", "none"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
};

}  // namespace command_accelerators

BOOST_FIXTURE_TEST_SUITE(command_accelerators, Fixture)

BOOST_AUTO_TEST_CASE(help_lists_the_options_of_accelerators) {
  for (const Words& command : {Words{"run"}, Words{"solve"}, Words{"model", "calibrate"}}) {
    Words arguments = command;
    arguments.emplace_back("--help");
    const std::string help = succeeds(arguments);
    for (const char* option :
         {"--gpus", "--gpu-memory", "--emulated-gpus", "--lookahead", "--eviction", "--reuse-profile"}) {
      BOOST_TEST(contains(help, option), "no " << option);
    }
  }
  const std::string help = succeeds({"experiment", "scaling", "--help"});
  for (const char* option : {"--real", "--emulated", "--platform", "--gpus", "--policy", "--repeat", "--plot"}) {
    BOOST_TEST(contains(help, option), "no " << option);
  }
}

BOOST_AUTO_TEST_CASE(refuses_accelerators_that_cannot_be) {
  for (const char* value : {"65", "-1", "many", "2:", "2:memory=0B", "2:memory=much", "2:bandwidth=0GB/s",
                            "2:bandwidth=8", "2:speed=8GB/s", "2:memory=1GiB,memory=2GiB", ""}) {
    fails(2, {"run", "cholesky", "--emulated-gpus", value}, {"--emulated-gpus"});
  }
  fails(2, {"run", "cholesky", "--emulated-gpus", "2:bandwidth=0GB/s"}, {"bandwidth", "above zero", "8GB/s"});
  for (const char* value : {"0", "0B", "-1GiB", "many", "8 GiB", ""}) {
    fails(2, {"run", "cholesky", "--gpu-memory", value}, {"--gpu-memory"});
  }
  for (const char* value : {"0", "-1", "some"}) fails(2, {"run", "cholesky", "--lookahead", value}, {"--lookahead"});
  fails(2, {"run", "cholesky", "--eviction", "random"}, {"--eviction", "random", "next-use"});
  fails(2, {"run", "cholesky", "--n", "100", "--reuse-profile", "p"}, {"--reuse-profile", "--eviction reuse"});
  for (const char* value : {"-1", "all", "1.5"}) fails(2, {"run", "cholesky", "--gpus", value}, {"--gpus"});
}

BOOST_AUTO_TEST_CASE(refuses_memory_that_is_too_small_for_one_task_before_any_work) {
  fails(2, {"run", "cholesky", "--n", "4096", "--tile", "512", "--emulated-gpus", "2:memory=1MiB"},
        {"--emulated-gpus", "one task", "6.0 MiB", "1.0 MiB", "smaller tiles"});
  fails(2, {"run", "cholesky", "--n", "100", "--gpu-memory", "1GiB"}, {"--gpu-memory", "--gpus"});
  fails(2, scaling({"--policy", "heft", "--emulated", "memory=1GiB", "--gpus", "1", "--gpu-memory", "1GiB"}),
        {"--gpu-memory", "--real and --platform"});
  fails(2, {"model", "calibrate", "--tile", "512", "--emulated-gpus", "1:memory=1MiB"}, {"one task", "1.0 MiB"});
}

BOOST_AUTO_TEST_CASE(variables_that_have_no_effect_are_passed_over) {
  const TemporaryFolder folder;
  const Words small{"run", "cholesky", "--n", "64"};
  for (const std::string& variable :
       {std::string("TROUPE_EVICTION=lru"), std::string("TROUPE_LOOKAHEAD=3"), std::string("TROUPE_ISSUE_AHEAD=500"),
        std::string("TROUPE_TRACE_LIMIT=1000"), std::string("TROUPE_GPU_MEMORY=1GiB"),
        std::string("TROUPE_RESTRICT=kernel_of_a_program:cores"), "TROUPE_MODELS=" + folder.path(),
        "TROUPE_REUSE_PROFILE=" + folder.path() + "/p"}) {
    BOOST_TEST_CONTEXT(variable) {
      succeeds(small, {"env", variable});
      // An option without effect is still refused on the command line.
      fails(2, {"run", "cholesky", "--n", "64", "--eviction", "lru"}, {"--eviction", "accelerators"},
            {"env", variable});
    }
  }
}

BOOST_AUTO_TEST_CASE(messages_say_which_values_are_from_the_environment) {
  fails(2, {"run", "cholesky", "--n", "64"}, {"the environment has TROUPE_CORES=5000"}, {"env", "TROUPE_CORES=5000"});
  fails(2, {"run", "cholesky", "--n", "64"}, {"the environment has TROUPE_GPUS=1000"}, {"env", "TROUPE_GPUS=1000"});
  fails(2, {"run", "cholesky", "--n", "64", "--models", "d"}, {"--models", "the environment has TROUPE_POLICY=lws"},
        {"env", "TROUPE_POLICY=lws"});
  // The option overrides the variable, so the message must not name the variable.
  succeeds({"run", "cholesky", "--n", "64", "--cores", "1"}, {"env", "TROUPE_CORES=5000"});
  const auto ran = run_program({"run", "cholesky", "--n", "64", "--cores", "4000"}, {"env", "TROUPE_CORES=5000"});
  BOOST_TEST(ran.exit_status == 2);
  BOOST_TEST(!contains(ran.errors, "TROUPE_CORES"), ran.errors);
}

BOOST_AUTO_TEST_CASE(opencl_devices_are_accelerators) {
  // The fake driver refuses to run anything. This is reported only after all options have been found valid.
  fails(2, {"run", "cholesky", "--n", "64", "--eviction", "lru"}, {"OpenCL device 0", "TROUPE_OPENCL=all"},
        {"env", "OCL_ICD_FILENAMES=", "OCL_ICD_VENDORS=" TROUPE_FAKE_OPENCL_FOLDER "/libfake_opencl.so",
         "TROUPE_OPENCL=all"});
  const tests::EnvironmentVariable devices("TROUPE_OPENCL", "all");
  linalg::FactorizationOptions factorization{.tile = 64};
  choose_tile_rows(RuntimeOptions{}, factorization);
  BOOST_TEST(factorization.tile_rows == 64);
}

BOOST_AUTO_TEST_CASE(refuses_more_gpus_than_there_are_and_says_why) {
  const Words more{"run", "cholesky", "--n", "100", "--gpus", std::to_string(gpus() + 1)};
  fails(2, more, {"--gpus"});
  fails(2, {"experiment", "scaling", "cholesky", "--policy", "heft", "--real", "--gpus", "1000"}, {});
  const auto there = platform::list_cuda_devices();
  if (!there) fails(2, more, {there.failure().message});
  fails(2, {"run", "cholesky", "--n", "100", "--gpus", "1"}, {"--gpus 1"}, {"env", "CUDA_VISIBLE_DEVICES="});
}

BOOST_AUTO_TEST_CASE(tiles_are_chosen_for_the_gpus_that_take_part) {
  if (!std::filesystem::exists(TROUPE_FAKE_CUDA_FOLDER "/" TROUPE_FAKE_CUDA_FILE)) {
    tests::skip("this Troupe was built without CUDA");
    return;
  }
  // The fake GPUs have 1 TFlop/s (see tests/support/fake_cuda/control.hpp).
  const Words fake{"env",
                   "-u",
                   "CUDA_VISIBLE_DEVICES",
                   "TROUPE_CUDA_LIBRARIES=" TROUPE_FAKE_CUDA_FOLDER,
                   std::string(tests::kFakeCudaMemory) + "=1000000000",
                   "TROUPE_GPU_MEMORY=32MiB"};
  const auto tile = [&fake](const Words& more, const std::string& variable = "TROUPE_GPUS=0") {
    Words arguments{"run",      "cholesky", "--n",      "1024",     "--cores", "1",
                    "--models", "none",     "--policy", "homeward", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Words launcher = fake;
    launcher.push_back(variable);
    return Json::parse(succeeds(arguments, launcher))["tile"].get<int>();
  };
  BOOST_TEST(tile({}) == 96);
  BOOST_TEST(tile({"--gpus", "1"}) == 128);
  BOOST_TEST(tile({}, "TROUPE_GPUS=1") == 128);
  // Four tasks run at a time. With tiles of 128 their data would need 1.5 MiB, so the tiles must be smaller.
  BOOST_TEST(tile({"--gpus", "1", "--gpu-memory", "1MiB"}) == 96);
  BOOST_TEST(tile({"--gpus", "1", "--tile", "64"}) == 64);

  const TemporaryFolder folder;
  std::string matrix = "%%MatrixMarket matrix coordinate real symmetric\n1024 1024 1024\n";
  for (int i = 1; i <= 1024; ++i) matrix += std::to_string(i) + " " + std::to_string(i) + " 2\n";
  folder.write("a.mtx", matrix);
  const auto solved = [&](const Words& more) {
    Words arguments{"solve", folder.path("a.mtx"), "--cores",  "1",     "--models",
                    "none",  "--policy",           "homeward", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return Json::parse(succeeds(arguments, fake))["tile"].get<int>();
  };
  BOOST_TEST(solved({}) == 96);
  BOOST_TEST(solved({"--gpus", "1"}) == 128);
}

BOOST_AUTO_TEST_CASE(factorizes_what_does_not_fit_into_the_accelerators_memories) {
  for (const char* application : {"cholesky", "lu", "qr"}) {
    BOOST_TEST_CONTEXT(application) {
      const auto json = json_of(run(application, {"--check"}));
      BOOST_TEST(json["residual"].get<double>() < 30);
      BOOST_TEST(json["gpus"] == 2);
      BOOST_TEST(json["bytes_host_to_device"].get<std::uint64_t>() > 0U);
      BOOST_TEST(json["bytes_device_to_host"].get<std::uint64_t>() > 0U);
      BOOST_TEST_REQUIRE(json["memories"].size() == 2U);
      for (const auto& memory : json["memories"]) {
        BOOST_TEST(memory["capacity_bytes"] == 512 << 10U);
        BOOST_TEST(memory["peak_bytes"].get<std::uint64_t>() <= 512U << 10U);
      }
    }
  }
}

BOOST_AUTO_TEST_CASE(the_report_says_what_moved_over_each_link) {
  const auto json = json_of(run("cholesky"));
  std::uint64_t to_devices = 0;
  for (const auto& pair : json["copies"]) {
    BOOST_TEST(pair["copies"].get<int>() > 0);
    if (pair["from"] == "host") to_devices += pair["bytes"].get<std::uint64_t>();
  }
  BOOST_TEST(to_devices == json["bytes_host_to_device"].get<std::uint64_t>());
  std::set<std::string> kinds;
  for (const auto& worker : json["workers"]) {
    kinds.insert(worker["kind"].get<std::string>());
    BOOST_TEST(worker["waiting_for_data_seconds"].get<double>() >= 0);
  }
  BOOST_TEST(kinds.contains("emulated GPU"));
  const std::string text = succeeds(run("cholesky"));
  for (const char* part : {"Copies between memories", "emulated GPU 1", "reached", "most in use", "evictions",
                           "write-backs", "cache hits", "waiting for data"}) {
    BOOST_TEST(contains(text, part), "no '" << part << "' in\n" << text);
  }
  BOOST_TEST(!contains(succeeds({"run", "cholesky", "--n", "200"}), "Copies between memories"));
}

BOOST_AUTO_TEST_CASE(a_trace_shows_copies_and_accelerators_as_tracks) {
  const TemporaryFolder folder;
  (void)succeeds(run("cholesky", {"--trace", folder.path("t.json")}));
  const tests::ChromeContent content = tests::check_chrome(folder.read("t.json"));
  std::set<std::string> names;
  for (const auto& [thread, name] : content.threads) names.insert(name);
  BOOST_TEST(names.contains("copies host to emulated GPU 0"));
  bool accelerator = false;
  for (const std::string& name : names) accelerator |= contains(name, "(emulated GPU 1)");
  BOOST_TEST(accelerator);
}

BOOST_AUTO_TEST_CASE(solves_a_system_on_accelerators) {
  const TemporaryFolder folder;
  const std::string file = folder.write("a.mtx", "%%MatrixMarket matrix array real symmetric\n3 3\n4\n1\n0\n5\n1\n6\n");
  const auto json =
      json_of({"solve", file, "--emulated-gpus", "1:memory=1MiB", "--policy", "heft", "--models", "none"});
  BOOST_TEST(json["residual"].get<double>() < 30);
  BOOST_TEST(json["gpus"] == 1);
}

BOOST_AUTO_TEST_CASE(what_was_calibrated_is_shown_drawn_and_used) {
  const TemporaryFolder folder;
  const Words models{"--models", folder.path("models")};
  const auto with = [&models](Words words) {
    words.insert(words.end(), models.begin(), models.end());
    return words;
  };
  const auto calibrated =
      json_of(with({"model", "calibrate", "--tile", "32,64", "--samples", "3", "--emulated-gpus", "1:memory=4MiB"}));
  std::set<std::string> kinds;
  std::set<std::uint64_t> elements;
  for (const auto& kernel : calibrated["kernels"]) {
    kinds.insert(kernel["kind"].get<std::string>());
    elements.insert(kernel["element_bytes"].get<std::uint64_t>());
    for (const auto& size : kernel["sizes"]) BOOST_TEST(size["mean_seconds"].get<double>() > 0);
  }
  BOOST_TEST((kinds == std::set<std::string>{"cpu core", "emulated GPU"}));
  BOOST_TEST((elements == std::set<std::uint64_t>{4, 8}));
  const std::string shown = succeeds(with({"model", "show"}));
  for (const char* part : {"potrf", "gemm", "tpmqrt", "emulated GPU", "deviation", "s^"}) {
    BOOST_TEST(contains(shown, part), "no '" << part << "' in\n" << shown);
  }
  BOOST_TEST(!contains(succeeds(with({"model", "show", "--kernel", "potrf"})), "gemm"));
  // Every task of the second run has a prediction, so the first run's times were used.
  const auto used = json_of(
      with({"run", "cholesky", "--n", "512", "--tile", "64", "--policy", "heft", "--emulated-gpus", "1:memory=4MiB"}));
  std::uint64_t predicted = 0;
  for (const auto& of : used["predictions"]) predicted += of["tasks"].get<std::uint64_t>();
  BOOST_TEST(predicted == 8U * 9U * 10U / 6U);
  if (no_gnuplot()) return;
  BOOST_TEST(contains(succeeds(with({"model", "plot", folder.path("m.svg")})), "m.svg"));
  BOOST_TEST(contains(folder.read("m.svg"), "potrf"));
}

BOOST_AUTO_TEST_CASE(damaged_models_cost_a_warning_and_are_measured_anew) {
  const TemporaryFolder folder;
  const Words calibrate{"model", "calibrate",   "--tile", "16",       "--samples",
                        "3",     "--precision", "double", "--models", folder.path()};
  (void)succeeds(calibrate);
  BOOST_REQUIRE(folder.names().size() == 1U);
  const std::string name = folder.names()[0];
  for (const char* damaged : {"", "{", "{\"format\": \"troupe kernel times\", \"version\": 99}"}) {
    (void)folder.write(name, damaged);
    for (const Words& command : {Words{"model", "show", "--models", folder.path()}, calibrate}) {
      const auto ran = run_program(command);
      BOOST_TEST(ran.exit_status == 0);
      BOOST_TEST(ran.errors.starts_with("troupe: warning: "), ran.errors);
      BOOST_TEST(contains(ran.errors, name));
    }
    BOOST_TEST(contains(succeeds({"model", "show", "--models", folder.path()}), "potrf"));
  }
}

BOOST_AUTO_TEST_CASE(times_that_cannot_be_kept_fail_the_command_that_measures_them) {
  const TemporaryFolder folder;
  const tests::FileSizeLimit disk_is_full(100);
  const auto ran = run_program(
      {"model", "calibrate", "--tile", "16", "--samples", "3", "--precision", "double", "--models", folder.path()});
  BOOST_TEST(ran.exit_status == 1);
  BOOST_TEST(contains(ran.output, "Measured"), ran.output);
  BOOST_TEST(contains(ran.errors, "what was learned of kernel times is lost"), ran.errors);
}

BOOST_AUTO_TEST_CASE(refuses_models_that_cannot_be_measured_or_drawn) {
  fails(2, {"model"}, {"`troupe model --help`"});
  fails(2, {"model", "guess"}, {"`troupe model --help`"});
  for (const char* value : {"0", "-1", "4", "99999999", "many", ""}) {
    fails(2, {"model", "calibrate", "--tile", value}, {"--tile", "`troupe model calibrate --help`"});
  }
  fails(2, {"model", "calibrate", "--precision", "half"}, {"--precision", "half"});
  for (const char* value : {"0", "2", "many"}) fails(2, {"model", "calibrate", "--samples", value}, {"--samples"});
  fails(2, {"model", "calibrate", "--models", "none"}, {"--models"});
  const TemporaryFolder folder;
  fails(2, {"model", "plot", folder.path("m.jpg"), "--models", folder.path()}, {"m.jpg", ".svg", ".png"});
  fails(2, {"model", "plot", "/no/such/folder/m.svg", "--models", folder.path()}, {"/no/such/folder/m.svg"});
  if (no_gnuplot()) return;
  fails(2, {"model", "plot", folder.path("m.svg"), "--models", folder.path()}, {"troupe model calibrate"});
}

BOOST_AUTO_TEST_CASE(scaling_runs_on_emulated_and_modelled_devices_with_the_same_options) {
  const Words common{"--policy", "heft", "--policy", "dada:alpha=0.5", "--gpus", "1-2", "--repeat", "2"};
  const auto on = [&](const Words& where) {
    Words words = scaling(common);
    words.insert(words.end(), where.begin(), where.end());
    return json_of(words);
  };
  const auto emulated = on({"--emulated", "memory=1MiB,bandwidth=20GB/s", "--check"});
  const auto modelled = on({"--platform", "idgraf-double"});
  for (const auto* json : {&emulated, &modelled}) {
    BOOST_TEST_REQUIRE((*json)["results"].size() == 4U);
    const auto& last = (*json)["results"][3];
    BOOST_TEST(last["gpus"] == 2);
    BOOST_TEST(last["policy"] == "dada:alpha=0.5");
    BOOST_TEST(last["runs"].size() == 2U);
    BOOST_TEST(last["seconds_low"].get<double>() <= last["seconds"].get<double>());
    BOOST_TEST(last["seconds"].get<double>() <= last["seconds_high"].get<double>());
    BOOST_TEST(last["bytes"].get<double>() > 0);
  }
  BOOST_TEST(emulated["virtual"] == false);
  BOOST_TEST(modelled["virtual"] == true);
  for (const auto& result : emulated["results"]) BOOST_TEST(result["residual"].get<double>() < 30);
}

BOOST_AUTO_TEST_CASE(scaling_draws_one_figure) {
  if (no_gnuplot()) return;
  const TemporaryFolder folder;
  const std::string text = succeeds(scaling({"--policy", "heft", "--gpus", "0-2", "--repeat", "1", "--platform",
                                             "idgraf-double", "--plot", folder.path("s.svg")}));
  BOOST_TEST(contains(text, "s.svg"));
  const std::string svg = folder.read("s.svg");
  for (const char* part : {"GFlop/s", "GB moved", "heft", "idgraf-double"}) BOOST_TEST(contains(svg, part));
}

BOOST_AUTO_TEST_CASE(refuses_scaling_that_makes_no_sense) {
  fails(2, scaling({"--policy", "heft"}), {"--real", "--emulated", "--platform"});
  fails(2, scaling({"--policy", "heft", "--real", "--platform", "idgraf"}), {"--real"});
  fails(2, scaling({"--emulated", "memory=1MiB"}), {"--policy"});
  fails(2, scaling({"--policy", "fastest", "--emulated", "memory=1MiB"}), {"unknown policy 'fastest'"});
  fails(2, scaling({"--policy", "heft", "--emulated", "bandwidth=0GB/s"}), {"--emulated", "above zero"});
  fails(2, scaling({"--policy", "heft", "--emulated", "memory=1MiB", "--gpus", "2-1"}), {"--gpus", "'2-1'"});
  fails(2, scaling({"--policy", "heft", "--emulated", "memory=1MiB", "--gpus", "1-100"}), {"--gpus"});
  fails(2, scaling({"--policy", "heft", "--emulated", "memory=10KiB"}), {"one task", "10.0 KiB"});
  fails(2, scaling({"--policy", "heft", "--platform", "nowhere"}), {"no machine 'nowhere'"});
  fails(2, scaling({"--policy", "heft", "--platform", "idgraf-double", "--gpus", "9"}), {"--gpus", "'idgraf-double'"});
  fails(2, scaling({"--policy", "heft", "--platform", "idgraf-double", "--check"}), {"--check"});
  fails(2, scaling({"--policy", "heft", "--emulated", "memory=1MiB", "--plot", "s.jpg"}), {"s.jpg", ".svg", ".png"});
  const auto there = platform::list_cuda_devices();
  if (!there) fails(2, scaling({"--policy", "heft", "--real"}), {there.failure().message});
}

BOOST_AUTO_TEST_CASE(info_lists_gpus_or_says_why_there_are_none) {
  const auto json = Json::parse(succeeds({"info", "--json"}));
  BOOST_TEST(json["gpu_devices"].size() == gpus());
  BOOST_TEST(json.contains("no_gpus_because") == (gpus() == 0));
  BOOST_TEST(contains(succeeds({"info"}), gpus() == 0 ? "none that could be used" : "multiprocessors"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
