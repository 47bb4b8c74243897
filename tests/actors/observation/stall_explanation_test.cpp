/// Explains snapshots that the test builds itself, for states that no real run reaches reliably.
#include "actors/observation/stall_explanation.hpp"
#include "proto/json/json.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <deque>
#include <string>

namespace troupe::observation {

namespace stall_explanation {

using namespace std::chrono_literals;
using graph::TaskActivity;
using graph::TaskEdge;
using graph::TaskNode;
using graph::TaskRole;

/// A snapshot of a graph and its workers. Each line of a test adds one task.
struct Scene {
  Scene() {
    crew.now = 100s;
    crew.policy = "lws";
    crew.workers.resize(2);
    crew.workers[0].device = "cpu core 0";
    crew.workers[1].device = "cpu core 1";
  }
  std::uint32_t add(const std::string& codelet) {
    TaskNode node;
    node.id = TaskId(snapshot.nodes.size() + 1);
    node.codelet = &names.emplace_back(codelet);
    snapshot.nodes.push_back(node);
    ++snapshot.submitted;
    return static_cast<std::uint32_t>(snapshot.nodes.size() - 1);
  }
  std::uint32_t running(const std::string& codelet, std::uint32_t worker, TimeStamp since) {
    const std::uint32_t node = add(codelet);
    snapshot.nodes[node].activity = TaskActivity::running;
    snapshot.nodes[node].worker = WorkerId(worker);
    snapshot.nodes[node].since = since;
    return node;
  }
  std::uint32_t behind(std::uint32_t predecessor) {
    const std::uint32_t node = add("behind");
    wait(node, predecessor);
    return node;
  }
  void wait(std::uint32_t node, std::uint32_t predecessor) {
    snapshot.edges.push_back({predecessor, node, TaskEdge::Kind::data});
    ++snapshot.nodes[node].pending;
  }
  [[nodiscard]] WhyReport explained(const ExplanationLimits& limits = {}) const {
    return explain(snapshot, crew, limits);
  }

