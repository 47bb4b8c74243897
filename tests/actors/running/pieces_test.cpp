// Tests of whole runtimes with tasks of pieces. Every piece runs once even if workers fail, die or are regrouped.
#include <algorithm>
#include <atomic>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <deque>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/actors/running/counted_pieces.hpp"
#include "tests/actors/runtime_fixture.hpp"

namespace troupe::actors {

BOOST_AUTO_TEST_SUITE(pieces)

namespace {

using tests::contains;
using tests::Counted;
using tests::counting;
using tests::Held;
using tests::soon;
using tests::TestRuntime;
using tests::workers;
using namespace std::chrono_literals;
namespace data = boost::unit_test::data;
const std::vector<std::string> kPolicies{"lws", "ws", "eager", "heft", "dada", "heteroprio", "multigrain", "homeward"};

BOOST_DATA_TEST_CASE(every_piece_runs_once_on_any_number_of_workers, data::make(kPolicies) * data::make({1, 2, 4}),
                     policy, count) {
  TestRuntime runtime(workers(count, policy));
  for (int round = 0; round < 10; ++round) {
    std::deque<Counted> all;
    for (std::size_t i = 0; i < 40; ++i) {
      Counted& counted = all.emplace_back(i % 7 == 0 ? 0 : i * 3);
      runtime.submit(counting(counted, 1 + i % 4));
    }
    BOOST_TEST(runtime.wait() == "");
    BOOST_TEST(std::ranges::all_of(all, &Counted::all_once));
  }
  std::uint64_t tasks = 0;
  for (const WorkerReport& worker : runtime->report().workers) tasks += worker.counts.tasks;
  BOOST_TEST(tasks == 400U);
}

BOOST_DATA_TEST_CASE(others_join_while_the_first_is_in_a_long_piece, data::make(kPolicies), policy) {
  TestRuntime runtime(workers(2, policy));
  std::atomic<int> short_ones{0};
  std::atomic<bool> helped{false};
  const Codelet codelet = Codelet("uneven", {})
                              .pieces([](const KernelContext&) { return 9; },
                                      [&](std::size_t piece, const KernelContext&) {
                                        if (piece > 0) {
                                          ++short_ones;
                                        } else {
                                          helped = soon([&] { return short_ones == 8; });
                                        }
                                      });
  for (int round = 0; round < 20; ++round) {
    short_ones = 0;
    helped = false;
    runtime.submit(codelet);
    BOOST_TEST(runtime.wait() == "");
    BOOST_TEST_REQUIRE(helped);
  }
  const RunReport report = runtime->report();
  BOOST_TEST(report.workers[0].counts.pieces + report.workers[1].counts.pieces == 20U * 9);
  BOOST_TEST(report.workers[0].counts.stolen_pieces + report.workers[1].counts.stolen_pieces >= 20U);
}

BOOST_AUTO_TEST_CASE(a_core_takes_back_what_lies_behind_a_long_kernel_of_an_accelerator) {
  RuntimeOptions options = workers(2, "multigrain:take-back");
  options.accelerators.emulated_gpus.resize(1);
  TestRuntime runtime(options);
  std::atomic<bool> held{false};
  std::atomic<int> pieces{0};
  std::atomic<bool> taken_back{false};
  // The accelerator's task waits until the pieces of the other task have run.
  Codelet codelet("either", {AccessMode::read_write});
  codelet.pieces([](const KernelContext&) { return 5; }, [&](std::size_t, const KernelContext&) { ++pieces; });
  codelet.implement(DeviceKind::emulated, [&](const KernelContext&) {
    if (held.exchange(true)) return;
    taken_back = soon([&] { return pieces == 5; });
  });
  double values[2] = {1, 2};
  for (double& value : values) runtime.submit(codelet, {runtime.scalar(value)});
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(taken_back);
  BOOST_TEST(pieces == 5);
}

BOOST_AUTO_TEST_CASE(who_began_a_task_does_not_wait_for_those_that_help) {
  TestRuntime runtime(workers(2));
  Held held;
  std::atomic<std::int64_t> owner{-1};
  std::atomic<int> begun{0};
  const Codelet codelet = Codelet("two", {}).pieces([](const KernelContext&) { return 2; },
                                                    [&](std::size_t, const KernelContext& context) {
                                                      // The first worker waits until the second worker is in a piece.
                                                      if (++begun == 2) return held.piece();
                                                      owner = context.worker.value();
                                                      (void)soon([&] { return begun == 2; });
                                                    });
  std::atomic<std::int64_t> ran_on{-1};
  const Codelet next = Codelet("next", {}).cpu([&](const KernelContext& context) { ran_on = context.worker.value(); });
  const Future first = runtime.submit(codelet);
  const Future after = runtime.submit(next, {}, {.after = {first}});
  BOOST_TEST_REQUIRE(soon([&] { return held.inside == 1; }));
  const Future other = runtime.submit(next);
  // Only the worker that began the first task can run the task `other`.
  BOOST_TEST_REQUIRE(soon([&] { return other.status() == TaskStatus::succeeded; }));
  BOOST_TEST(ran_on == owner);
  BOOST_TEST((first.status() == TaskStatus::pending));
  BOOST_TEST((after.status() == TaskStatus::pending));
  // The worker that began the first task may die now.
  runtime->kill_worker(WorkerId(static_cast<std::uint32_t>(owner.load())));
  held.released = true;
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST((first.status() == TaskStatus::succeeded));
  BOOST_TEST((after.status() == TaskStatus::succeeded));
}

BOOST_DATA_TEST_CASE(tasks_go_to_who_left_a_task_of_pieces_to_others,
                     data::make({"lws", "ws", "eager", "heteroprio", "multigrain"}), policy) {
  TestRuntime runtime(workers(2, policy));
  std::atomic<int> ran{0};
  const Codelet count = Codelet("count", {}).cpu([&](const KernelContext&) { ++ran; });
  // After these ten runs the runtime knows how long a task of this codelet takes.
  for (int i = 0; i < 10; ++i) runtime.submit(count);
  BOOST_TEST(runtime.wait() == "");
  std::atomic<bool> released{false};
  std::atomic<int> begun{0};
  const Codelet uneven = Codelet("uneven", {})
                             .pieces([](const KernelContext&) { return 2; },
                                     [&](std::size_t, const KernelContext&) {
                                       if (++begun == 1) return void(soon([&] { return begun == 2; }));
                                       while (!released) std::this_thread::sleep_for(100us);
                                     });
  runtime.submit(uneven);
  BOOST_TEST_REQUIRE(soon([&] { return begun == 2; }));
  // One of the workers is still in a long piece, so the other worker has to run all six tasks.
  for (int i = 0; i < 6; ++i) runtime.submit(count);
  BOOST_TEST(soon([&] { return ran == 16; }));
  released = true;
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(ran == 16);
}

BOOST_DATA_TEST_CASE(the_first_failure_is_the_tasks_and_what_has_not_begun_is_left_out, data::make({1, 2, 4}), count) {
  TestRuntime runtime(workers(count));
  int value = 0;
  const Handle handle = runtime.scalar(value);
  std::atomic<int> ran{0};
  std::atomic<int> told{0};
  std::atomic<int> looked{0};
  const Codelet broken = Codelet("broken", {AccessMode::write})
                             .pieces([](const int&) { return 1000; },
                                     [&](std::size_t piece, int&) {
                                       ++ran;
                                       if (piece >= 5) throw std::runtime_error("gave up");
                                     });
  const Codelet look = Codelet("look", {AccessMode::read}).cpu([&](const int&) { ++looked; });
  for (int round = 0; round < 20; ++round) {
    ran = told = looked = 0;
    runtime.submit(broken, {handle}, {.callback = [&](const TaskOutcome&) { ++told; }});
    runtime.submit(look, {handle});
    const std::string message = runtime.wait();
    BOOST_TEST(contains(message, "(codelet broken) failed on worker "), message);
    BOOST_TEST(contains(message, " of 1000: gave up"), message);
    BOOST_TEST(message.find("gave up") == message.rfind("gave up"), message);
    BOOST_TEST(told == 1);
    BOOST_TEST(looked == 0);
    BOOST_TEST(ran <= 5 + count);
  }
}

BOOST_AUTO_TEST_CASE(a_count_that_makes_no_sense_fails_its_task) {
  TestRuntime runtime(workers(2));
  std::atomic<int> ran{0};
  const auto count = [&](std::size_t, const KernelContext&) { ++ran; };
  runtime.submit(Codelet("negative", {}).pieces([](const KernelContext&) { return -3; }, count));
  BOOST_TEST(contains(runtime.wait(), "its count says -3 pieces: let it be from 0 to "));
  runtime.submit(Codelet("huge", {}).pieces([](const KernelContext&) { return std::int64_t{1} << 40; }, count));
  BOOST_TEST(contains(runtime.wait(), "its count says 1099511627776 pieces"));
  runtime.submit(
      Codelet("throws", {}).pieces([](const KernelContext&) -> int { throw std::runtime_error("no idea"); }, count));
  BOOST_TEST(contains(runtime.wait(), "no idea"));
  BOOST_TEST(ran == 0);
}

BOOST_AUTO_TEST_CASE(a_task_that_has_begun_ends_though_it_is_cancelled) {
  TestRuntime runtime(workers(2));
  Held held;
  const Codelet codelet = held.codelet(6);
  const Future begun = runtime.submit(codelet);
  BOOST_TEST_REQUIRE(soon([&] { return held.inside == 2; }));
  Counted counted(10);
  const Future queued = runtime.submit(counting(counted), {}, {.after = {begun}});
  begun.cancel();
  queued.cancel();
  held.released = true;
  (void)runtime.wait();
  BOOST_TEST((begun.status() == TaskStatus::succeeded));
  BOOST_TEST(held.ran == 6);
  BOOST_TEST((queued.status() == TaskStatus::cancelled));
  BOOST_TEST(std::ranges::all_of(counted.ran, [](const std::atomic<int>& one) { return one == 0; }));
}

BOOST_AUTO_TEST_CASE(pieces_of_tasks_that_commute_never_meet) {
  TestRuntime runtime(workers(4));
  std::uint64_t sum = 0;
  const Handle handle = runtime.scalar(sum);
  constexpr std::size_t kTasks = 50;
  constexpr int kPieces = 8;
  std::vector<std::atomic<int>> begun(kTasks);
  std::vector<std::atomic<int>> ended(kTasks);
  std::atomic<int> met{0};
  std::deque<Codelet> codelets;
  const auto piece_of = [&](std::size_t task, const KernelContext& context) {
    ++begun[task];
    for (std::size_t other = 0; other < kTasks; ++other) {
      if (other != task && begun[other] != 0 && ended[other] != kPieces) ++met;
    }
    std::atomic_ref(context.scalar<std::uint64_t>(0)).fetch_add(1);
    ++ended[task];
  };
  for (std::size_t i = 0; i < kTasks; ++i) {
    Codelet& codelet = codelets.emplace_back("commuting", std::vector{AccessMode::commute});
    codelet.pieces([](const KernelContext&) { return kPieces; },
                   [&piece_of, i](std::size_t, const KernelContext& context) { piece_of(i, context); });
    runtime.submit(codelet, {handle});
  }
  BOOST_TEST(runtime.wait() == "");
  BOOST_TEST(sum == kTasks * kPieces);
  BOOST_TEST(met == 0);
}

BOOST_DATA_TEST_CASE(workers_that_die_among_pieces_lose_none, data::make({"lws", "heft"}), policy) {
  TestRuntime runtime(workers(3, policy));
  for (int round = 0; round < 30; ++round) {
    std::deque<Counted> all;
    std::deque<Codelet> codelets;
    for (int i = 0; i < 8; ++i) {
      Counted& counted = all.emplace_back(20);
      codelets.push_back(Codelet("suicidal", {})
                             .pieces([](const KernelContext&) { return 20; },
                                     [&, i](std::size_t piece, const KernelContext& context) {
                                       ++counted.ran[piece];
                                       if (piece == static_cast<std::size_t>(i)) runtime->kill_worker(context.worker);
                                     }));
      runtime.submit(codelets.back());
    }
    BOOST_TEST_REQUIRE(runtime.wait() == "");
    BOOST_TEST_REQUIRE(std::ranges::all_of(all, &Counted::all_once));
  }
}

BOOST_AUTO_TEST_CASE(only_workers_that_may_run_a_task_run_its_pieces) {
  TestRuntime runtime(workers(3));
  std::mutex mutex;
  std::set<std::uint32_t> ran_on;
  const Codelet codelet = Codelet("restricted", {})
                              .pieces([](const KernelContext&) { return 50; },
                                      [&](std::size_t, const KernelContext& context) {
                                        std::this_thread::sleep_for(50us);
                                        const std::lock_guard lock(mutex);
                                        ran_on.insert(context.worker.value());
                                      });
  for (const std::uint32_t worker : {0U, 2U}) {
    ran_on.clear();
    runtime.submit(codelet, {}, {.devices = DeviceSet::worker(WorkerId(worker))});
    BOOST_TEST(runtime.wait() == "");
    BOOST_TEST((ran_on == std::set<std::uint32_t>{worker}));
  }
}

BOOST_AUTO_TEST_CASE(who_is_woken_for_a_task_that_only_it_may_run_runs_it_though_there_are_pieces) {
  TestRuntime runtime(workers(3));
  std::atomic<bool> inside{false};
  std::atomic<bool> go{false};
  std::atomic<bool> ran{false};
  Held held;
  const auto on = [](std::uint32_t worker) {
    TaskOptions options;
    options.devices = DeviceSet::worker(WorkerId(worker));
    return options;
  };
  const Future first = runtime.submit(Codelet("first", {}).cpu([&](const KernelContext&) {
    inside = true;
    while (!go) std::this_thread::sleep_for(100us);
  }),
                                      {}, on(1));
  BOOST_TEST_REQUIRE(soon([&] { return inside.load(); }));
  TaskOptions behind = on(2);
  behind.after = {first};
  runtime.submit(Codelet("second", {}).cpu([&](const KernelContext&) { ran = true; }), {}, behind);
  TaskOptions others;
  others.devices = DeviceSet::worker(WorkerId(0)) | DeviceSet::worker(WorkerId(1));
  runtime.submit(held.codelet(10), {}, others);
  BOOST_TEST_REQUIRE(soon([&] { return held.inside == 1; }));
  std::this_thread::sleep_for(20ms);  // The third worker falls asleep.
  // The worker that ends "first" wakes the third worker for "second", and then finds pieces for itself.
  go = true;
  BOOST_TEST_REQUIRE(soon([&] { return held.inside == 2; }));
  BOOST_TEST(soon([&] { return ran.load(); }));
  held.released = true;
  BOOST_TEST(runtime.wait() == "");
}

BOOST_AUTO_TEST_CASE(why_says_how_many_pieces_have_begun_and_who_is_at_them) {
  TestRuntime runtime(workers(2));
  Held held;
  const Codelet codelet = held.codelet(25);
  const Future begun = runtime.submit(codelet);
  runtime.submit(codelet, {}, {.after = {begun}});
  BOOST_TEST_REQUIRE(soon([&] { return held.inside == 2; }));
  const WhyReport report = runtime->why();
  BOOST_TEST(report.counts.running == 1U);
  BOOST_TEST(contains(report.to_text(), "(codelet held, 2 of 25 pieces begun)"), report.to_text());
  BOOST_TEST(contains(report.to_json(), "\"pieces\": 25"), report.to_json());
  BOOST_TEST(contains(report.to_json(), "\"pieces_begun\": 2"), report.to_json());
  for (const WhyWorker& worker : report.workers) {
    BOOST_TEST((worker.state == WhyWorkerState::running));
    BOOST_TEST((worker.task.id == begun.id()));
    BOOST_TEST(worker.task.pieces == 25U);
    BOOST_TEST(worker.task.pieces_begun == 2U);
  }
  held.released = true;
  BOOST_TEST(runtime.wait() == "");
}

BOOST_AUTO_TEST_CASE(the_trace_shows_the_task_once_and_who_helped) {
  RuntimeOptions options = workers(2);
  options.trace = true;
  TestRuntime runtime(options);
  std::atomic<int> inside{0};
  Codelet codelet = Codelet("traced", {})
                        .pieces([](const KernelContext&) { return 2; },
                                [&](std::size_t, const KernelContext&) {
                                  ++inside;
                                  (void)soon([&] { return inside == 2; });
                                  std::this_thread::sleep_for(2ms);
                                });
  codelet.flops([](const KernelContext&) { return 77.0; });
  runtime.submit(codelet);
  BOOST_TEST(runtime.wait() == "");
  const Trace trace = runtime->take_trace();
  BOOST_TEST_REQUIRE(trace.events.size() == 1U);
  BOOST_TEST(trace.events[0].flops == 77.0);
  const auto help = std::ranges::find(trace.states, WorkerActivity::helping, &TraceState::state);
  BOOST_TEST_REQUIRE((help != trace.states.end()));
  BOOST_TEST((help->worker != trace.events[0].worker));
  BOOST_TEST((help->task == trace.events[0].task));
  for (const TraceState& state : trace.states) {
    BOOST_TEST(state.task.valid() == (state.state == WorkerActivity::helping));
  }
  BOOST_TEST((help->end - help->start >= 2ms));
}

BOOST_AUTO_TEST_CASE(in_deterministic_runs_pieces_run_in_sequence) {
  RuntimeOptions options = workers(3);
  options.threads.deterministic = true;
  TestRuntime runtime(options);
  std::vector<std::size_t> order;
  const Codelet codelet = Codelet("noted", {})
                              .pieces([](const KernelContext&) { return 30; },
                                      [&](std::size_t piece, const KernelContext&) { order.push_back(piece); });
  runtime.submit(codelet);
  BOOST_TEST(runtime.wait() == "");
  std::vector<std::size_t> expected(30);
  std::iota(expected.begin(), expected.end(), 0);
  BOOST_TEST(order == expected, boost::test_tools::per_element());
}

}  // namespace

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::actors
