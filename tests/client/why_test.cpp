/// Tests stalls that the test causes, and the explanation of each stall by `Runtime::why`, in words and as JSON.
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "proto/json/json.hpp"
#include "tests/client/fixture.hpp"

namespace troupe {

BOOST_AUTO_TEST_SUITE(why)

namespace {

using tests::contains;
using tests::with_workers;

/// A gate at which kernels wait until the test opens it.
class Gate {
 public:
  void open() { open_ = true; }
  /// Counts the calling kernel and waits until the gate is open.
  void pass() {
    ++arrived_;
    while (!open_) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  void wait_for(int arrivals) const {
    while (arrived_ < arrivals) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }

 private:
  std::atomic<bool> open_{false};
  std::atomic<int> arrived_{0};
};

/// A runtime, a gate, and kernels that wait at the gate. The destructor opens the gate before the runtime ends, even if
/// the test throws an exception.
struct Stall {
  explicit Stall(const RuntimeOptions& options = with_workers(2)) : runtime(options) {}
  ~Stall() { gate.open(); }

  /// Calls `why` until the report is as expected, because threads need some time until they stall.
  WhyReport why(const std::function<bool(const WhyReport&)>& expected) {
    WhyReport report = runtime.why();
    for (int i = 0; i < 5000 && !expected(report); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      report = runtime.why();
    }
    BOOST_TEST_MESSAGE(report.to_text());
    return report;
  }

  /// Registers data for the whole life of the runtime. An earlier release would wait for tasks that wait at the gate.
  Handle data(const std::string& name) {
    return registrations.emplace_back(runtime.scalar(values.emplace_back(), name)).handle();
  }

