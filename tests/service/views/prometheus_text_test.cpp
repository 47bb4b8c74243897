#include "service/views/prometheus_text.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include "proto/json/json.hpp"
#include "service/views/view_json.hpp"
#include "tests/service/views/fake_view_source.hpp"
#include "tests/support/programs/child_program.hpp"
#include "tests/support/skipping.hpp"
#include "tests/support/temporary_folder.hpp"

namespace troupe::service {

BOOST_AUTO_TEST_SUITE(prometheus)

namespace {

using tests::contains;
using tests::run_with_input;
using tests::sample_view;

/// A script that reads metrics with the parser of the Prometheus client library for Python, and prints them as JSON.
constexpr const char* kParser = R"(
import json, sys
from prometheus_client.parser import text_string_to_metric_families
families = {}
for family in text_string_to_metric_families(sys.stdin.read()):
    families[family.name] = {
        "type": family.type, "help": family.documentation,
        "samples": [[s.name, s.labels, str(s.value)] for s in family.samples]}
json.dump(families, sys.stdout)
)";

/// Returns the parsed metrics; null if the library is not installed.
Json parsed(const std::string& text) {
  if (run_with_input({"/usr/bin/python3", "-c", "import prometheus_client"}, "").status != 0) {
    tests::skip("python3-prometheus-client is not installed");
    return nullptr;
  }
  const auto ran = run_with_input({"/usr/bin/python3", "-c", kParser}, text);
  BOOST_TEST_REQUIRE(ran.status == 0, ran.output);
  return Json::parse(ran.output);
}

/// Returns the value of the only sample with this name that has at least these labels.
double value(const Json& families, const std::string& name, const Json& labels = Json::object()) {
  double found = std::nan("");
  int count = 0;
  for (const auto& [family, content] : families.items()) {
    for (const Json& sample : content["samples"]) {
      Json all = sample[1];
      all.update(labels);
      if (sample[0] != name || all != sample[1]) continue;
      found = std::stod(sample[2].get<std::string>());
      ++count;
    }
  }
  BOOST_TEST(count == 1, name << labels.dump() << " is there " << count << " times");
  return found;
}

BOOST_AUTO_TEST_CASE(of_clusters_it_tells_what_was_used) {
  const std::string text = prometheus_text(tests::clustered_view(100, 0.75));
  for (const char* line :
       {"troupe_worker_cores{worker=\"0\",device=\"cluster of 4 cores 8-11\"} 4\n",
        "troupe_worker_cores{worker=\"1\",device=\"cpu core 1\"} 1\n",
        "troupe_worker_cores{worker=\"6\",device=\"GPU 0\"} 0\n",
        "troupe_worker_team_offered_seconds_total{worker=\"0\",device=\"cluster of 4 cores 8-11\"} 400\n",
        "troupe_worker_team_used_seconds_total{worker=\"0\",device=\"cluster of 4 cores 8-11\"} 300\n"}) {
    BOOST_TEST(contains(text, line), "no " << line);
  }
}

BOOST_AUTO_TEST_CASE(the_parser_of_prometheus_library_finds_every_value) {
  const ServiceView view = sample_view(100);
  const Json families = parsed(prometheus_text(view));
  if (families.is_null()) return;
  BOOST_TEST(value(families, "troupe_up") == 1);
  BOOST_TEST(value(families, "troupe_info", {{"policy", "dada:alpha=0.5,cp"}, {"version", "0.1.0"}}) == 1);
  BOOST_TEST(value(families, "troupe_age_seconds") == 100);
  BOOST_TEST(value(families, "troupe_worker_tasks_total", {{"worker", "2"}, {"device", "cpu core 2"}}) == 2500);
  BOOST_TEST(value(families, "troupe_worker_busy_seconds_total", {{"worker", "7"}}) == 95);
  BOOST_TEST(value(families, "troupe_mailbox_depth", {{"actor", "worker 0"}}) == 1);
  BOOST_TEST(value(families, "troupe_mailbox_received_total", {{"actor", "supervisor"}}) == 100);
  const Json scheduler{{"actor", "scheduler"}};
  BOOST_TEST(value(families, "troupe_mailbox_waiting_seconds", {{"actor", "scheduler"}, {"quantile", "0.99"}}) ==
             510e-6);
  BOOST_TEST(value(families, "troupe_mailbox_waiting_seconds_count", scheduler) == 90000);
  BOOST_TEST(std::abs(value(families, "troupe_mailbox_waiting_seconds_sum", scheduler) - 7.65) < 1e-9);
  BOOST_TEST(value(families, "troupe_pair_bytes_total", {{"from", "0"}, {"to", "1"}}) ==
             static_cast<double>(view.runtime.transfers.pairs[0].bytes.count));
  BOOST_TEST(value(families, "troupe_memory_capacity_bytes", {{"memory", "GPU 1"}}) == 16.0 * (1U << 30U));
  BOOST_TEST(value(families, "troupe_client_worker_seconds_total", {{"session", "3"}, {"name", "solver"}}) == 440);
  BOOST_TEST(value(families, "troupe_client_weight", {{"session", "3"}, {"user", "anna"}}) == 2);
  BOOST_TEST(value(families, "troupe_client_failed_total", {{"session", "5"}}) == 2);
  const Json gemm{{"codelet", "gemm"}, {"kind", "CUDA GPU"}};
  BOOST_TEST(std::abs(value(families, "troupe_prediction_relative_error_total", gemm) /
                          value(families, "troupe_prediction_tasks_total", gemm) -
                      0.081) < 1e-9);
}

BOOST_AUTO_TEST_CASE(a_metric_has_the_name_of_the_views_member) {
  const Json view = view_as_json(sample_view(100));
  const std::string text = prometheus_text(sample_view(100));
  const auto expect = [&text](const Json& object, const std::string& prefix, const std::set<std::string>& keys) {
    for (const std::string& key : keys) {
      BOOST_TEST(object.contains(key), "the view has no " << key);
      BOOST_TEST(contains(text, "# TYPE troupe_" + prefix + key), "no metric of " << key);
    }
  };
  expect(view["workers"][0], "worker_", {"tasks", "busy_seconds", "deque_length", "idle", "lost"});
  expect(view["mailboxes"][0], "mailbox_",
         {"depth", "peak_depth", "received", "dropped", "answered_at_delivery", "waiting", "handling"});
  expect(view["transfers"]["pairs"][0], "pair_", {"bytes", "copies", "busy_seconds"});
  expect(view["transfers"]["links"][0], "link_", {"bytes", "busy_seconds"});
  expect(view["memories"][0], "memory_", {"used_bytes", "capacity_bytes"});
  expect(view["transfers"], "", {"evictions", "write_backs", "prefetches", "cache_hits", "cache_misses"});
  expect(view["sessions"][0], "client_", {"submitted", "ended", "failed", "worker_seconds", "memory_bytes", "weight"});
  expect(view, "", {"age_seconds", "entry_queue"});
}

BOOST_AUTO_TEST_CASE(names_and_types_follow_the_conventions) {
  const Json families = parsed(prometheus_text(sample_view(100)));
  if (families.is_null()) return;
  BOOST_TEST(families.size() > 30U);
  std::set<std::pair<std::string, std::string>> seen;
  for (const auto& [name, family] : families.items()) {
    BOOST_TEST(name.starts_with("troupe_"));
    BOOST_TEST(family["type"] != "unknown", name << " has no type");
    BOOST_TEST(family["help"].get<std::string>().ends_with('.'), name << " is not explained");
    BOOST_TEST(!family["samples"].empty(), name << " has no values");
    for (const Json& sample : family["samples"]) {
      const std::string full = sample[0].get<std::string>();
      BOOST_TEST((family["type"] == "counter") == full.ends_with("_total"), full);
      BOOST_TEST(seen.insert({full, sample[1].dump()}).second, full << sample[1].dump() << " is there twice");
    }
  }
}

BOOST_AUTO_TEST_CASE(promtool_finds_nothing_to_complain_about) {
  const auto ran = run_with_input({"promtool", "check", "metrics"}, prometheus_text(sample_view(100)));
  if (ran.status == 127) {
    tests::skip("promtool is not installed");
    return;
  }
  BOOST_TEST(ran.status == 0, ran.output);
  BOOST_TEST(ran.output == "");
}

BOOST_AUTO_TEST_CASE(labels_keep_their_text_whatever_it_is) {
  ServiceView view = sample_view(10);
  view.sessions[0].name = "a \"quoted\" \\back\nslash ü";
  view.sessions[1].name = "not \xC3 text";
  view.sessions[2].user_name = {};
  const Json families = parsed(prometheus_text(view));
  if (families.is_null()) return;
  (void)value(families, "troupe_client_weight", {{"name", view.sessions[0].name}});
  (void)value(families, "troupe_client_weight", {{"name", "not ? text"}});
  // The service does not know the name of this user, so the number is shown.
  (void)value(families, "troupe_client_weight", {{"session", "6"}, {"user", "1001"}});
}

BOOST_AUTO_TEST_CASE(a_service_without_anything_is_described_as_well) {
  ServiceView view;
  view.state = "draining";
  const std::string text = prometheus_text(view);
  BOOST_TEST(contains(text, "troupe_up 0\n"));
  BOOST_TEST(!contains(text, "troupe_worker_tasks"));
  (void)parsed(text);
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_characters_are_replaced_one_by_one) {
  BOOST_TEST(valid_text("plain, ü, 漢, 😀") == "plain, ü, 漢, 😀");
  BOOST_TEST(valid_text("\xFF") == "?");
  BOOST_TEST(valid_text("a\xC3") == "a?");
  BOOST_TEST(valid_text("\xC0\x80") == "??");            // An encoding that is longer than needed.
  BOOST_TEST(valid_text("\xED\xA0\x80!") == "\?\?\?!");  // A surrogate, which is no character.
  BOOST_TEST(valid_text("\xF4\x90\x80\x80") == "????");  // A number after the last Unicode character.
  BOOST_TEST(valid_text("\xE2\x82") == "??");
  BOOST_TEST(valid_text("") == "");
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::service
