// Tests programs that cancel kernels that run: on single cores, in teams, pieces, lambdas and virtual time.
#include <atomic>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "tests/client/fixture.hpp"
#include "tests/support/temporary_folder.hpp"
#include "troupe/troupe.hpp"

namespace troupe::tests {

namespace cancellation {

namespace data = boost::unit_test::data;
using Clock = std::chrono::steady_clock;

/// Lets kernels run until they learn that they were cancelled; gives up after a minute.
struct Asking {
  bool until_cancelled(const KernelContext& context) {
    running.fetch_add(1);
    const auto until = Clock::now() + std::chrono::minutes(1);
    while (!context.cancelled()) {
      if (Clock::now() > until) return false;
      std::this_thread::yield();
    }
    told.fetch_add(1);
    return true;
  }
  void wait_until_running(int kernels = 1) const {
    while (running.load() < kernels) std::this_thread::yield();
  }

  std::atomic<int> running{0};
  std::atomic<int> told{0};
};

RuntimeOptions clusters(const std::string& clusters) {
  RuntimeOptions options;
  options.threads.synthetic_topology = "package:1 core:3 pu:1";
  options.clusters = clusters;
  return options;
}

}  // namespace cancellation

BOOST_FIXTURE_TEST_SUITE(cancelled_kernels, cancellation::Asking)

using cancellation::Asking;
using cancellation::Clock;
using cancellation::clusters;

/// The ways in which a program cancels a task that runs.
const std::vector<std::string> kWays{"future", "runtime", "token", "deadline"};

BOOST_DATA_TEST_CASE(a_kernel_that_asks_ends_early_and_its_data_have_no_valid_content, kWays, way) {
  Runtime runtime(with_workers(2));
  double x = 1, y = 1;
  const Data dx = runtime.scalar(x, "x"), dy = runtime.scalar(y, "y");
  std::stop_source source;
  TaskOptions options{.name = "long"};
  if (way == "token") options.stop = source.get_token();
  if (way == "deadline") options.deadline = Clock::now() + std::chrono::milliseconds(300);
  const Future future = runtime.submit(
      options,
      [this](const KernelContext& context, double& value) {
        if (until_cancelled(context)) value = 2;
      },
      dx);
  const Future next = runtime.submit([](const double& from, double& to) { to = from; }, dx, dy);
  if (way != "deadline") wait_until_running();
  if (way == "future") future.cancel();
  if (way == "runtime") runtime.cancel();
  if (way == "token") source.request_stop();
  const char* cause = way == "token"      ? "a stop was requested"
                      : way == "deadline" ? "its deadline passed"
                                          : "the program cancelled";
  BOOST_CHECK_EXCEPTION(future.wait(), Error, failure(ErrorCode::cancelled, "'long'", "was cancelled", cause));
  BOOST_CHECK_EXCEPTION(next.wait(), Error, failure(ErrorCode::cancelled));
  BOOST_CHECK_EXCEPTION(runtime.wait(dx), Error, failure(ErrorCode::cancelled, "'x' has no valid content", cause));
  BOOST_CHECK_THROW(runtime.wait(), Error);
  // A deadline may have passed before the kernel began on a machine that is busy.
  if (way != "deadline") BOOST_TEST(told == 1);
  runtime.submit([](double& value) { value = 5; }, write(dx)).wait();
  runtime.wait(dx);
  BOOST_TEST(x == 5);
}

BOOST_AUTO_TEST_CASE(a_team_learns_of_its_cancellation_in_each_member) {
  Runtime runtime(clusters("1x3"));
  std::atomic<int> members{0};
  const Codelet team = Codelet("team", {}).cpu_team([&](Team& cores, const KernelContext& context) {
    members = cores.size();
    cores.run([&](int, int) { until_cancelled(context); });
  });
  const Future future = runtime.submit(team, {});
  wait_until_running(3);
  future.cancel();
  BOOST_CHECK_EXCEPTION(future.wait(), Error,
                        failure(ErrorCode::cancelled, "its kernel was told: the program cancelled it"));
  BOOST_TEST(members == 3);
  BOOST_TEST(told == 3);
  BOOST_CHECK_THROW(runtime.wait(), Error);
}

BOOST_DATA_TEST_CASE(a_task_of_pieces_is_cancelled_if_one_piece_has_learned_of_it,
                     cancellation::data::make({"single", "1x2"}), grouping) {
  Runtime runtime(clusters(grouping));
  double x = 1;
  const Data dx = runtime.scalar(x, "x");
  std::atomic<int> silent{0};
  const Codelet pieces = Codelet("pieces", {AccessMode::read_write})
                             .pieces([](const KernelContext&) { return 40; },
                                     [&](std::size_t piece, const KernelContext& context, double&) {
                                       if (piece == 7) {
                                         until_cancelled(context);
                                       } else {
                                         ++silent;
                                       }
                                     });
  const Future future = runtime.submit(pieces, {dx});
  wait_until_running();
  future.cancel();
  BOOST_CHECK_EXCEPTION(future.wait(), Error,
                        failure(ErrorCode::cancelled, "its kernel was told: the program cancelled it"));
  BOOST_TEST(told == 1);
  BOOST_TEST(silent == 39);
  BOOST_CHECK_THROW(runtime.wait(dx), Error);
  BOOST_CHECK_THROW(runtime.wait(), Error);
  // The next task of pieces starts afresh.
  const Codelet more = Codelet("more", {AccessMode::write})
                           .pieces([](const KernelContext&) { return 40; },
                                   [&](std::size_t, const KernelContext& context) {
                                     if (context.cancelled()) ++told;
                                   });
  runtime.submit(more, {dx}).wait();
  runtime.wait(dx);
  BOOST_TEST(told == 1);
}

BOOST_AUTO_TEST_CASE(a_run_of_a_recording_is_cancelled_through_its_future) {
  Runtime runtime(with_workers(2));
  double x = 1;
  const Data dx = runtime.scalar(x, "x");
  std::atomic<bool> waits{true};
  const RecordedGraph graph = runtime.record(
      [&] {
        runtime.submit(
            [&](const KernelContext& context, double& value) {
              value = waits ? 0 : 3;
              if (waits) until_cancelled(context);
            },
            write(dx));
        BOOST_CHECK_EXCEPTION(runtime.submit(
                                  {.deadline = Clock::now()}, [](double&) {}, write(dx)),
                              Error, failure(ErrorCode::invalid_argument, "a recorded task can have no deadline"));
      },
      "solver");
  const Future run = graph.run();
  wait_until_running();
  run.cancel();
  BOOST_CHECK_EXCEPTION(run.wait(), Error,
                        failure(ErrorCode::cancelled, "solver", "cancelled the run of the recorded"));
  BOOST_CHECK_THROW(runtime.wait(), Error);
  waits = false;
  graph.run().wait();
  runtime.wait();
  BOOST_TEST(x == 3);
}

BOOST_AUTO_TEST_CASE(why_names_a_kernel_that_runs_on_after_its_cancellation) {
  Runtime runtime(with_workers(2));
  double x = 1;
  const Data dx = runtime.scalar(x, "x");
  std::atomic<bool> begun{false}, go{false};
  const Future silent = runtime.submit(
      [&](double& value) {
        begun = true;
        while (!go) std::this_thread::yield();
        value = 4;
      },
      dx);
  runtime.submit(twice(), {dx});
  while (!begun) std::this_thread::yield();
  const std::string text = "though it was cancelled: its kernel has not asked";
  BOOST_TEST(!contains(runtime.why().to_text(), text));
  silent.cancel();
  BOOST_TEST(contains(runtime.why().to_text(), text), runtime.why().to_text());
  go = true;
  runtime.wait();
  BOOST_TEST(x == 8);
}

BOOST_AUTO_TEST_CASE(the_trace_marks_a_task_that_was_cut_short) {
  RuntimeOptions options = with_workers(1);
  options.trace = true;
  Runtime runtime(options);
  const Codelet asks = Codelet("asks", {})
                           .cpu([this](const KernelContext& context) { until_cancelled(context); })
                           .flops([](const KernelContext&) { return 1e9; });
  const Future future = runtime.submit(asks, {});
  wait_until_running();
  future.cancel();
  BOOST_CHECK_THROW(runtime.wait(), Error);
  const Trace trace = runtime.take_trace();
  BOOST_TEST_REQUIRE(trace.events.size() == 1U);
  BOOST_TEST(trace.events[0].failed);
  BOOST_TEST(trace.events[0].flops == 0);
}

BOOST_AUTO_TEST_CASE(runs_that_do_not_keep_to_the_clock_refuse_deadlines_and_take_tokens) {
  const auto machine = std::make_shared<SimulationOptions>();
  machine->machine = plain_machine({.cores = 2});
  machine->times = {{"twice", {.core = std::chrono::milliseconds(1)}}};
  RuntimeOptions simulated;
  simulated.simulation = machine;
  for (const RuntimeOptions& options : {deterministic(), simulated}) {
    Runtime runtime(options);
    double x = 1;
    const Data dx = runtime.scalar(x, "x");
    BOOST_CHECK_EXCEPTION(
        runtime.submit(twice(), {dx}, {}, {.deadline = Clock::now()}), Error,
        failure(ErrorCode::invalid_argument, "codelet 'twice'", "the task has a deadline", "TaskOptions::stop"));
  }
  Runtime runtime(deterministic());
  double x = 1;
  const Data dx = runtime.scalar(x, "x");
  std::stop_source source;
  const Future before = runtime.submit(twice(), {dx}, {}, {.stop = source.get_token()});
  before.wait();
  source.request_stop();
  const Future after = runtime.submit(twice(), {dx}, {}, {.stop = source.get_token()});
  BOOST_CHECK_EXCEPTION(after.wait(), Error, failure(ErrorCode::cancelled, "a stop was requested"));
  BOOST_TEST(x == 2);
  BOOST_CHECK_THROW(runtime.wait(), Error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::tests
