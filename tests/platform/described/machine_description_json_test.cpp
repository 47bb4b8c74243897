#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "proto/random.hpp"
#include "tests/support/temporary_folder.hpp"
#include "troupe/machine.hpp"

// Tests the messages about wrong files. Each test changes one field of a valid description, and the message must name
// this field.
namespace troupe::platform {

BOOST_AUTO_TEST_SUITE(machine_description_json)

namespace {

using nlohmann::json;
using tests::contains;
using Pointer = json::json_pointer;
using Words = std::vector<std::string>;

/// Returns a machine with two GPUs, with a link for each direction of each GPU, and two kernels.
json small_machine() {
  json machine = json::parse(R"({
    "name": "small", "cpu": {"cores": 4, "sockets": 2, "model": "c"},
    "gpus": [{"id": 0, "model": "g", "memory_bytes": 1000, "near_cores": [0, 1]},
             {"id": 1, "model": "g", "memory_bytes": 1000}],
    "transfers": {"bandwidth_mb_per_s": [[0, 100, 100], [90, 0, 200], [90, 200, 0]],
                  "latency_us": [[0, 1, 2.5], [3, 0, 4], [5, 6, 0]]},
    "pci": {"links": [{"name": "down", "bandwidth_mb_per_s": 100, "latency_us": 0},
                      {"name": "up", "bandwidth_mb_per_s": 50}],
            "routes": [{"from": "host", "to": "gpu0", "links": ["down"]}, {"from": "host", "to": "gpu1", "links": ["down"]},
                       {"from": "gpu0", "to": "host", "links": ["up"]}, {"from": "gpu1", "to": "host", "links": ["up", "up"]},
                       {"from": "gpu0", "to": "gpu1", "links": []}, {"from": "gpu1", "to": "gpu0", "links": ["up", "down"]}]},
    "kernels": [{"application": "a", "kernel": "k", "precision": "double", "tile": 10, "flops": 2000,
                 "cpu_us": {"mean": 100, "dev": null}, "gpu_us": [{"gpu": 1, "mean": 20}, {"gpu": 0, "mean": 10, "dev": 1}]},
                {"application": "a", "kernel": "k", "precision": "double", "tile": 20, "flops": null,
                 "cpu_us": {"mean": 400}}]
  })");
  return machine;
}

void refused(const std::string& text, const Words& parts) {
  const auto machine = parse_machine(text, "some/file.json");
  BOOST_REQUIRE_MESSAGE(!machine.ok(), "taken: " << text);
  BOOST_TEST((machine.failure().code == ErrorCode::bad_input));
  const std::string& message = machine.failure().message;
  BOOST_TEST(contains(message, "'some/file.json'"), message);
  for (const std::string& part : parts) BOOST_TEST(contains(message, part), "no '" << part << "' in: " << message);
}

/// Checks that the description is refused if the field at `pointer` has the value `value`.
void refused_with(const char* pointer, const json& value, const Words& parts) {
  json machine = small_machine();
  machine[Pointer(pointer)] = value;
  refused(machine.dump(), parts);
}

void refused_with_fix(const json& fix, const Words& parts) { refused_with("/transfers/latency_us_fix", fix, parts); }

/// Checks that the description is refused if the field at `pointer` is missing.
void refused_without(const char* pointer, const Words& parts) {
  json machine = small_machine();
  machine = machine.patch(json::array({{{"op", "remove"}, {"path", pointer}}}));
  refused(machine.dump(), parts);
}

MachineDescription taken(const json& machine) {
  auto parsed = parse_machine(machine.dump(), "some/file.json");
  BOOST_REQUIRE_MESSAGE(parsed.ok(), (parsed.ok() ? "" : parsed.failure().message));
  return std::move(parsed).value();
}

BOOST_AUTO_TEST_CASE(a_good_description_is_taken_field_by_field) {
  const MachineDescription machine = taken(small_machine());
  BOOST_TEST(machine.name == "small");
  BOOST_TEST(machine.description == "");
  BOOST_TEST(machine.cores == 4);
  BOOST_TEST(machine.sockets == 2);
  BOOST_TEST(machine.gpus[1].memory.count == 1000U);
  BOOST_TEST(machine.gpus[1].near_cores.empty());
  BOOST_TEST(machine.route(0, 2).latency.count() == 2500);
  BOOST_TEST(machine.route(2, 1).latency.count() == 6000);
  BOOST_TEST(machine.route(0, 1).bandwidth_mb_per_s == 100.0);
  BOOST_TEST(machine.route(2, 0).bandwidth_mb_per_s == 50.0, "the matrix has 90, the link only 50");
  BOOST_TEST(machine.route(2, 0).links.size() == 1);
  BOOST_TEST(machine.route(1, 2).links.empty());
  BOOST_TEST((machine.route(2, 1).links == std::vector<std::uint32_t>{1, 0}));
  BOOST_REQUIRE(machine.kernels.size() == 1);
  const KernelTimes& kernel = machine.kernels.front();
  BOOST_TEST(kernel.gpu(0, 10).mean_us == 10.0);
  BOOST_TEST(kernel.gpu(0, 10).deviation_us == 1.0);
  BOOST_TEST(kernel.gpu(1, 10).mean_us == 20.0);
  BOOST_TEST(kernel.cpu(10).deviation_us == 0.0);
  BOOST_TEST(kernel.flops_per_cube() == 2.0);
}

BOOST_AUTO_TEST_CASE(a_machine_without_gpus_needs_no_links) {
  const MachineDescription machine = taken(json::parse(
      R"({"name": "cores", "cpu": {"cores": 2}, "gpus": [], "kernels": [{"application": "a", "kernel": "k",
          "precision": "single", "tile": 2.0, "cpu_us": {"mean": 1}, "gpu_us": []}]})"));
  BOOST_TEST(machine.sockets == 1);
  BOOST_TEST(machine.node_count() == 1);
  BOOST_TEST(!machine.kernels.front().on_gpus());
}

BOOST_AUTO_TEST_CASE(float_is_single_precision) {
  const MachineDescription machine = taken(json::parse(
      R"({"name": "cores", "cpu": {"cores": 2}, "gpus": [], "kernels": [{"application": "a", "kernel": "k",
          "precision": "float", "tile": 2.0, "cpu_us": {"mean": 1}, "gpu_us": []}]})"));
  BOOST_TEST((machine.find_kernel("a", "k", "single") == &machine.kernels.front()));
}

BOOST_AUTO_TEST_CASE(times_on_clusters_are_read_from_a_list_and_from_keys_with_the_number_of_cores) {
  json machine = small_machine();
  json& kernel = machine["kernels"][0];
  const double one = kernel["cpu_us"]["mean"];
  kernel["cluster_us"] = {{{"cores", 2}, {"mean", one / 2}, {"dev", 1}, {"samples", nullptr}}};
  kernel["cluster_3_cores_us"] = {{"mean", one / 3}, {"dev", nullptr}, {"samples", 8}};
  kernel["cluster_4_cores_us"] = nullptr;
  const KernelTimes read = taken(machine).kernels.front();
  BOOST_TEST((read.core_counts() == std::vector<int>{1, 2, 3}));
  const double edge = read.edges().front();
  BOOST_TEST(read.cluster(2, edge).mean_us == one / 2);
  BOOST_TEST(read.cluster(2, edge).deviation_us == 1.0);
  BOOST_TEST(read.cluster(3, edge).mean_us == one / 3);
  BOOST_TEST(!taken(small_machine()).kernels.front().on_clusters());
}

BOOST_AUTO_TEST_CASE(times_on_clusters_that_cannot_be_are_refused) {
  const json time{{"mean", 1}};
  const auto on = [](const json& cores) { return json{{"cores", cores}, {"mean", 1}}; };
  const char* range = "a number of cores from 2 to the machine's 4";
  refused_with("/kernels/0/cluster_us", json::array({on(1)}), {"kernels[0].cluster_us[0].cores is 1", range});
  refused_with("/kernels/0/cluster_us", json::array({on(5)}), {"kernels[0].cluster_us[0].cores is 5", range});
  refused_with("/kernels/0/cluster_us", json::array({time}), {"kernels[0].cluster_us[0].cores is missing"});
  refused_with("/kernels/0/cluster_us", json::array({{{"core", 2}, {"mean", 1}}}), {"\"cores\""});
  refused_with("/kernels/0/cluster_us", time, {"kernels[0].cluster_us", "an array with a time for each"});
  refused_with("/kernels/0/cluster_us", json::array({on(2), on(2)}), {"the time on 2 cores is given already"});
  refused_with("/kernels/0/cluster_us", json::array({on(2), {{"cores", 3}}}), {"cluster_us[1].mean is missing"});
  refused_with("/kernels/0/cluster_1_cores_us", time, {"kernels[0].cluster_1_cores_us", range});
  refused_with("/kernels/0/cluster_99999999999999999999_cores_us", time, {range});
  refused_with("/kernels/0/cluster_2_cores_us", -1, {"kernels[0].cluster_2_cores_us"});
  json machine = small_machine();
  machine["kernels"][0].erase("cpu_us");
  machine["kernels"][0]["cluster_us"] = json::array({on(2)});
  refused(machine.dump(), {"kernels[0]: it has times on clusters: cpu_us, that on one core, is missing"});
}

BOOST_AUTO_TEST_CASE(remarks_are_left_alone) {
  json machine = small_machine();
  machine["assumptions"] = {{"whatever", "anything"}};
  machine["note"] = 7;
  machine["kernels"][0]["time_origin"] = "assumed";
  machine["kernels"][0]["cpu_us"]["samples"] = 3;
  machine["pci"]["links"][0]["gpus_behind"] = "all";
  machine["pci"]["links"][0]["capacity_note"] = "guessed";
  taken(machine);
}

BOOST_AUTO_TEST_CASE(a_field_that_is_not_known_is_named_with_the_nearest) {
  refused_with("/gpuz", 1, {"gpuz: a machine has no such field", "\"gpus\""});
  refused_with("/cpu/core", 1, {"cpu.core: ", "\"cores\""});
  refused_with("/gpus/1/memory_byte", 1, {"gpus[1].memory_byte: a GPU has", "\"memory_bytes\""});
  refused_with("/transfers/bandwith_mb_per_s", 1, {"transfers.bandwith_mb_per_s: ", "\"bandwidth_mb_per_s\""});
  refused_with_fix({{"row", 1}, {"values", {7, 0, 8}}, {"rows", 1}}, {"transfers.latency_us_fix.rows", "\"row\""});
  refused_with("/pci/link", 1, {"pci.link: ", "\"links\""});
  refused_with("/pci/links/0/latency", 1, {"pci.links[0].latency: a link has", "\"latency_us\""});
  refused_with("/pci/routes/3/form", 1, {"pci.routes[3].form: a route has", "\"from\""});
  refused_with("/kernels/1/cpu_uss", 1, {"kernels[1].cpu_uss: a kernel has no such field", "did you mean \"cpu_us\"?"});
  refused_with("/kernels/1/cluster__cores_us", 1, {"kernels[1].cluster__cores_us"});
  refused_with("/kernels/0/cpu_us/mena", 1, {"kernels[0].cpu_us.mena: a time has", "\"mean\""});
  refused_with("/kernels/0/gpu_us/1/device", 1, {"kernels[0].gpu_us[1].device: a GPU's time has", "\"dev\""});
  // Because of the misspelt field, the kernel runs nowhere. The message must name the misspelt field, not the
  // consequence.
  json machine = small_machine();
  machine["kernels"][1]["cpu_uss"] = std::exchange(machine["kernels"][1]["cpu_us"], nullptr);
  refused(machine.dump(), {"kernels[1].cpu_uss"});
}

