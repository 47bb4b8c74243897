#include "graph/tasks/dependency_trace.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <utility>
#include <vector>

#include "tests/support/graph_data.hpp"
#include "tests/support/step_host.hpp"

namespace troupe::graph {

namespace dependency_trace {

using Pairs = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

Pairs taken(DependencyTrace& trace) {
  Pairs pairs;
  for (const auto& log : trace.take()) {
    log.for_each([&](const DependencyEntry& entry) { pairs.emplace_back(entry.before, entry.after.value()); });
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

struct Fixture {
  TraceBudget budget{1000};
  DependencyTrace trace{1, budget};
  tests::StepHost host{{.dependency_trace = &trace}};
  double value = 1;
  double other = 1;
  Handle x = tests::register_scalar(host.graph, value, "x");
  Handle y = tests::register_scalar(host.graph, other, "y");
  Codelet twice = Codelet("twice", {AccessMode::read_write}).cpu([](double& x) { x *= 2; });
  Codelet look = Codelet("look", {AccessMode::read}).cpu([](const double&) {});
  Codelet copy = Codelet("copy", {AccessMode::read, AccessMode::write}).cpu([](const double& a, double& b) { b = a; });

  std::uint64_t submit(const Codelet& codelet, std::initializer_list<Access> accesses,
                       const TaskOptions& options = {}) {
    return tests::submit(host.graph, codelet, accesses, {}, options).id().value();
  }
};

}  // namespace dependency_trace

BOOST_FIXTURE_TEST_SUITE(dependency_trace, Fixture)

BOOST_AUTO_TEST_CASE(has_what_made_tasks_wait) {
  const auto first = submit(twice, {x});
  const auto reader = submit(look, {x});
  const auto copying = submit(copy, {x, y});
  const auto last = submit(twice, {x});
  host.run_all();
  const Pairs expected{{first, reader}, {first, copying}, {reader, last}, {copying, last}};
  BOOST_TEST((taken(trace) == expected));
  BOOST_TEST(taken(trace).empty());
}

BOOST_AUTO_TEST_CASE(has_predecessors_that_had_ended_at_submission) {
  const auto first = submit(twice, {x});
  host.run_all();
  const auto second = submit(twice, {x});
  host.run_all();
  const Pairs expected{{first, second}};
  BOOST_TEST((taken(trace) == expected));
}

BOOST_AUTO_TEST_CASE(has_explicit_dependencies_ended_or_not) {
  const Future first = tests::submit(host.graph, twice, {x});
  const auto waiting = submit(twice, {y}, {.after = {first}});
  host.run_all();
  const auto late = submit(look, {y}, {.after = {first}});
  host.run_all();
  const auto pairs = taken(trace);
  const auto has = [&](std::uint64_t before, std::uint64_t after) {
    return std::count(pairs.begin(), pairs.end(), std::pair(before, after)) == 1;
  };
  BOOST_TEST(has(first.id().value(), waiting));
  BOOST_TEST(has(first.id().value(), late));
  BOOST_TEST(has(waiting, late));
  BOOST_TEST(pairs.size() == 3U);
}

BOOST_AUTO_TEST_CASE(has_all_of_many_readers_that_had_ended) {
  std::vector<std::uint64_t> readers;
  for (int i = 0; i < 300; ++i) {
    readers.push_back(submit(look, {x}));
    host.run_all();
  }
  const auto writer = submit(twice, {x});
  host.run_all();
  Pairs expected;
  for (const std::uint64_t reader : readers) expected.emplace_back(reader, writer);
  BOOST_TEST((taken(trace) == expected));
}

BOOST_AUTO_TEST_CASE(has_for_every_member_of_a_group_what_it_waited_for) {
  const Codelet add = Codelet("add", {AccessMode::commute}).cpu([](double& v) { v += 1; });
  for (int i = 0; i < 100; ++i) submit(look, {x});
  host.run_all();
  for (int i = 0; i < 3; ++i) {
    submit(add, {x});
    host.run_all();
  }
  BOOST_TEST(taken(trace).size() == 300U);
  for (int i = 0; i < 100; ++i) {
    submit(add, {y});
    host.run_all();
  }
  const auto writer = submit(twice, {y});
  host.run_all();
  const Pairs pairs = taken(trace);
  BOOST_TEST(pairs.size() == 100U);
  BOOST_TEST(std::all_of(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.second == writer; }));
}

BOOST_AUTO_TEST_CASE(loses_what_finds_no_room) {
  for (int i = 0; i < 1500; ++i) submit(twice, {x});
  host.run_all();
  std::size_t kept = 0;
  std::uint64_t dropped = 0;
  for (const auto& log : trace.take()) {
    kept += log.size();
    dropped += log.dropped();
  }
  BOOST_TEST(kept == 1000U);
  BOOST_TEST(dropped == 499U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