  graph::GraphSnapshot snapshot;
  CrewSnapshot crew;
  std::deque<std::string> names;
};

bool says(const WhyReport& report, const std::string& part) {
  const bool found = report.to_text().find(part) != std::string::npos;
  if (!found) BOOST_TEST_MESSAGE("missing: " << part << "\n" << report.to_text());
  return found;
}

}  // namespace stall_explanation

BOOST_FIXTURE_TEST_SUITE(stall_explanation, Scene)

BOOST_AUTO_TEST_CASE(the_cause_with_most_tasks_behind_it_comes_first) {
  const auto small = running("gemm", 0, 50s);
  const auto large = running("potrf", 1, 88s);
  behind(small);
  auto last = behind(large);
  for (int i = 0; i < 5; ++i) last = behind(last);
  const WhyReport report = explained();
  BOOST_TEST_REQUIRE(report.causes.size() == 2U);
  BOOST_TEST(report.causes[0].task.codelet == "potrf");
  BOOST_TEST(report.causes[0].waiting == 6U);
  BOOST_TEST(report.causes[1].waiting == 1U);
  BOOST_TEST(says(report,
                  "6 tasks wait, in the end, for task 2 (codelet potrf), which has been running on worker 1 for "
                  "12.0 s."));
}

BOOST_AUTO_TEST_CASE(a_task_behind_two_causes_counts_for_the_graver_one) {
  const auto recent = running("recent", 0, 99s);
  const auto old = running("old", 1, 10s);
  const auto both = behind(recent);
  wait(both, old);
  behind(both);
  const WhyReport report = explained();
  BOOST_TEST(report.causes[0].task.codelet == "old");
  BOOST_TEST(report.causes[0].waiting == 2U);
  BOOST_TEST(report.causes[1].waiting == 0U);
  BOOST_TEST(says(report, "Some tasks wait for a graver cause and, besides, for task 1 (codelet recent)"));
  BOOST_TEST(report.tasks[0].blockers.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_client_reads_its_own_numbers) {
  const auto first = running("first", 0, 99s);
  const auto second = behind(first);
  snapshot.nodes[first].tag = 71;
  snapshot.nodes[second].tag = 72;
  crew.fetching.emplace(snapshot.nodes[first].id, "a copy");
  snapshot.nodes[first].activity = TaskActivity::none;
  const WhyReport report = explained();
  BOOST_TEST(says(report, "task 71 (codelet first), which a worker has taken, and which waits for a copy"));
  BOOST_TEST(says(report, "task 72 (codelet behind) waits for task 71 (codelet first)"));
}

BOOST_AUTO_TEST_CASE(data_held_by_the_program_are_graver_than_any_kernel) {
  const auto kernel = running("kernel", 0, 1s);
  const auto hold = add("");
  snapshot.nodes[hold].role = TaskRole::host;
  snapshot.nodes[hold].codelet = nullptr;
  snapshot.nodes[hold].since = 95s;
  snapshot.data.push_back({hold, "'A'", AccessMode::read});
  const auto both = behind(kernel);
  wait(both, hold);
  const WhyReport report = explained();
  BOOST_TEST((report.causes[0].kind == WhyKind::held_by_program));
  BOOST_TEST(says(report, "1 task waits, in the end, for 'A', which the program has held (mode read) for 5.0 s"));
}

BOOST_AUTO_TEST_CASE(a_codelet_without_a_worker_is_the_gravest_cause) {
  const auto alone = add("on_gpu");
  snapshot.nodes[alone].runnable = false;
  behind(alone);
  const WhyReport report = explained();
  BOOST_TEST((report.causes[0].kind == WhyKind::no_worker));
  BOOST_TEST(says(report, "1 task waits, in the end, for task 1 (codelet on_gpu), for which no worker has a device"));
  BOOST_TEST(Json::parse(report.to_json())["causes"][0]["kind"] == "no_worker");
}

BOOST_AUTO_TEST_CASE(tasks_that_the_policy_has_not_placed_are_said_to_be_so) {
  for (int i = 0; i < 3; ++i) add("ready");
  crew.undecided = 3;
  crew.policy = "custom";
  const WhyReport report = explained();
  BOOST_TEST_REQUIRE(report.causes.size() == 1U);
  BOOST_TEST((report.causes[0].kind == WhyKind::undecided));
  BOOST_TEST(says(report, "3 tasks that are ready, but that the policy 'custom' has not placed on a worker"));
}

BOOST_AUTO_TEST_CASE(a_scheduler_that_died_is_told) {
  add("ready");
  crew.undecided = 1;
  BOOST_TEST(explained().to_text().find("died") == std::string::npos);
  crew.scheduler_died = true;
  BOOST_TEST(says(explained(), "The scheduler's actor has died"));
  BOOST_TEST(Json::parse(explained().to_json())["scheduler_died"] == true);
}

BOOST_AUTO_TEST_CASE(a_worker_that_sleeps_on_a_full_deque_is_told) {
  add("ready");
  crew.workers[1].asleep = true;
  crew.workers[1].queued = 1;
  BOOST_TEST(says(explained(), "1 in the deque of worker 1, which is asleep"));
}

BOOST_AUTO_TEST_CASE(lists_are_cut_and_say_by_how_much) {
  for (int i = 0; i < 7; ++i) behind(running("root", 0, 1s));
  const auto join = add("join");
  for (std::uint32_t i = 0; i < 14; i += 2) wait(join, i);
  snapshot.waits.assign(5, {graph::WaitKind::everything, {}, 90s});
  const WhyReport report = explained({3, 2, 4, 1});
  BOOST_TEST(report.causes.size() == 3U);
  BOOST_TEST(report.more_causes == 4U);
  BOOST_TEST(report.tasks.size() == 2U);
  BOOST_TEST(report.more_tasks == 6U);
  BOOST_TEST(report.threads.size() == 1U);
  BOOST_TEST(report.more_threads == 4U);
  const WhyReport full = explained();
  BOOST_TEST(full.tasks.back().blockers.size() == 4U);
  BOOST_TEST(full.tasks.back().more_blockers == 3U);
}

BOOST_AUTO_TEST_CASE(edges_in_a_circle_and_tasks_without_a_cause_do_no_harm) {
  const auto a = add("a");
  const auto b = behind(a);
  wait(a, b);
  const auto lost = add("lost");
  snapshot.nodes[lost].pending = 1;
  const WhyReport report = explained();
  BOOST_TEST(report.counts.waiting == 3U);
  BOOST_TEST(report.causes.empty());
  BOOST_TEST(says(report, "3 waiting"));
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_text_do_not_break_the_json) {
  const auto node = running("bad\xff\xfe", 0, 1s);
  behind(node);
  const auto json = Json::parse(explained().to_json());
  BOOST_TEST(json["in_flight"] == 2);
}

BOOST_AUTO_TEST_CASE(a_task_of_pieces_says_how_many_there_are_and_how_many_have_begun) {
  const auto super = running("super", 0, 50s);
  snapshot.nodes[super].pieces = 25;
  snapshot.nodes[super].pieces_begun = 12;
  const auto plain = running("plain", 1, 60s);
  behind(super);
  behind(plain);
  const WhyReport report = explained();
  BOOST_TEST(says(report, "task 1 (codelet super, 12 of 25 pieces begun)"));
  const auto json = Json::parse(report.to_json());
  const auto counted = [](const Json& task) { return task["pieces"] == 25 && task["pieces_begun"] == 12; };
  const auto without = [](const Json& task) { return !task.contains("pieces") && !task.contains("pieces_begun"); };
  // Wherever the report names the task, it also gives the counts of its pieces.
  BOOST_TEST_REQUIRE(json["causes"].size() == 2U);
  BOOST_TEST(counted(json["causes"][0]["task"]));
  BOOST_TEST(counted(json["workers"][0]["task"]));
  BOOST_TEST_REQUIRE(json["tasks"].size() == 2U);
  BOOST_TEST(counted(json["tasks"][0]["blockers"][0]["task"]));
  BOOST_TEST(without(json["causes"][1]["task"]));
  BOOST_TEST(without(json["workers"][1]["task"]));
  BOOST_TEST(without(json["tasks"][0]["task"]));
  BOOST_TEST(without(json["tasks"][1]["blockers"][0]["task"]));
}

BOOST_AUTO_TEST_CASE(half_a_million_tasks_in_a_chain_are_explained_without_recursion) {
  auto last = running("first", 0, 1s);
  for (int i = 0; i < 500'000; ++i) last = behind(last);
  const WhyReport report = explained();
  BOOST_TEST(report.causes[0].waiting == 500'000U);
  BOOST_TEST(report.tasks.size() == 20U);
  BOOST_TEST(report.to_text().size() < 10'000U);
}

BOOST_AUTO_TEST_CASE(durations_in_words) {
  BOOST_TEST(in_words(Duration(0)) == "less than 1 ms");
  BOOST_TEST(in_words(15ms) == "15 ms");
  BOOST_TEST(in_words(3240ms) == "3.2 s");
  BOOST_TEST(in_words(125s) == "2 min 05 s");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::observation
