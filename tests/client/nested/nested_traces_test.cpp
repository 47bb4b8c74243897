// Tests of what traces tell of nested tasks.
#include <algorithm>
#include <array>
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/client/fixture.hpp"
#include "troupe/runtime.hpp"

namespace troupe::tests {

BOOST_AUTO_TEST_SUITE(nested_traces)

namespace {

RuntimeOptions traced(int workers) {
  RuntimeOptions options = with_workers(workers);
  options.trace = true;
  return options;
}

TaskOptions nested(std::string name) {
  TaskOptions options;
  options.nested = true;
  options.name = std::move(name);
  return options;
}

/// The events of a trace by the names of their tasks, or of the codelets of tasks without a name.
std::map<std::string, TraceEvent> by_name(const Trace& trace) {
  std::map<std::string, TraceEvent> events;
  for (const TraceEvent& event : trace.events) {
    events[event.name != 0 ? trace.name_of(event) : trace.codelet_of(event)] = event;
  }
  return events;
}

bool depends(const Trace& trace, TaskId before, TaskId after, bool whole) {
  return std::ranges::find(trace.dependencies, TraceDependency{before, after, whole}) != trace.dependencies.end();
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_task_has_its_parent_and_the_time_of_its_submission) {
  for (const int workers : {1, 3}) {
    Runtime runtime(traced(workers));
    runtime.submit(nested("outer"), [&] {
      runtime.submit(nested("inner"), [&] { runtime.submit(named("leaf", [] {})); });
      // This child is nested although it does not say so, since it submits a task.
      runtime.submit(named("plain", [&] { runtime.submit(named("below", [] {})); }));
    });
    runtime.submit(named("stranger", [] {}));
    runtime.wait();
    const Trace trace = runtime.take_trace();
    auto events = by_name(trace);
    BOOST_TEST_REQUIRE(events.size() == 6U);
    BOOST_TEST(!events["outer"].nesting.parent.valid());
    BOOST_TEST(!events["stranger"].nesting.parent.valid());
    BOOST_TEST((events["stranger"].nesting.submitted == TimeStamp{}));
    const std::map<std::string, std::string> parents{
        {"inner", "outer"}, {"plain", "outer"}, {"leaf", "inner"}, {"below", "plain"}};
    for (const auto& [child, parent] : parents) {
      BOOST_TEST_CONTEXT(child) {
        BOOST_TEST((events[child].nesting.parent == events[parent].task));
        BOOST_TEST((events[parent].start <= events[child].nesting.submitted));
        BOOST_TEST((events[child].nesting.submitted <= events[parent].end));
        BOOST_TEST((events[child].nesting.submitted <= events[child].start));
      }
    }
    BOOST_TEST(trace.waits.empty());
  }
}

BOOST_AUTO_TEST_CASE(calls_have_the_call_that_made_them_as_their_parent) {
  Runtime runtime(traced(2));
  const std::function<int(int)> count = [&](int levels) {
    if (levels == 0) return 1;
    auto left = runtime.async([&count, levels] { return count(levels - 1); });
    auto right = runtime.async([&count, levels] { return count(levels - 1); });
    return left.get() + right.get();
  };
  BOOST_TEST(runtime.async([&] { return count(6); }).get() == 64);
  const Trace trace = runtime.take_trace();
  // A call that was made at once has no event.
  std::size_t without = 0;
  for (const TraceEvent& event : trace.events) without += event.nesting.parent.valid() ? 0 : 1;
  BOOST_TEST(without == 1U);
}

BOOST_AUTO_TEST_CASE(a_task_that_ran_after_a_trace_was_taken_still_has_its_parent) {
  Runtime runtime(traced(2));
  std::atomic<bool> go_on{false};
  std::atomic<bool> submitted{false};
  runtime.submit(nested("outer"), [&] {
    runtime.submit(named("child", [&] {
      while (!go_on) std::this_thread::yield();
    }));
    submitted = true;
  });
  while (!submitted) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  auto first = by_name(runtime.take_trace());
  go_on = true;
  runtime.wait();
  auto second = by_name(runtime.take_trace());
  const TaskId outer = first.contains("outer") ? first["outer"].task : second["outer"].task;
  BOOST_TEST_REQUIRE(second.contains("child"));
  BOOST_TEST((second["child"].nesting.parent == outer));
  BOOST_TEST((second["child"].nesting.submitted > TimeStamp{}));
}

BOOST_AUTO_TEST_CASE(the_memory_of_a_child_leaves_nothing_to_the_next_task) {
  Runtime runtime(traced(1));
  for (int i = 0; i < 200; ++i) {
    runtime.submit(nested("outer"), [&] { runtime.submit([] {}); }).wait();
    // A message names a task by its number, which must not be the time that the last task in this memory had.
    const Future fails = runtime.submit([] { throw std::runtime_error("no"); });
    try {
      fails.wait();
      BOOST_ERROR("a task that throws has failed");
    } catch (const Error& error) {
      const std::string number = "task " + std::to_string(fails.id().value()) + " ";
      BOOST_TEST_REQUIRE(std::string(error.what()).find(number) != std::string::npos, error.what());
    }
  }
  BOOST_CHECK_THROW(runtime.wait(), Error);
}

BOOST_AUTO_TEST_CASE(what_follows_a_part_and_what_follows_the_whole_are_told_apart) {
  Runtime runtime(traced(2));
  std::vector<double> x(2, 0.0);
  const Vector<double> whole = runtime.vector(x, "x");
  const std::array<Block, 2> blocks{Block{0, 0, 1, 1}, Block{1, 0, 1, 1}};
  const auto parts = runtime.partition(whole, blocks);
  std::atomic<int> begun{0};
  const auto add = [](VectorView<double> v) { v[0] += 1; };
  const auto child = [&](const char* name, const Handle& part) {
    runtime.submit(named(name,
                         [&](VectorView<double> v) {
                           ++begun;
                           while (begun < 2) std::this_thread::yield();
                           v[0] += 1;
                         }),
                   read_write(part));
  };
  const auto hold = std::make_unique<HostAccess>(runtime.acquire(whole, AccessMode::write));
  const Future outer = runtime.submit(
      nested("outer"),
      [&](VectorView<double>) {
        child("left", parts[0]);
        child("right", parts[1]);
      },
      read_write(whole));
  runtime.submit(named("after a part", add), read_write(parts[0]));
  TaskOptions after;
  after.name = "after the whole";
  after.after = {outer};
  runtime.submit(after, [] {});
  hold->give_back();
  runtime.wait();
  const Trace trace = runtime.take_trace();
  auto events = by_name(trace);
  const auto id = [&](const char* name) { return events[name].task; };
  BOOST_TEST(depends(trace, id("left"), id("after a part"), false));
  BOOST_TEST(!depends(trace, id("right"), id("after a part"), false));
  BOOST_TEST(depends(trace, id("outer"), id("after a part"), false));
  BOOST_TEST(depends(trace, id("outer"), id("after the whole"), true));
  BOOST_TEST((events["after the whole"].start >= events["right"].end));
  // A task that is submitted after all had ended is told apart, too.
  TaskOptions late;
  late.name = "late";
  late.after = {outer};
  const Future last = runtime.submit(late, [] {});
  last.wait();
  BOOST_TEST(depends(runtime.take_trace(), id("outer"), last.id(), true));
}

BOOST_AUTO_TEST_CASE(waits_of_kernels_are_told) {
  Runtime runtime(traced(1));
  runtime.submit(nested("outer"), [&] {
    for (int i = 0; i < 2; ++i) {
      runtime.submit([] { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
      runtime.wait();
    }
  });
  runtime.wait();
  const Trace trace = runtime.take_trace();
  const TraceEvent outer = by_name(trace)["outer"];
  BOOST_TEST_REQUIRE(trace.waits.size() == 2U);
  Duration sum{};
  for (const TraceWait& wait : trace.waits) {
    BOOST_TEST((wait.task == outer.task));
    BOOST_TEST((outer.start <= wait.start && wait.start < wait.end && wait.end <= outer.end));
    sum += wait.end - wait.start;
  }
  BOOST_TEST((trace.waits[0].end <= trace.waits[1].start));
  BOOST_TEST((sum == outer.nesting.waited));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
