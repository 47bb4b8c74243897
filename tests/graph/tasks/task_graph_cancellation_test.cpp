// Tests what kernels learn of a cancellation, and deadlines and stop tokens. Tasks run one at a time.
#include <atomic>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/graph_data.hpp"
#include "tests/support/random/recording_data.hpp"
#include "tests/support/step_host.hpp"

namespace troupe::graph {

namespace task_graph_cancellation {

using tests::contains;
using tests::record;
using tests::register_scalar;
using tests::run;
using tests::StepHost;
using tests::submit;
using tests::try_submit;
using Clock = std::chrono::steady_clock;

struct Fixture {
  StepHost host;
  TaskGraph& graph = host.graph;
  double value = 1;
  double other = 1;
  Handle x = register_scalar(graph, value, "x");
  Handle y = register_scalar(graph, other, "y");
  /// The kernel of `asks` calls this between its questions, and keeps the answers.
  std::function<void()> meanwhile = [] {};
  std::vector<bool> answers;
  Codelet asks = Codelet("asks", {AccessMode::read_write}).cpu([this](const KernelContext& context) {
    answers.push_back(context.cancelled());
    meanwhile();
    answers.push_back(context.cancelled());
    answers.push_back(context.cancelled());
    context.scalar<double>(0) += 1;
  });
  Codelet never_asks = Codelet("never asks", {AccessMode::read_write}).cpu([this](double& value) {
    meanwhile();
    value += 1;
  });
  Codelet copy = Codelet("copy", {AccessMode::read, AccessMode::write}).cpu([](const double& a, double& b) { b = a; });
  Codelet set = Codelet("set", {AccessMode::write}).cpu([](double& x) { x = 7; });