  std::deque<double> values;
  Gate gate;
  Runtime runtime;
  std::deque<Data> registrations;
  const Codelet blocked = Codelet("blocked", {AccessMode::read_write}).cpu([this](double&) { gate.pass(); });
  const Codelet blocked_alone = Codelet("alone", {}).cpu([this](const KernelContext&) { gate.pass(); });
  const Codelet add = Codelet("add", {AccessMode::read_write}).cpu([](double& x) { x += 1; });
  const Codelet look = Codelet("look", {AccessMode::read}).cpu([](const double&) {});
  const Codelet empty = Codelet("empty", {}).cpu([](const KernelContext&) {});
};

bool has(const WhyReport& report, const std::string& part) {
  const bool found = contains(report.to_text(), part);
  if (!found) BOOST_TEST_MESSAGE("missing: " << part << "\n" << report.to_text());
  return found;
}

Json parsed(const WhyReport& report) { return Json::parse(report.to_json()); }

const WhyThread* thread_of(const WhyReport& report, const std::string& kind) {
  for (const WhyThread& thread : report.threads) {
    if (thread.kind == kind) return &thread;
  }
  return nullptr;
}

BOOST_AUTO_TEST_CASE(a_runtime_without_tasks_says_that_nothing_is_stalled) {
  Stall stall;
  stall.runtime.wait();
  const WhyReport report = stall.why([](const WhyReport& r) {
    return r.workers[0].state == WhyWorkerState::asleep && r.workers[1].state == WhyWorkerState::asleep;
  });
  BOOST_TEST(has(report, "No task is in flight: nothing is stalled."));
  BOOST_TEST(has(report, "worker 0 (cpu core"));
  BOOST_TEST(has(report, "is asleep"));
  BOOST_TEST(report.causes.empty());
  BOOST_TEST(parsed(report)["in_flight"] == 0);
  BOOST_TEST(parsed(report)["workers"][1]["state"] == "asleep");
}

BOOST_AUTO_TEST_CASE(a_chain_behind_a_long_kernel_waits_for_the_kernel) {
  Stall stall;
  const Handle data = stall.data("x");
  const Future first = stall.runtime.submit(stall.blocked, {data}, {}, {.name = "potrf(0)"});
  for (int i = 0; i < 1244; ++i) stall.runtime.submit(stall.add, {data});
  stall.gate.wait_for(1);
  const WhyReport report = stall.why(
      [](const WhyReport& r) { return r.causes.size() == 1 && r.causes[0].lasting > std::chrono::milliseconds(20); });
  const std::string task = "task " + std::to_string(first.id().value()) + " 'potrf(0)' (codelet blocked)";
  BOOST_TEST(has(report, "1,245 tasks in flight: 1 running, 0 ready, 1244 waiting."));
  BOOST_TEST(has(report, "1,244 tasks wait, in the end, for " + task + ", which has been running on worker "));
  BOOST_TEST(has(report, "waits for " + task + ", which runs on worker "));
  BOOST_TEST(has(report, "which waits itself"));
  BOOST_TEST(has(report, "and 1,224 tasks more"));
  const Json words = parsed(report);
  BOOST_TEST(words["causes"][0]["kind"] == "running");
  BOOST_TEST(words["causes"][0]["waiting"] == 1244);
  BOOST_TEST(words["causes"][0]["task"]["name"] == "potrf(0)");
  BOOST_TEST(words["causes"][0]["seconds"].get<double>() >= 0.02);
  BOOST_TEST(words["tasks"].size() == 20U);
  BOOST_TEST(words["tasks"][0]["blockers"][0]["task"]["id"] == first.id().value());
  BOOST_TEST(words["more_tasks"] == 1224);
}

BOOST_AUTO_TEST_CASE(data_that_the_program_holds_are_named_with_their_mode) {
  Stall stall;
  const Handle data = stall.data("pressure");
  HostAccess hold = stall.runtime.acquire(data, AccessMode::read);
  stall.runtime.submit(stall.add, {data});
  stall.runtime.submit(stall.look, {data});
  const WhyReport report = stall.why([](const WhyReport& r) { return r.causes.size() == 1; });
  BOOST_TEST(has(report, "2 tasks wait, in the end, for 'pressure', which the program has held (mode read) for "));
  BOOST_TEST(has(report, "waits for the program's use of 'pressure', which goes on"));
  BOOST_TEST(parsed(report)["causes"][0]["kind"] == "held_by_program");
  BOOST_TEST(parsed(report)["causes"][0]["data"] == "'pressure'");
  BOOST_TEST(parsed(report)["causes"][0]["mode"] == "read");
  hold.give_back();
  stall.runtime.wait();
  BOOST_TEST(has(stall.runtime.why(), "nothing is stalled"));
}

BOOST_AUTO_TEST_CASE(two_holds_are_two_causes_each_with_what_waits_for_it) {
  Stall stall;
  const Handle dx = stall.data("x");
  const Handle dy = stall.data("y");
  HostAccess on_x = stall.runtime.acquire(dx, AccessMode::read_write);
  HostAccess on_y = stall.runtime.acquire(dy, AccessMode::write);
  for (int i = 0; i < 3; ++i) stall.runtime.submit(stall.add, {dx});
  stall.runtime.submit(stall.add, {dy});
  const WhyReport report = stall.why([](const WhyReport& r) { return r.causes.size() == 2; });
  BOOST_TEST(has(report, "3 tasks wait, in the end, for 'x', which the program has held (mode read_write)"));
  BOOST_TEST(has(report, "1 task waits, in the end, for 'y', which the program has held (mode write)"));
  BOOST_TEST(parsed(report)["causes"].size() == 2U);
  on_y.give_back();
  on_x.give_back();
}

BOOST_AUTO_TEST_CASE(a_commute_lock_is_named_with_the_task_that_holds_it) {
  Stall stall;
  const Handle data = stall.data("sum");
  const Codelet commuting = Codelet("commuting", {AccessMode::commute}).cpu([&](double&) { stall.gate.pass(); });
  for (int i = 0; i < 3; ++i) stall.runtime.submit(commuting, {data});
  stall.gate.wait_for(1);
  const WhyReport report = stall.why([](const WhyReport& r) { return r.counts.waiting >= 1; });
  BOOST_TEST(report.counts.running == 1U);
  BOOST_TEST(has(report, "waits for the commute lock held by task "));
  BOOST_TEST(has(report, "(codelet commuting), which runs on worker "));
  BOOST_TEST(parsed(report)["tasks"][0]["blockers"][0]["relation"] == "commute_lock");
}

BOOST_AUTO_TEST_CASE(a_full_window_is_said_of_the_thread_that_submits) {
  RuntimeOptions options = with_workers(2);
  options.window = 64;
  Stall stall(options);
  const Handle data = stall.data("x");
  stall.runtime.submit(stall.blocked, {data});
  const auto submitter = std::async(std::launch::async, [&] {
    for (int i = 0; i < 100; ++i) stall.runtime.submit(stall.add, {data});
  });
  const WhyReport report = stall.why([](const WhyReport& r) { return thread_of(r, "room") != nullptr; });
  BOOST_TEST(has(report, "one is blocked in submit: the window of 64 tasks is full for "));
  BOOST_TEST(has(report, "63 tasks wait, in the end, for "));
  BOOST_TEST(parsed(report)["threads"][0]["waits_for"] == "room");
  stall.gate.open();
  submitter.wait();
}

BOOST_AUTO_TEST_CASE(threads_that_wait_are_listed_with_what_they_wait_for) {
  Stall stall;
  const Handle data = stall.data("x");
  const Future future = stall.runtime.submit(stall.blocked, {data}, {}, {.name = "slow"});
  const auto for_task = std::async(std::launch::async, [&] { future.wait(); });
  const auto for_data = std::async(std::launch::async, [&] { stall.runtime.wait(data); });
  const auto for_all = std::async(std::launch::async, [&] { stall.runtime.wait(); });
  const WhyReport report = stall.why([](const WhyReport& r) { return r.threads.size() == 3; });
  BOOST_TEST(
      has(report, "one waits for task " + std::to_string(future.id().value()) + " 'slow' (codelet blocked) for"));
  BOOST_TEST(has(report, "one waits for 'x' for"));
  BOOST_TEST(has(report, "one waits for every task for"));
  BOOST_TEST(has(report, "a thread's wait for 'x' waits for task "));
  BOOST_REQUIRE(thread_of(report, "task") != nullptr);
  BOOST_TEST((thread_of(report, "task")->task.id == future.id()));
  stall.gate.open();
  for_task.wait();
  for_data.wait();
  for_all.wait();
  BOOST_TEST(stall.runtime.why().threads.empty());
}

BOOST_AUTO_TEST_CASE(an_explicit_dependency_is_said_to_be_one) {
  Stall stall;
  const Future first = stall.runtime.submit(stall.blocked_alone, {});
  const Future second = stall.runtime.submit(stall.empty, {}, {}, {.name = "after", .after = {first}});
  const WhyReport report = stall.why([](const WhyReport& r) { return r.counts.running == 1; });
  BOOST_TEST(has(report, "task " + std::to_string(second.id().value()) + " 'after' (codelet empty) waits for task " +
                             std::to_string(first.id().value()) +
                             " (codelet alone) (as the program asked), which runs"));
  BOOST_TEST(parsed(report)["tasks"][0]["blockers"][0]["relation"] == "explicit_dependency");
}

BOOST_AUTO_TEST_CASE(a_callback_that_blocks_is_the_cause_and_not_its_task) {
  Stall stall;
  const Handle data = stall.data("x");
  stall.runtime.submit(stall.add, {data}, {},
                       {.name = "told", .callback = [&](const TaskOutcome&) { stall.gate.pass(); }});
  stall.gate.wait_for(1);
  stall.runtime.submit(stall.add, {data});
  const WhyReport report = stall.why([](const WhyReport& r) { return r.causes.size() == 1; });
  BOOST_TEST(has(report, "1 task waits, in the end, for the callback of task "));
  BOOST_TEST(has(report, "'told' (codelet add), which has been running on worker "));
  BOOST_TEST(has(report, "is in the callback of task "));
  BOOST_TEST(parsed(report)["causes"][0]["kind"] == "callback");
}

BOOST_AUTO_TEST_CASE(ready_tasks_behind_busy_workers_say_where_they_lie) {
  Stall stall;
  stall.runtime.submit(stall.blocked_alone, {});
  stall.runtime.submit(stall.blocked_alone, {});
  stall.gate.wait_for(2);
  const Handle data = stall.data("x");
  for (int i = 0; i < 5; ++i) stall.runtime.submit(stall.add, {data});
  for (int i = 0; i < 4; ++i) stall.runtime.submit(stall.empty, {});
  const WhyReport report = stall.why([](const WhyReport& r) { return r.counts.running == 2; });
  BOOST_TEST(report.counts.ready == 5U);
  BOOST_TEST(
      has(report, "4 tasks wait, in the end, for 5 tasks that are ready, but not started: 5 in the entry queue"));
  BOOST_TEST(has(report, "worker 0 (cpu core "));
  BOOST_TEST(has(report, ") runs task "));
  BOOST_TEST(has(report, "is ready, but has not started"));
  BOOST_TEST(parsed(report)["in_entry_queue"] == 5);
}

BOOST_AUTO_TEST_CASE(tasks_in_the_deque_of_a_busy_worker_are_counted_there) {
  Stall stall(with_workers(1));
  const Codelet parent = Codelet("parent", {}).cpu([&](const KernelContext&) {
    for (int i = 0; i < 3; ++i) stall.runtime.submit(stall.empty, {});
    stall.gate.pass();
  });
  stall.runtime.submit(parent, {});
  stall.gate.wait_for(1);
  const WhyReport report = stall.why([](const WhyReport& r) { return r.counts.running == 1; });
  BOOST_TEST(has(report, "3 tasks that are ready, but not started: 3 in the deque of worker 0"));
  BOOST_TEST(has(report, "; 3 tasks ready in its deque"));
  BOOST_TEST(parsed(report)["workers"][0]["queued"] == 3);
}

BOOST_AUTO_TEST_CASE(the_combining_of_a_reduction_waits_for_what_reduces) {
  Stall stall;
  const Handle data = stall.data("total");
  stall.runtime.set_reduction(data, sum_reduction<double>());
  const Codelet reduce = Codelet("reduce", {AccessMode::reduce}).cpu([&](double& part) {
    part += 1;
    stall.gate.pass();
  });
  stall.runtime.submit(reduce, {data});
  stall.gate.wait_for(1);
  stall.runtime.submit(stall.look, {data});
  const WhyReport report = stall.why([](const WhyReport& r) { return r.counts.running == 1; });
  BOOST_TEST(has(report, "the combining of 'total' waits for task "));
  BOOST_TEST(has(report, "(codelet look) waits for the combining of 'total', which waits itself"));
  BOOST_TEST(has(report, "2 tasks wait, in the end, for task "));
  stall.gate.open();
  stall.runtime.wait();
  BOOST_TEST(stall.values.front() == 1.0);
}

BOOST_AUTO_TEST_CASE(partition_and_release_say_which_handle_they_wait_for) {
  Stall stall;
  const Handle dx = stall.data("x");
  const Handle dy = stall.data("y");
  stall.runtime.submit(stall.blocked, {dx});
  stall.runtime.submit(stall.blocked, {dy});
  stall.gate.wait_for(2);
  const auto partition = std::async(std::launch::async, [&] {
    const std::vector<Block> blocks{{0, 0, 1, 1}};
    static_cast<void>(stall.runtime.partition(dx, blocks));
  });
  const auto release = std::async(std::launch::async, [&] { stall.runtime.release(dy); });
  const WhyReport report = stall.why([](const WhyReport& r) { return r.threads.size() == 2; });
  BOOST_TEST(has(report, "one waits until no task uses 'x', to change its handle for "));
  BOOST_TEST(has(report, "one waits for the last use of 'y', to release it for "));
  BOOST_REQUIRE(thread_of(report, "release") != nullptr);
  stall.gate.open();
  partition.wait();
  release.wait();
}

BOOST_AUTO_TEST_CASE(a_run_of_a_recording_is_named_with_the_task_in_it_that_runs) {
  Stall stall;
  const Handle data = stall.data("x");
  const RecordedGraph graph = stall.runtime.record(
      [&] {
        stall.runtime.submit(stall.blocked, {data});
        stall.runtime.submit(stall.add, {data});
      },
      "step");
  graph.run();
  graph.run();
  stall.runtime.submit(stall.look, {data}, {}, {.name = "afterwards"});
  stall.gate.wait_for(1);
  const WhyReport report = stall.why([](const WhyReport& r) { return r.counts.running == 1 && r.causes.size() == 1; });
  BOOST_TEST(has(report, "(codelet blocked), which has been running on worker "));
  BOOST_TEST(has(report, "(codelet add) waits for task "));
  BOOST_TEST(has(report, " of the recorded graph 'step' waits for run "));
  BOOST_TEST(has(report, "'afterwards' (codelet look) waits for run "));
  BOOST_TEST(parsed(report)["causes"][0]["kind"] == "running");
}

BOOST_AUTO_TEST_CASE(a_run_of_a_recording_waits_for_data_that_the_program_holds) {
  Stall stall;
  const Handle data = stall.data("x");
  const RecordedGraph graph = stall.runtime.record([&] { stall.runtime.submit(stall.add, {data}); }, "step");
  HostAccess hold = stall.runtime.acquire(data, AccessMode::read);
  graph.run();
  const WhyReport report = stall.why([](const WhyReport& r) { return r.causes.size() == 1; });
  BOOST_TEST(has(report, "of the recorded graph 'step' waits for the program's use of 'x'"));
  BOOST_TEST(has(report, "for 'x', which the program has held (mode read) for "));
  hold.give_back();
  stall.runtime.wait();
  BOOST_TEST(has(stall.runtime.why(), "nothing is stalled"));
}

/// Two kernels run at once, and a task waits for both. The report counts this task for the kernel that has run longer.
BOOST_AUTO_TEST_CASE(a_task_behind_two_kernels_names_both) {
  Stall stall;
  const Handle dx = stall.data("x");
  const Handle dy = stall.data("y");
  const Codelet join = Codelet("join", {AccessMode::read, AccessMode::read}).cpu([](const double&, const double&) {});
  stall.runtime.submit(stall.blocked, {dx}, {}, {.name = "first"});
  stall.gate.wait_for(1);
  stall.runtime.submit(stall.blocked, {dy}, {}, {.name = "second"});
  stall.gate.wait_for(2);
  stall.runtime.submit(join, {dx, dy});
  const WhyReport report = stall.why([](const WhyReport& r) { return r.counts.running == 2 && r.causes.size() == 2; });
  BOOST_TEST(report.causes[0].task.name == "first");
  BOOST_TEST(report.causes[0].waiting == 1U);
  BOOST_TEST(report.tasks[0].blockers.size() == 2U);
  BOOST_TEST(has(report, "'first' (codelet blocked), which runs on worker "));
  BOOST_TEST(has(report, "'second' (codelet blocked), which runs on worker "));
}

BOOST_AUTO_TEST_CASE(a_deterministic_run_can_be_asked_from_inside) {
  Runtime runtime(tests::deterministic(2));
  std::string words;
  double x = 0;
  const Data data = runtime.scalar(x, "x");
  const Codelet asks = Codelet("asks", {AccessMode::read_write}).cpu([&](double&) { words = runtime.why().to_text(); });
  const Codelet add = Codelet("add", {AccessMode::read_write}).cpu([](double& v) { v += 1; });
  const Future first = runtime.submit(asks, {data});
  runtime.submit(add, {data});
  runtime.wait();
  BOOST_TEST(contains(words, "1 task waits, in the end, for task " + std::to_string(first.id().value())));
}

BOOST_AUTO_TEST_CASE(names_of_tasks_that_ended_do_not_appear) {
  Stall stall;
  const Handle data = stall.data("x");
  for (int i = 0; i < 50; ++i) stall.runtime.submit(stall.add, {data}, {}, {.name = "past"});
  stall.runtime.wait();
  stall.runtime.submit(stall.blocked, {data}, {}, {.name = "present"});
  const WhyReport report = stall.why([](const WhyReport& r) { return r.counts.running == 1; });
  BOOST_TEST(has(report, "'present'"));
  BOOST_TEST(!contains(report.to_text(), "past"));
  BOOST_TEST(report.counts.in_flight == 1U);
}

BOOST_AUTO_TEST_CASE(hundreds_of_thousands_of_tasks_in_flight_are_explained_in_a_screenful) {
  RuntimeOptions options = with_workers(2);
  constexpr int kTasks = 300'000;
  options.window = 2 * kTasks;
  Stall stall(options);
  std::vector<Handle> handles;
  for (int i = 0; i < 64; ++i) handles.push_back(stall.data("d" + std::to_string(i)));
  const Codelet update =
      Codelet("update", {AccessMode::read, AccessMode::read_write}).cpu([](const double&, double&) {});
  const Codelet all = Codelet::variadic("all").cpu([&](const KernelContext&) { stall.gate.pass(); });
  std::vector<Access> accesses;
  for (const Handle& handle : handles) accesses.push_back(write(handle));
  stall.runtime.submit(all, accesses);
  for (int i = 0; i < kTasks; ++i) {
    const auto at = [&](int k) { return handles[static_cast<std::size_t>(k % 64)]; };
    stall.runtime.submit(update, {at(i * 7), at(i * 7 + 1 + i % 5)});
  }
  stall.gate.wait_for(1);
  const auto begin = std::chrono::steady_clock::now();
  const WhyReport report = stall.runtime.why();
  const Duration took = std::chrono::steady_clock::now() - begin;
  BOOST_TEST_MESSAGE("explained in " << in_words(took));
  BOOST_TEST(has(report, "300,001 tasks in flight: 1 running, 0 ready, 65535 waiting."));
  BOOST_TEST(has(report, "These are the oldest; 234,465 tasks more were not looked at."));
  BOOST_TEST(report.counts.left_out == 234'465U);
  BOOST_TEST(has(report, "65,535 tasks wait, in the end, for task "));
  BOOST_TEST(report.to_text().size() < 5000U);
  BOOST_TEST((took < std::chrono::seconds(20)));
}

/// While tasks come and go, with names, many handles and waiting threads, every report must be consistent.
BOOST_AUTO_TEST_CASE(it_may_be_asked_all_the_time_while_tasks_run) {
  Runtime runtime(with_workers(3));
  const Codelet mixed = Codelet::variadic("mixed").cpu([](const KernelContext&) {});
  std::vector<double> values(8);
  std::vector<Data> data;
  for (std::size_t i = 0; i < values.size(); ++i) data.push_back(runtime.scalar(values[i], "v" + std::to_string(i)));
  std::atomic<bool> done{false};
  std::atomic<int> asked{0};
  std::atomic<int> wrong{0};
  std::thread asks([&] {
    while (!done) {
      const WhyReport report = runtime.why();
      for (const WhyWaiting& waiting : report.tasks) wrong += contains(waiting.task.text, "task ") ? 0 : 1;
      wrong += report.counts.ended <= report.counts.submitted ? 0 : 1;
      ++asked;
    }
  });
  for (int round = 0; round < 20 || asked < 20; ++round) {
    Future last;
    for (int i = 0; i < 500; ++i) {
      const auto at = [&](int k) -> Handle { return data[static_cast<std::size_t>((i * 7 + k * 3) % 8)]; };
      const std::vector<Access> accesses{read(at(0)), read_write(at(1)), read(at(3)), read(at(4)), commute(at(6))};
      last = runtime.submit(mixed, accesses, {}, {.name = i % 3 == 0 ? "named" : ""});
    }
    last.wait();
  }
  runtime.wait();
  done = true;
  asks.join();
  BOOST_TEST(wrong == 0);
  BOOST_TEST(runtime.why().counts.in_flight == 0U);
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe
