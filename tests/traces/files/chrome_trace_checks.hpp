/// Checks for every trace file in Chrome's format.
#pragma once

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "proto/json/json.hpp"

namespace troupe::tests {

/// The contents of a trace, parsed and checked.
struct ChromeContent {
  std::vector<Json> tasks;
  std::vector<Json> states;
  std::map<int, std::string> threads;
  /// The number of flows, which are arrows between tasks.
  std::size_t flows = 0;
  std::size_t counters = 0;
};

/// Returns whole nanoseconds. Like Perfetto, the function drops the fraction.
inline long nanoseconds(const Json& us) { return static_cast<long>(us.get<double>() * 1000.0); }

/// Checks that the spans of a thread do not overlap, because Perfetto would drop overlapping spans.
inline void check_threads(const ChromeContent& content) {
  std::map<int, std::vector<std::pair<long, long>>> spans;
  for (const auto* list : {&content.tasks, &content.states}) {
    for (const auto& event : *list) {
      const long start = nanoseconds(event["ts"]);
      const long duration = nanoseconds(event["dur"]);
      BOOST_TEST_REQUIRE(start >= 0);
      BOOST_TEST_REQUIRE(duration >= 0);
      BOOST_TEST_REQUIRE(content.threads.contains(event["tid"].get<int>()));
      spans[event["tid"]].emplace_back(start, start + duration);
    }
  }
  for (auto& [thread, list] : spans) {
    std::sort(list.begin(), list.end());
    for (std::size_t i = 1; i < list.size(); ++i) BOOST_TEST_REQUIRE(list[i].first >= list[i - 1].second);
  }
}

/// Returns true if the flow's end is at a time when a task runs in its thread.
inline bool within_a_task(const ChromeContent& content, const Json& flow) {
  const long at = nanoseconds(flow["ts"]);
  return std::any_of(content.tasks.begin(), content.tasks.end(), [&](const Json& task) {
    const long start = nanoseconds(task["ts"]);
    return task["tid"] == flow["tid"] && at >= start && at <= start + nanoseconds(task["dur"]);
  });
}

/// Checks that every flow has one begin and one later end, both within tasks.
inline void check_flows(const ChromeContent& content, const std::map<long, std::vector<Json>>& flows) {
  for (const auto& [id, ends] : flows) {
    BOOST_TEST_REQUIRE(ends.size() == 2U);
    BOOST_TEST_REQUIRE(ends[0]["ph"] == "s");
    BOOST_TEST_REQUIRE(ends[1]["ph"] == "f");
    BOOST_TEST_REQUIRE(ends[1]["bp"] == "e");
    BOOST_TEST_REQUIRE(ends[0]["name"] == ends[1]["name"]);
    BOOST_TEST_REQUIRE(ends[0]["cat"] == ends[1]["cat"]);
    BOOST_TEST_REQUIRE(nanoseconds(ends[0]["ts"]) <= nanoseconds(ends[1]["ts"]));
    for (const auto& end : ends) BOOST_TEST_REQUIRE(within_a_task(content, end));
  }
}

inline ChromeContent check_chrome(const std::string& text) {
  const Json json = Json::parse(text);
  ChromeContent content;
  std::map<long, std::vector<Json>> flows;
  for (const auto& event : json["traceEvents"]) {
    const auto phase = event["ph"].get<std::string>();
    BOOST_TEST_REQUIRE(event["pid"] == 1);
    // Times must have so many digits that no nanosecond is lost.
    if (phase != "M") BOOST_TEST_REQUIRE(nanoseconds(event["ts"]) == std::lround(event["ts"].get<double>() * 1000));
    if (phase == "X") {
      (event["cat"] == "task" ? content.tasks : content.states).push_back(event);
    } else if (phase == "s" || phase == "f") {
      flows[event["id"]].push_back(event);
    } else if (phase == "M") {
      if (event["name"] == "thread_name") content.threads[event["tid"]] = event["args"]["name"].get<std::string>();
    } else if (phase == "C") {
      ++content.counters;
      BOOST_TEST_REQUIRE(event["args"]["tasks"].get<int>() >= 0);
    } else {
      BOOST_ERROR("an event of another kind: " << phase);
    }
  }
  content.flows = flows.size();
  check_threads(content);
  check_flows(content, flows);
  return content;
}

}  // namespace troupe::tests