BOOST_AUTO_TEST_CASE(a_missing_field_is_named) {
  refused_without("/name", {"name is missing", "the machine's name"});
  refused_without("/cpu", {"cpu is missing"});
  refused_without("/cpu/cores", {"cpu.cores is missing", "whole number"});
  refused_without("/gpus", {"gpus is missing", "or []"});
  refused_without("/gpus/1/model", {"gpus[1].model is missing"});
  refused_without("/gpus/1/memory_bytes", {"gpus[1].memory_bytes is missing", "bytes"});
  refused_without("/transfers", {"transfers is missing"});
  refused_without("/transfers/bandwidth_mb_per_s", {"transfers.bandwidth_mb_per_s is missing", "3 rows"});
  refused_without("/transfers/latency_us", {"transfers.latency_us is missing"});
  refused_without("/pci", {"pci is missing"});
  refused_without("/pci/links", {"pci.links is missing"});
  refused_without("/pci/links/1/name", {"pci.links[1].name is missing"});
  refused_without("/pci/links/1/bandwidth_mb_per_s", {"pci.links[1].bandwidth_mb_per_s is missing"});
  refused_without("/pci/routes", {"pci.routes is missing"});
  refused_without("/pci/routes/2/to", {"pci.routes[2].to is missing", "\"host\" or \"gpu0\" to \"gpu1\""});
  refused_without("/pci/routes/2/links", {"pci.routes[2].links is missing"});
  refused_without("/kernels", {"kernels is missing"});
  for (const char* key : {"application", "kernel", "precision", "tile"}) {
    refused_without((std::string("/kernels/1/") + key).c_str(), {std::string("kernels[1].") + key + " is missing"});
  }
  refused_without("/kernels/1/cpu_us/mean", {"kernels[1].cpu_us.mean is missing", "microseconds"});
  refused_without("/kernels/0/gpu_us/1/mean", {"kernels[0].gpu_us[1].mean is missing"});
  refused_without("/kernels/0/gpu_us/1/gpu", {"kernels[0].gpu_us[1].gpu is missing"});
  refused_without("/kernels/1/cpu_us", {"kernels[1]", "neither cpu_us nor gpu_us"});
}

BOOST_AUTO_TEST_CASE(a_wrong_type_is_named_with_what_is_there) {
  refused("[1, 2]", {"the whole is an array of 2", "an object"});
  refused("3", {"the whole is 3"});
  refused_with("/name", 7, {"name is 7"});
  refused_with("/name", "", {"name is \"\""});
  refused_with("/cpu", json::array(), {"cpu is an array of 0", "an object"});
  refused_with("/cpu/cores", "four", {"cpu.cores is \"four\"", "whole number from 1"});
  refused_with("/cpu/cores", 2.5, {"cpu.cores is 2.5"});
  refused_with("/cpu/model", 3, {"cpu.model is 3", "text"});
  refused_with("/gpus", 2, {"gpus is 2"});
  refused_with("/gpus/0", "Tesla", {"gpus[0] is \"Tesla\"", "an object"});
  refused_with("/gpus/0/near_cores/1", "x", {"gpus[0].near_cores[1] is \"x\""});
  refused_with("/transfers/latency_us/2", 5, {"transfers.latency_us[2] is 5", "array of 3 numbers"});
  refused_with("/transfers/bandwidth_mb_per_s/1/2", nullptr, {"transfers.bandwidth_mb_per_s[1][2] is null"});
  refused_with("/pci/links", json::object(), {"pci.links is an object"});
  refused_with("/pci/routes/0/links/0", 1, {"pci.routes[0].links[0] is 1"});
  refused_with("/kernels/0/cpu_us", 5, {"kernels[0].cpu_us is 5"});
  refused_with("/kernels/0/gpu_us", json::object(), {"kernels[0].gpu_us is an object"});
}