  bool valid(const Handle& handle) {
    const auto hold = graph.acquire(handle, AccessMode::read);
    if (hold) graph.give_back(hold.value());
    return hold.ok();
  }
  std::string why(const Future& future) { return graph.wait(future).failure().message; }
};

const std::vector<bool> kNoYesYes{false, true, true};
const std::vector<bool> kNever{false, false, false};

}  // namespace task_graph_cancellation

BOOST_FIXTURE_TEST_SUITE(task_graph_cancellation, Fixture)

BOOST_AUTO_TEST_CASE(a_kernel_that_asks_learns_that_its_task_was_cancelled_and_its_data_are_not_valid) {
  Future future;
  meanwhile = [&] { future.cancel(); };
  future = submit(graph, asks, {x}, {}, {.name = "long"});
  const Future dependent = submit(graph, copy, {x, y});
  host.run_all();
  BOOST_TEST(answers == kNoYesYes);
  BOOST_TEST((future.status() == TaskStatus::cancelled));
  BOOST_TEST((dependent.status() == TaskStatus::cancelled));
  BOOST_TEST((graph.wait(future).failure().code == ErrorCode::cancelled));
  BOOST_TEST(contains(why(future), "'long'"));
  BOOST_TEST(contains(why(future), "was cancelled while it ran, and its kernel was told: the program cancelled it"));
  BOOST_TEST(contains(why(dependent), "'x' has no valid content"));
  BOOST_TEST(contains(why(dependent), "while it ran, and its kernel was told: the program cancelled it"));
  BOOST_TEST(!valid(x));
  BOOST_TEST(contains(graph.wait_all().failure().message, "2 tasks were cancelled"));
  submit(graph, set, {x});
  host.run_all();
  BOOST_TEST(valid(x));
}

BOOST_AUTO_TEST_CASE(a_kernel_that_does_not_ask_ends_as_if_nobody_had_cancelled_it) {
  Future future;
  std::stop_source source;
  meanwhile = [&] {
    future.cancel();
    source.request_stop();
    graph.cancel_all();
  };
  future = submit(graph, never_asks, {x}, {}, {.stop = source.get_token()});
  host.run_all();
  BOOST_TEST((future.status() == TaskStatus::succeeded));
  BOOST_TEST(valid(x));
  BOOST_TEST(value == 2);
  BOOST_TEST(graph.wait_all().ok());
}

BOOST_AUTO_TEST_CASE(a_kernel_that_throws_after_it_has_learned_of_its_cancellation_has_failed) {
  Future future;
  const Codelet throws = Codelet("throws", {AccessMode::read_write}).cpu([&](const KernelContext& context) {
    future.cancel();
    if (context.cancelled()) throw std::runtime_error("gave up");
  });
  future = submit(graph, throws, {x});
  host.run_all();
  BOOST_TEST((future.status() == TaskStatus::failed));
  BOOST_TEST(contains(why(future), "gave up"));
}

BOOST_AUTO_TEST_CASE(a_kernel_whose_task_nobody_cancels_learns_nothing_and_later_tasks_in_its_memory_neither) {
  Future future;
  meanwhile = [&] { future.cancel(); };
  future = submit(graph, asks, {x});
  host.run_all();
  meanwhile = [] {};
  submit(graph, set, {x});
  host.run_all();
  for (int i = 0; i < 3; ++i) {
    answers.clear();
    const Future after = submit(graph, asks, {x});
    host.run_all();
    BOOST_TEST(answers == kNever);
    BOOST_TEST((after.status() == TaskStatus::succeeded));
  }
  BOOST_TEST(value == 10);
}

BOOST_AUTO_TEST_CASE(cancelling_everything_reaches_kernels_that_run_and_not_tasks_that_come_later) {
  meanwhile = [&] { graph.cancel_all("the power went"); };
  const Future future = submit(graph, asks, {x});
  host.run_all();
  BOOST_TEST(answers == kNoYesYes);
  BOOST_TEST(contains(why(future), "its kernel was told: the power went"));
  meanwhile = [] {};
  answers.clear();
  submit(graph, set, {x});
  const Future later = submit(graph, asks, {x});
  host.run_all();
  BOOST_TEST(answers == kNever);
  BOOST_TEST((later.status() == TaskStatus::succeeded));
}

BOOST_AUTO_TEST_CASE(a_callback_gets_the_reason) {
  TaskOutcome outcome;
  meanwhile = [&] { graph.cancel_all(); };
  submit(graph, asks, {x}, {}, {.callback = [&](const TaskOutcome& one) { outcome = one; }});
  host.run_all();
  BOOST_TEST((outcome.status == TaskStatus::cancelled));
  BOOST_TEST((outcome.code == ErrorCode::cancelled));
  BOOST_TEST(contains(outcome.message, "the program cancelled all tasks"));
}

BOOST_AUTO_TEST_CASE(a_task_that_runs_after_a_task_that_was_cut_short_is_cancelled) {
  Future future;
  meanwhile = [&] { future.cancel(); };
  future = submit(graph, asks, {x});
  const Future after = submit(graph, set, {y}, {}, {.after = {future}});
  host.run_all();
  BOOST_TEST((after.status() == TaskStatus::cancelled));
  BOOST_TEST(contains(why(after), "a task that it was to run after did not succeed"));
}

BOOST_AUTO_TEST_CASE(a_task_that_holds_a_commute_lock_gives_it_back_when_it_is_cut_short) {
  Future future;
  const Codelet mixes = Codelet("mixes", {AccessMode::commute}).cpu([&](const KernelContext& context) {
    future.cancel();
    (void)context.cancelled();
  });
  future = submit(graph, mixes, {x});
  const Future next = submit(graph, set, {x});
  host.run_all();
  BOOST_TEST((future.status() == TaskStatus::cancelled));
  BOOST_TEST((next.status() == TaskStatus::succeeded));
  BOOST_TEST(valid(x));
}

BOOST_AUTO_TEST_CASE(a_task_that_has_not_begun_at_its_deadline_is_cancelled_when_its_turn_comes) {
  const Future late =
      submit(graph, never_asks, {x}, {}, {.name = "late", .deadline = Clock::now() - std::chrono::seconds(100)});
  const Future dependent = submit(graph, copy, {x, y});
  BOOST_TEST((late.status() == TaskStatus::pending));
  host.run_all();
  BOOST_TEST((late.status() == TaskStatus::cancelled));
  BOOST_TEST((dependent.status() == TaskStatus::cancelled));
  BOOST_TEST(value == 1);
  BOOST_TEST(contains(why(late), "'late'"));
  BOOST_TEST(contains(why(late), "was cancelled: its deadline passed 100 s before its turn came"));
  BOOST_TEST(contains(why(dependent), "its deadline passed 100 s before"));
}

BOOST_AUTO_TEST_CASE(deadlines_at_both_ends_of_time_are_understood) {
  const Future first = submit(graph, never_asks, {x}, {}, {.deadline = Clock::time_point::min()});
  const Future last = submit(graph, set, {y}, {}, {.deadline = Clock::time_point::max()});
  host.run_all();
  BOOST_TEST((first.status() == TaskStatus::cancelled));
  BOOST_TEST(contains(why(first), "its deadline passed"));
  BOOST_TEST((last.status() == TaskStatus::succeeded));
}

BOOST_AUTO_TEST_CASE(a_kernel_that_asks_learns_that_its_deadline_has_passed) {
  const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(200);
  meanwhile = [&] { std::this_thread::sleep_until(deadline + std::chrono::milliseconds(12)); };
  const Future future = submit(graph, asks, {x}, {}, {.deadline = deadline});
  host.run_all();
  BOOST_TEST(answers == kNoYesYes);
  BOOST_TEST((future.status() == TaskStatus::cancelled));
  BOOST_TEST(contains(why(future), "its kernel was told: its deadline passed "));
  BOOST_TEST(contains(why(future), "before the kernel returned"));
  BOOST_TEST(!valid(x));
}

BOOST_AUTO_TEST_CASE(a_task_that_ends_before_its_deadline_succeeds_and_so_does_one_that_does_not_ask) {
  const Future early = submit(graph, asks, {x}, {}, {.deadline = Clock::now() + std::chrono::hours(1)});
  const Clock::time_point soon = Clock::now() + std::chrono::milliseconds(200);
  const Future overdue = submit(graph, never_asks, {x}, {}, {.deadline = soon});
  host.step();
  meanwhile = [&] { std::this_thread::sleep_until(soon + std::chrono::milliseconds(1)); };
  host.step();
  BOOST_TEST(answers == kNever);
  BOOST_TEST((early.status() == TaskStatus::succeeded));
  BOOST_TEST((overdue.status() == TaskStatus::succeeded));
  BOOST_TEST(value == 3);
}

BOOST_AUTO_TEST_CASE(one_stop_cancels_all_tasks_that_carry_the_token_and_tells_those_that_run) {
  std::stop_source source;
  meanwhile = [&] { source.request_stop(); };
  const Future runs = submit(graph, asks, {x}, {}, {.stop = source.get_token()});
  const Future waits = submit(graph, copy, {x, y}, {}, {.stop = source.get_token()});
  double third = 1;
  const Handle z = register_scalar(graph, third, "z");
  const Future free = submit(graph, never_asks, {z}, {}, {.stop = source.get_token()});
  const Future without = submit(graph, set, {z}, {}, {.stop = std::stop_source().get_token()});
  host.run_all();
  BOOST_TEST(answers == kNoYesYes);
  BOOST_TEST(contains(why(runs), "its kernel was told: a stop was requested of its token"));
  for (const Future& one : {waits, free}) {
    BOOST_TEST((one.status() == TaskStatus::cancelled));
    BOOST_TEST(contains(why(one), "was cancelled: a stop was requested of its token"));
  }
  BOOST_TEST(third == 7);
  BOOST_TEST((without.status() == TaskStatus::succeeded));
}

BOOST_AUTO_TEST_CASE(a_task_with_a_token_can_be_cancelled_by_its_future_too) {
  std::stop_source source;
  const Future unbegun = submit(graph, never_asks, {x}, {}, {.stop = source.get_token()});
  unbegun.cancel();
  Future begun;
  meanwhile = [&] { begun.cancel(); };
  begun = submit(graph, asks, {y}, {}, {.stop = source.get_token()});
  host.run_all();
  BOOST_TEST(contains(why(unbegun), "was cancelled: the program cancelled it"));
  BOOST_TEST(contains(why(begun), "its kernel was told: the program cancelled it"));
}

BOOST_AUTO_TEST_CASE(graphs_without_the_programs_clock_refuse_deadlines_and_take_tokens) {
  StepHost virtual_time({.deadlines = false});
  double number = 1;
  const Handle z = register_scalar(virtual_time.graph, number, "z");
  const auto refused = try_submit(virtual_time.graph, set, {z}, {}, {.deadline = Clock::now()});
  BOOST_TEST((refused.failure().code == ErrorCode::invalid_argument));
  BOOST_TEST(contains(refused.failure().message, "codelet 'set': the task has a deadline"));
  std::stop_source source;
  source.request_stop();
  const Future stopped = submit(virtual_time.graph, set, {z}, {}, {.stop = source.get_token()});
  const Future runs = submit(virtual_time.graph, never_asks, {z});
  virtual_time.run_all();
  BOOST_TEST((stopped.status() == TaskStatus::cancelled));
  BOOST_TEST((runs.status() == TaskStatus::cancelled));
}

BOOST_AUTO_TEST_CASE(several_threads_of_one_kernel_may_ask_at_once) {
  Future future;
  std::atomic<int> yes{0};
  const Codelet together = Codelet("together", {AccessMode::read_write}).cpu([&](const KernelContext& context) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        while (!context.cancelled()) std::this_thread::yield();
        ++yes;
      });
    }
    future.cancel();
    for (std::thread& thread : threads) thread.join();
  });
  future = submit(graph, together, {x});
  host.run_all();
  BOOST_TEST(yes == 4);
  BOOST_TEST((future.status() == TaskStatus::cancelled));
}

