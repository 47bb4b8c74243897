#include "traces/files/chrome_trace.hpp"
#include "proto/json/json.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <map>
#include <vector>

#include "tests/support/temporary_folder.hpp"
#include "tests/traces/files/chrome_trace_checks.hpp"
#include "tests/traces/files/trace_sample.hpp"

namespace troupe::traces {

BOOST_AUTO_TEST_SUITE(chrome_trace)

namespace {

using tests::check_chrome;
using tests::ChromeContent;
using tests::HandMadeTrace;

std::string chrome(const Trace& trace, TimeStamp begin = {},
                   const std::vector<std::string>& workers = {"cpu core 0", "cpu core 1"}) {
  const tests::TemporaryFolder folder;
  BufferedFile out(platform::AtomicFile::create(folder.path("t.json")).value_or_throw());
  print_chrome(trace, {"a \"title\"", workers, begin}, out);
  out.commit().value_or_throw();
  return folder.read("t.json");
}

BOOST_AUTO_TEST_CASE(has_tasks_states_threads_flows_and_a_counter) {
  const ChromeContent content = check_chrome(chrome(tests::sample_trace()));
  BOOST_TEST(content.tasks.size() == 4U);
  BOOST_TEST(content.states.size() == 4U);
  BOOST_TEST(content.flows == 4U);
  BOOST_TEST(content.counters > 0U);
  BOOST_TEST(content.threads.at(1) == "worker 0 (cpu core 0)");
  BOOST_TEST(content.threads.at(2) == "worker 1 (cpu core 1)");
  BOOST_TEST(content.states[0]["name"] == "asleep");
}

BOOST_AUTO_TEST_CASE(a_task_tells_what_it_was) {
  const ChromeContent content = check_chrome(chrome(tests::sample_trace()));
  const auto& first = content.tasks[0];
  BOOST_TEST(first["name"] == "get \"rf\"\n");
  BOOST_TEST(tests::nanoseconds(first["ts"]) == 10'000);
  BOOST_TEST(first["dur"] == 20.0);
  BOOST_TEST(first["args"]["task"] == 11);
  BOOST_TEST(first["args"]["GFlop/s"] == 2.0);
  BOOST_TEST(!first["args"].contains("failed"));
  const auto& named = content.tasks[1];
  BOOST_TEST(named["args"]["name"] == "block (0, \"1\")\\ \xEF\xBF\xBD");
  BOOST_TEST(named["args"]["priority"] == -3);
  BOOST_TEST(!named["args"].contains("GFlop/s"));
  BOOST_TEST(content.tasks[2]["args"]["failed"] == true);
}

BOOST_AUTO_TEST_CASE(tasks_that_run_at_the_same_time_on_one_worker_are_in_threads_of_their_own) {
  HandMadeTrace trace;
  trace.task(1, 1, 0, 10).task(2, 1, 5, 20).task(3, 1, 12, 15).task(4, 0, 0, 30).edge(1, 3);
  const ChromeContent content = check_chrome(chrome(*trace));
  BOOST_TEST(content.tasks.size() == 4U);
  BOOST_TEST_REQUIRE(content.threads.size() == 3U);
  BOOST_TEST(content.threads.at(2) == "worker 1 (cpu core 1)");
  BOOST_TEST(content.threads.at(3) == "worker 1 (cpu core 1), lane 2");
  BOOST_TEST(content.flows == 1U);
}

BOOST_AUTO_TEST_CASE(a_task_on_a_cluster_tells_of_its_cores) {
  const ChromeContent content = check_chrome(chrome(tests::cluster_trace()));
  BOOST_TEST_REQUIRE(content.tasks.size() == 3U);
  for (const auto& task : content.tasks) {
    const auto& of = task["args"];
    const bool cluster = task["tid"] == 1;
    BOOST_TEST(of.contains("cores") == cluster);
    if (cluster) BOOST_TEST(of["cores"] == 4);
    BOOST_TEST(of.contains("cores used") == (of["task"] == 1));
    if (of["task"] == 1) BOOST_TEST(of["cores used"] == 2.5);
  }
}

BOOST_AUTO_TEST_CASE(who_helps_tells_with_which_task) {
  const ChromeContent content =
      check_chrome(chrome(tests::helped_trace(), {}, {"cpu core 0", "cpu core 1", "cpu core 2"}));
  BOOST_TEST_REQUIRE(content.states.size() == 4U);
  for (const std::size_t known : {0U, 3U}) {
    const auto& state = content.states[known];
    BOOST_TEST(state["name"] == "helping");
    const Json of{{"task", 21}, {"codelet", "up \"date\""}, {"name", "block (0, \"1\")"}};
    BOOST_TEST(state["args"] == of);
  }
  BOOST_TEST(content.states[1]["name"] == "asleep");
  BOOST_TEST(!content.states[1].contains("args"));
  // The task has not ended, so only its id is known.
  BOOST_TEST(content.states[2]["args"] == (Json{{"task", 22}}));
}

BOOST_AUTO_TEST_CASE(children_tell_their_parent_and_an_arrow_leads_to_them) {
  Trace trace = tests::nested_trace();
  // `write_trace` cuts states where a viewer shows tasks.
  trace.states.clear();
  const std::string text = chrome(trace);
  const ChromeContent content = check_chrome(text);
  BOOST_TEST_REQUIRE(content.tasks.size() == 6U);
  std::map<int, int> parents;
  for (const Json& task : content.tasks) {
    if (task["args"].contains("parent")) parents[task["args"]["task"]] = task["args"]["parent"];
  }
  const std::map<int, int> expected{{2, 1}, {3, 1}, {4, 1}, {5, 4}};
  BOOST_TEST((parents == expected));
  BOOST_TEST(content.tasks[0]["args"]["waited_us"] == 42.0);
  BOOST_TEST(!content.tasks[1]["args"].contains("waited_us"));
  // There is an arrow to each child; the last task follows a kernel that had ended.
  BOOST_TEST(content.flows == 5U);
  const Json json = Json::parse(text);
  std::vector<long> begins;
  std::vector<int> running;
  for (const Json& event : json["traceEvents"]) {
    if (event["ph"] == "s" && event["name"] == "child") begins.push_back(tests::nanoseconds(event["ts"]));
    if (event["ph"] == "C") running.push_back(event["args"]["tasks"]);
  }
  // They begin where the kernels submitted the children, in the order of the children's starts.
  BOOST_TEST(begins == (std::vector<long>{8'000, 4'000, 58'000, 64'000}), boost::test_tools::per_element());
  // A kernel that waits does not run.
  BOOST_TEST(*std::ranges::max_element(running) == 2);
}

BOOST_AUTO_TEST_CASE(times_count_from_the_begin) {
  HandMadeTrace trace;
  trace.task(1, 0, 1'000'000'100, 1'000'000'101);
  const ChromeContent content = check_chrome(chrome(*trace, HandMadeTrace::at(1'000'000'000)));
  BOOST_TEST(tests::nanoseconds(content.tasks[0]["ts"]) == 100'000);
}

/// In binary, 1.001 us times 1000 is slightly less than 1001 ns, so a program that drops the fraction would lose a
/// nanosecond.
BOOST_AUTO_TEST_CASE(keeps_every_nanosecond_apart) {
  HandMadeTrace trace;
  for (int i = 0; i < 5000; ++i) trace.task(static_cast<std::uint64_t>(i + 1), 0, i, i + 1);
  for (TraceEvent& event : trace->events) {
    event.start = TimeStamp(event.start.count() / 1000);
    event.end = TimeStamp(event.end.count() / 1000);
  }
  BOOST_TEST(check_chrome(chrome(*trace)).tasks.size() == 5000U);
  for (TraceEvent& event : trace->events) {
    event.start += std::chrono::hours(20);
    event.end += std::chrono::hours(20);
  }
  BOOST_TEST(check_chrome(chrome(*trace)).tasks.size() == 5000U);
}

BOOST_AUTO_TEST_CASE(of_no_task_is_a_trace_all_the_same) {
  const ChromeContent content = check_chrome(chrome({}));
  BOOST_TEST(content.tasks.empty());
  BOOST_TEST(content.threads.size() == 2U);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::traces
