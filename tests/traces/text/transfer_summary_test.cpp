#include "traces/text/transfer_summary.hpp"
#include "proto/json/json.hpp"

#include <boost/test/unit_test.hpp>

#include "tests/support/temporary_folder.hpp"

namespace troupe::traces {

BOOST_AUTO_TEST_SUITE(transfer_summary)

namespace {

using tests::contains;

RunReport report() {
  RunReport report;
  WorkerReport core;
  core.device = "cpu core 0";
  WorkerReport gpu;
  gpu.device = "emulated GPU 0";
  gpu.kind = DeviceKind::emulated;
  report.workers = {core, gpu};
  TransferReport& transfers = report.transfers;
  transfers.host_to_device = {3'000'000'000};
  transfers.device_to_host = {1'000'000'000};
  PairTraffic up;
  up.from = NodeId(0);
  up.to = NodeId(1);
  up.bytes = {3'000'000'000};
  up.copies = 30;
  up.busy = std::chrono::milliseconds(500);
  transfers.pairs = {up};
  transfers.memories = {{NodeId(1), {1 << 20U}, {1 << 19U}, {1 << 18U}}};
  transfers.manager.evictions = 7;
  transfers.manager.write_backs = 4;
  transfers.manager.hits = 90;
  transfers.manager.misses = 30;
  return report;
}

BOOST_AUTO_TEST_CASE(names_memories_after_the_devices_that_have_one) {
  BOOST_TEST((node_names(report()) == std::vector<std::string>{"host", "emulated GPU 0"}));
  BOOST_TEST(count_accelerators(report()) == 1U);
  BOOST_TEST(count_cores(report()) == 1U);
}

BOOST_AUTO_TEST_CASE(the_text_says_what_links_reached_and_what_the_memory_manager_did) {
  const std::string text = transfers_text(report());
  for (const char* part : {"host", "emulated GPU 0", "6 GB/s", "512.0 KiB", "50.0 %", "90 of 120", "75.0 %",
                           "evictions    7, write-backs 4"}) {
    BOOST_TEST(contains(text, part), "no '" << part << "' in\n" << text);
  }
}

BOOST_AUTO_TEST_CASE(a_run_on_cores_alone_has_no_text_but_zeros_for_machines) {
  RunReport cores = report();
  cores.workers.pop_back();
  cores.transfers = {};
  BOOST_TEST(transfers_text(cores).empty());
  Json json;
  add_transfers_json(cores, json);
  BOOST_TEST(json["bytes_host_to_device"] == 0);
  BOOST_TEST(json["copies"].empty());
}

BOOST_AUTO_TEST_CASE(json_has_the_documented_keys) {
  Json json;
  add_transfers_json(report(), json);
  BOOST_TEST(json["bytes_host_to_device"] == 3'000'000'000);
  BOOST_TEST(json["bytes_device_to_host"] == 1'000'000'000);
  BOOST_TEST(json["bytes_device_to_device"] == 0);
  BOOST_TEST(json["cache_hits"] == 90);
  BOOST_TEST(json["cache_misses"] == 30);
  BOOST_TEST(json["copies"][0]["to"] == "emulated GPU 0");
  BOOST_TEST(json["copies"][0]["bandwidth_mb_per_s"] == 6000.0);
  BOOST_TEST(json["memories"][0]["peak_bytes"] == 1 << 19U);
}

BOOST_AUTO_TEST_CASE(a_difference_has_what_came_between_and_no_pair_that_was_idle) {
  const TransferReport earlier = report().transfers;
  TransferReport later = earlier;
  BOOST_TEST(difference(later, earlier).pairs.empty());
  later.pairs[0].bytes += {500};
  later.pairs[0].copies += 1;
  later.manager.hits += 2;
  later.host_to_device += {500};
  const TransferReport between = difference(later, earlier);
  BOOST_TEST_REQUIRE(between.pairs.size() == 1U);
  BOOST_TEST(between.pairs[0].bytes.count == 500U);
  BOOST_TEST(between.pairs[0].busy.count() == 0);
  BOOST_TEST(between.total().count == 500U);
  BOOST_TEST(between.manager.hits == 2U);
  BOOST_TEST(between.manager.misses == 0U);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::traces