BOOST_AUTO_TEST_CASE(recorded_tasks_with_a_deadline_or_a_token_are_refused) {
  std::vector<std::string> messages;
  std::stop_source source;
  const auto recording = record(graph, [&] {
    for (const TaskOptions& options :
         {TaskOptions{.deadline = Clock::now()}, TaskOptions{.stop = source.get_token()}}) {
      const auto refused = try_submit(graph, set, {x}, {}, options);
      BOOST_TEST((refused.failure().code == ErrorCode::invalid_argument));
      BOOST_TEST(contains(refused.failure().message, "codelet 'set': a recorded task can have no deadline"));
    }
    submit(graph, set, {x});
  });
  BOOST_TEST(graph.wait(run(graph, recording)).ok());
  BOOST_TEST(value == 7);
}

BOOST_AUTO_TEST_CASE(a_recorded_task_that_asks_learns_that_its_run_was_cancelled_and_the_next_run_is_as_new) {
  const auto recording = record(graph, [&] {
    submit(graph, set, {x});
    submit(graph, asks, {x}, {}, {.name = "inner"});
    submit(graph, copy, {x, y});
  });
  Future future;
  meanwhile = [&] { future.cancel(); };
  future = run(graph, recording);
  host.run_all();
  BOOST_TEST(answers == kNoYesYes);
  BOOST_TEST((future.status() == TaskStatus::cancelled));
  BOOST_TEST(contains(why(future), "'inner'"));
  BOOST_TEST(contains(why(future), "its kernel was told: the program cancelled the run of the recorded graph"));
  BOOST_TEST(!valid(x));
  BOOST_TEST(!valid(y));
  meanwhile = [] {};
  for (int i = 0; i < 2; ++i) {
    answers.clear();
    BOOST_TEST(graph.wait(run(graph, recording)).ok());
    BOOST_TEST(answers == kNever);
    BOOST_TEST(other == 8);
  }
  meanwhile = [&] { graph.cancel_all(); };
  answers.clear();
  BOOST_TEST((graph.wait(run(graph, recording)).failure().code == ErrorCode::cancelled));
  BOOST_TEST(answers == kNoYesYes);
}

BOOST_AUTO_TEST_CASE(a_typed_kernel_may_take_the_context_before_its_views) {
  Future future;
  const Codelet typed =
      Codelet("typed", {AccessMode::read_write}).cpu([&](const KernelContext& context, double& value, double by) {
        value += by;
        future.cancel();
        if (context.cancelled()) value += 100;
      });
  BOOST_TEST((try_submit(graph, typed, {x}, args(1)).failure().code == ErrorCode::signature_mismatch));
  future = submit(graph, typed, {x}, args(1.0));
  host.run_all();
  BOOST_TEST(value == 102);
  BOOST_TEST((future.status() == TaskStatus::cancelled));
}

BOOST_AUTO_TEST_CASE(outside_of_a_runtime_nothing_is_cancelled) {
  const KernelContext context({}, ArgumentsView{});
  BOOST_TEST(!context.cancelled());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace troupe::graph