BOOST_AUTO_TEST_CASE(numbers_outside_their_range_are_refused) {
  for (const json& value : {json(0), json(-3), json(-0.5), json(1e300)}) {
    const std::string is = " is " + value.dump();
    refused_with("/kernels/0/cpu_us/mean", value, {"kernels[0].cpu_us.mean" + is, "above 0"});
    refused_with("/kernels/0/gpu_us/0/mean", value, {"kernels[0].gpu_us[0].mean" + is});
    refused_with("/kernels/1/tile", value, {"kernels[1].tile" + is});
    refused_with("/transfers/bandwidth_mb_per_s/0/2", value, {"transfers.bandwidth_mb_per_s[0][2]" + is});
    refused_with("/pci/links/0/bandwidth_mb_per_s", value, {"pci.links[0].bandwidth_mb_per_s" + is});
    refused_with("/gpus/1/memory_bytes", value, {"gpus[1].memory_bytes" + is});
  }
  refused_with("/kernels/0/cpu_us/dev", -1, {"kernels[0].cpu_us.dev is -1", "deviation"});
  refused_with("/kernels/0/flops", 0, {"kernels[0].flops is 0"});
  refused_with("/transfers/latency_us/1/0", -1, {"transfers.latency_us[1][0] is -1"});
  refused_with("/pci/links/0/latency_us", -1, {"pci.links[0].latency_us is -1"});
  refused_with("/cpu/cores", 0, {"cpu.cores is 0"});
  refused_with("/cpu/cores", 4000000000U, {"cpu.cores is 4000000000"});
  refused_with("/cpu/sockets", 0, {"cpu.sockets is 0"});
  refused_with("/gpus/0/near_cores/0", 4, {"gpus[0].near_cores[0] is 4", "from 0 to 3"});
  refused_with("/gpus/0/launch_us", -1, {"gpus[0].launch_us is -1", "microseconds"});
  refused_with("/gpus/0/notice_us", "x", {"gpus[0].notice_us is \"x\""});
  refused_with("/gpus/0/id", 1, {"gpus[0].id is 1", "position"});
}

BOOST_AUTO_TEST_CASE(tiles_are_whole_numbers) {
  for (const json& value : {json(2.5), json(0.5), json(0), json(-8), json(2e6), json("8")}) {
    refused_with("/kernels/1/tile", value, {"kernels[1].tile is " + value.dump(), "a whole number above 0"});
  }
}

BOOST_AUTO_TEST_CASE(deviations_are_of_the_order_of_the_mean) {
  refused_with("/kernels/0/cpu_us/dev", 1e9,
               {"kernels[0].cpu_us.dev is 1000000000", "at most 10 times the mean, 100 us"});
  refused_with("/kernels/0/gpu_us/0/dev", 201, {"kernels[0].gpu_us[0].dev is 201", "at most 10 times the mean, 20 us"});
  json machine = small_machine();
  machine["kernels"][0]["cpu_us"]["dev"] = 1000;
  taken(machine);
}

BOOST_AUTO_TEST_CASE(matrices_have_a_row_and_a_column_for_each_memory) {
  refused_without("/transfers/bandwidth_mb_per_s/2", {"transfers.bandwidth_mb_per_s is an array of 2", "3 rows"});
  refused_without("/transfers/latency_us/1/1", {"transfers.latency_us[1] is an array of 2", "3 numbers"});
  refused_with("/transfers/latency_us/1/3", 4, {"transfers.latency_us[1] is an array of 4", "3 numbers"});
}

BOOST_AUTO_TEST_CASE(a_row_of_latencies_that_is_put_right_is_checked) {
  json machine = small_machine();
  machine["transfers"]["latency_us_fix"] = {{"row", 1}, {"values", {7, 0, 8}}};
  BOOST_TEST(taken(machine).route(1, 0).latency.count() == 7000);
  BOOST_TEST(taken(machine).route(1, 2).latency.count() == 8000);
  BOOST_TEST(taken(machine).route(2, 1).latency.count() == 6000);
  refused_with("/transfers/latency_us_fix", {{"row", 3}, {"values", {7, 0, 8}}}, {"transfers.latency_us_fix.row is 3"});
  refused_with("/transfers/latency_us_fix", {{"row", 1}, {"values", {7, 0}}},
               {"latency_us_fix.values is an array of 2"});
  refused_with("/transfers/latency_us_fix", {{"row", 1}, {"values", {-7, 0, 1}}}, {"latency_us_fix.values[0] is -7"});
}

