#include "apps/models/machine_summary.hpp"

#include <boost/test/unit_test.hpp>

#include "proto/json/json.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::apps {

BOOST_AUTO_TEST_SUITE(machine_summary)

namespace {

using platform::KernelTime;
using platform::MachineDescription;
using tests::contains;

/// Returns a machine with two GPUs and three kernels. The second GPU is twice as fast. One kernel runs on cores only,
/// one on GPUs only, one on both.
MachineDescription three_kernels() {
  MachineDescription machine;
  machine.name = "m";
  machine.cores = 2;
  machine.sockets = 1;
  machine.gpus = {{"g", {std::uint64_t{1} << 30U}, {}}, {"g", {std::uint64_t{1} << 30U}, {0, 1}}};
  machine.links = {{"wire", 1500, Duration{0}}};
  machine.routes.assign(9, {{0}, 1234.5, Duration{2500}});
  machine.kernels = {{"a", "both", "single", {{10, 0, KernelTime{300, 0}, {{40, 1}, {20, 1}}}}, 2},
                     {"a", "core", "single", {{10, 0, KernelTime{1, 0}, {}}}, 2},
                     {"a", "gpu", "single", {{10, 0, std::nullopt, {{1, 0}, {1, 0}}}}, 2}};
  return machine;
}

BOOST_AUTO_TEST_CASE(the_speed_up_is_over_the_mean_of_the_gpus_times) {
  const MachineDescription machine = three_kernels();
  BOOST_TEST(*gpu_over_core(machine, machine.kernels[0], 10) == 10.0);
  BOOST_TEST(!gpu_over_core(machine, machine.kernels[1], 10).has_value());
  BOOST_TEST(!gpu_over_core(machine, machine.kernels[2], 10).has_value());
}

BOOST_AUTO_TEST_CASE(the_text_shows_every_part) {
  const std::string text = machine_text(three_kernels());
  for (const char* part : {"Cores: 2 in 1 socket(s)\n", "gpu0  g      1.0 GiB  not said", "gpu1  g      1.0 GiB  0-1",
                           "wire   1.5", "1.234", "2.5", "10 at 10", "runs on cores only", "runs on GPUs only"}) {
    BOOST_TEST(contains(text, part), "no '" << part << "' in\n" << text);
  }
}

BOOST_AUTO_TEST_CASE(clusters_are_shown_where_there_are_times) {
  MachineDescription machine = three_kernels();
  BOOST_TEST(!contains(machine_text(machine), "clusters"));
  BOOST_TEST(!machine_json(machine)["kernels"][1]["tiles"][0].contains("cluster_us"));
  machine.kernels[1] = {"a", "core", "single", {{10, 0, KernelTime{30, 0}, {}, {{2, {20, 1}}, {4, {15, 0}}}}}, 2};
  const std::string text = machine_text(machine);
  BOOST_TEST(contains(text, "2: 1.5 at 10; 4: 2 at 10"), text);
  const Json tile = machine_json(machine)["kernels"][1]["tiles"][0];
  BOOST_TEST((tile["cluster_us"] == Json::parse(R"([{"cores": 2, "mean_us": 20, "deviation_us": 1},
                                                             {"cores": 4, "mean_us": 15, "deviation_us": 0}])")));
}

BOOST_AUTO_TEST_CASE(the_object_leaves_out_where_a_kernel_does_not_run) {
  const Json json = machine_json(three_kernels());
  BOOST_TEST(json["kernels"][0]["tiles"][0]["gpu_us"][1]["mean_us"] == 20);
  BOOST_TEST(json["kernels"][0]["tiles"][0]["gpu_over_core"] == 10);
  BOOST_TEST(!json["kernels"][1]["tiles"][0].contains("gpu_us"));
  BOOST_TEST(!json["kernels"][2]["tiles"][0].contains("cpu_us"));
  BOOST_TEST(json["bandwidth_matrix_mb_per_s"][1][2] == 1234.5);
  BOOST_TEST(json["latency_matrix_us"][1][1] == 0);
  BOOST_TEST(json["routes"][0]["links"][0] == "wire");
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::apps