BOOST_AUTO_TEST_CASE(links_and_routes_have_to_fit_together) {
  refused_with("/pci/links/1/name", "down", {"pci.links[1].name", "'down'", "pci.links[0]"});
  refused_with("/pci/routes/1/links/0", "cable", {"pci.routes[1].links[0] is \"cable\"", "one of pci.links"});
  refused_with("/pci/routes/1/to", "gpu2", {"pci.routes[1].to is \"gpu2\"", "\"gpu1\""});
  refused_with("/pci/routes/1/to", "gpu01", {"pci.routes[1].to is \"gpu01\""});
  refused_with("/pci/routes/1/to", "host", {"pci.routes[1]", "to itself"});
  refused_with("/pci/routes/1/to", "gpu0", {"pci.routes[1]", "from host to gpu0", "pci.routes[0]"});
  refused_without("/pci/routes/4", {"pci.routes", "no route from gpu0 to gpu1"});
}

BOOST_AUTO_TEST_CASE(kernels_are_described_once_and_on_all_gpus_or_none) {
  refused_with("/kernels/1/tile", 10, {"kernels[1]", "k of a in double precision at tile 10", "kernels[0]"});
  refused_with("/kernels/0/gpu_us/0/gpu", 2, {"kernels[0].gpu_us[0].gpu is 2", "2 GPU(s)"});
  refused_with("/kernels/0/gpu_us/1/gpu", 1, {"kernels[0].gpu_us[1].gpu is 1", "not given before"});
  refused_without("/kernels/0/gpu_us/1", {"kernels[0].gpu_us", "GPU 0 is missing"});
  refused_with("/kernels/0/gpu_us/2", {{"gpu", 2}, {"mean", 1}}, {"kernels[0].gpu_us[2].gpu is 2"});
  refused_with("/kernels", json::array(), {"kernels is an array of 0", "at least one"});
  refused(R"({"name": "n", "cpu": {"cores": 1}, "gpus": [], "kernels": [{"application": "a", "kernel": "k",
              "precision": "p", "tile": 1, "gpu_us": [{"gpu": 0, "mean": 1}]}]})",
          {"kernels[0].gpu_us", "no GPU"});
}

BOOST_AUTO_TEST_CASE(a_kernel_that_runs_on_gpus_only_is_taken) {
  json machine = small_machine();
  machine["kernels"][0].erase("cpu_us");
  machine["kernels"].erase(1);
  const MachineDescription parsed = taken(machine);
  BOOST_TEST(!parsed.kernels.front().on_cpu());
  BOOST_TEST(parsed.kernels.front().on_gpus());
}

BOOST_AUTO_TEST_CASE(every_truncation_is_told) {
  const std::string whole = small_machine().dump(1);
  for (std::size_t length = 0; length < whole.size(); length += 7) {
    refused(whole.substr(0, length), {length == 0 ? "empty" : "too early"});
  }
}

BOOST_AUTO_TEST_CASE(a_file_with_damaged_bytes_is_read_or_refused_by_name) {
  const std::string whole = small_machine().dump();
  Random random(7);
  int refusals = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string damaged = whole;
    for (int byte = 0; byte < 1 + i % 3; ++byte) {
      const auto at = static_cast<std::size_t>(random.below(static_cast<std::uint32_t>(damaged.size())));
      damaged[at] = static_cast<char>(random.below(256));
    }
    const auto machine = parse_machine(damaged, "some/file.json");
    if (machine.ok()) continue;
    ++refusals;
    BOOST_TEST((machine.failure().code == ErrorCode::bad_input));
    BOOST_TEST(contains(machine.failure().message, "'some/file.json': "), damaged);
  }
  BOOST_TEST(refusals > 1000);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::platform
